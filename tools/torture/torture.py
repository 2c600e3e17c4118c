#!/usr/bin/env python3
"""Tries to break the program: damaged inputs, odd options, full disks, kills, and what else may happen to it.

    tools/torture/torture.py build/release/syncline                 one minute
    tools/torture/torture.py build/asan/syncline --hours 2 --jobs 2 --data FOLDER
    tools/torture/torture.py PROGRAM --seed 7 --only killed:1234    one case again; its folder is kept

Each case is made from its seed, kind and number alone. Whatever is tried, the program must end by itself, without
a signal, with an exit code from 0 to 4, in words where it fails; in at most 1 GB, after at most 20 s of computing;
with its inputs unchanged, nothing left over, and a set of outputs replaced as a whole or not at all.
Prints each finding at once, and a table at the end. Exit code 1 where something was found.
"""

import argparse
import collections
import itertools
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
import runner
import samples

HERE = Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--hours", type=float, default=1 / 60)
    parser.add_argument("--cases", type=int, help="so many of each kind instead, 'many' once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, help="a folder of recordings, hostile/ among them")
    parser.add_argument("--only", help="KIND or KIND:NUMBER")
    parser.add_argument("--slow", type=float, default=1, help="a sanitized program may take so much more time and memory")
    parser.add_argument("--keep", type=Path, default=Path("torture-finds"), help="folder for the inputs of what was found")
    return parser.parse_args()


def prepare(options, work):
    program = options.program.resolve()
    hostile = []
    if options.data:
        top = options.data / "hostile"
        hostile = [p for p in sorted(top.glob("*/*")) if (p.is_dir() and any(p.rglob("metadata"))) or p.suffix == ".txt"]
    library = work / "fault.so"
    compiler = shutil.which("cc")
    if compiler:
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "fault.c", "-ldl"], check=True)
        os.environ["TORTURE_FAULT_LIBRARY"] = str(library)
    made = samples.make(program, HERE.parent.parent, options.data, work / "samples")
    return cases.World(program, made, cases.read_options(program), hostile)


def run_case(key):
    kind, number = key
    make = getattr(cases, kind)
    folder = STATE["work"] / f"{kind}-{number}"
    folder.mkdir()
    random_numbers = random.Random(f"{STATE['seed']}:{kind}:{number}")
    job = make(random_numbers, STATE["world"], folder)
    findings, outcome = runner.run(STATE["world"].program, job, folder, STATE["slow"])
    if findings or STATE["keep_all"]:
        kept = STATE["keep"] / folder.name
        shutil.rmtree(kept, ignore_errors=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(folder, kept, symlinks=True)
        (kept / "torture.log").write_text(f"{job}\n{outcome}\n" + "\n".join(findings) + "\n", errors="replace")
    shutil.rmtree(folder, ignore_errors=True)
    return kind, number, findings, outcome.code, " ".join(map(str, job.args))


STATE = {}


def left_out(work):
    """Kinds that cannot be tried here, which is said."""
    reasons = {cases.faulty: "" if shutil.which("cc") else "no compiler", cases.tiny_disk: runner.why_no_tiny_disk(work)}
    for kind, reason in reasons.items():
        if reason:
            print(f"{kind.__name__} is left out: {reason}", flush=True)
    return [kind for kind, reason in reasons.items() if reason]


def keys(options):
    """Which cases, and for how long."""
    kinds = [k.__name__ for k in cases.KINDS if k not in STATE["left_out"]]
    if options.only and ":" in options.only:
        kind, number = options.only.split(":")
        yield kind, int(number)
        return
    if options.only:
        kinds = [options.only]
    if options.cases:
        yield from ((k, n) for n in range(options.cases) for k in kinds if k != "many" or n == 0)
        return
    end = time.monotonic() + options.hours * 3600
    order = random.Random(options.seed)
    weights = [cases.SHARES[getattr(cases, k)] for k in kinds]
    counts = collections.Counter()
    while time.monotonic() < end:
        kind = order.choices(kinds, weights)[0]
        counts[kind] += 1
        yield kind, counts[kind]


def in_pieces(pool, items, size):
    """Takes items as they are needed: a pool alone would take all at once."""
    iterator = iter(items)
    while piece := list(itertools.islice(iterator, size)):
        yield from pool.imap_unordered(run_case, piece)


def main():
    options = arguments()
    work = Path(tempfile.mkdtemp(prefix="torture-"))
    STATE.update(work=work, seed=options.seed, slow=options.slow, keep=options.keep.resolve(),
                 keep_all=bool(options.only and ":" in options.only))
    tried, found, codes = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    try:
        STATE["world"] = prepare(options, work)
        STATE["left_out"] = left_out(work)
        with multiprocessing.Pool(options.jobs) as pool:
            for kind, number, findings, code, words in in_pieces(pool, keys(options), 8 * options.jobs):
                tried[kind] += 1
                codes[kind][code] += 1
                found[kind] += bool(findings)
                if findings:
                    print(f"{kind}:{number} (seed {options.seed}): syncline {words[:300]}\n    " + "\n    ".join(findings), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"\n{'kind':16} {'what':44} {'tried':>7} {'found':>6}  exit codes")
    for kind in sorted(tried):
        ended = ", ".join(f"{code}: {count}" for code, count in sorted(codes[kind].items()))
        print(f"{kind:16} {getattr(cases, kind).__doc__:44} {tried[kind]:7} {found[kind]:6}  {ended}")
    print(f"{'all':16} {'':44} {tried.total():7} {found.total():6}")
    return 1 if found.total() else 0


if __name__ == "__main__":
    sys.exit(main())
