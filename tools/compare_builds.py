#!/usr/bin/env python3
"""Compares what two builds of the program put out, byte for byte.

    compare_builds.py OLD NEW [--data DIR] [--only TEXT]

OLD and NEW are programs. Each runs every command on the shipped samples, on small simulated traces,
and on the recorded traces in DIR ($SYNCLINE_DATA), in a folder of its own with the same names.
Compared: exit codes, standard output and error, and all files, but for time spent, memory used and
identities drawn by chance.

Prints what differs, where first, and exits with 1; with 2 where a program cannot be run.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MASKS = [
    (re.compile(rb'((?:read|match|estimate|logical|write)_s|peak_bytes|memory_bytes)(\\*"): ?[0-9.e+-]+'), rb"\1\2:-"),
    (re.compile(rb"[0-9.]+ (?:s|ms|\xc2\xb5s|ns)  +[0-9.]+ (?:bytes|KiB|MiB|GiB)"), b"-"),
    (re.compile(rb"  +"), b"  "),
    # Identities that writers draw by chance: of CTF packets and traces, of OTF2 archives.
    (re.compile(rb"(\xc1\x1f\xfc\xc1).{16}", re.DOTALL), rb"\1"),
    (re.compile(rb'uuid = "[^"]*"'), b"uuid"),
    (re.compile(rb"(syncline convert\0{6}).{8}", re.DOTALL), rb"\1"),
]
SIMULATED = {
    "grid": ["grid", "--steps", "20", "--collectives", "5"],
    "steps": ["random", "--processes", "6", "--steps", "200", "--clock", "2:drift=30ppm+jump=-5ms@50ms"],
    "ring": ["ring", "--processes", "5", "--steps", "60", "--wrong-matches", "0.002"],
    "server": ["client-server", "--steps", "50"],
    "ticks": ["ticks", "--steps", "5"],
}
TARGETS = ["chrome", "perfetto", "shiviz", "csv", "text", "otf2", "ctf"]


def masked(data):
    for pattern, replacement in MASKS:
        data = pattern.sub(replacement, data)
    return data


def inputs_of(folder, data):
    """Name → (arguments of inputs, truth or None), all below `folder`, where they are linked."""
    named = {
        "captures": (["a.pcap", "b.pcap", "c.pcap", "d.pcap"], "truth.json", ROOT / "examples/captures"),
        "archive": (["eztrace_log.otf2"], None, ROOT / "src/read/otf2/testdata/ring"),
        "lttng": (["hostA", "hostB"], None, ROOT / "src/read/ctf/testdata/rates"),
    }
    if data:
        for kind in ("linear", "slew"):
            named[f"data-{kind}"] = (["a.pcap", "b.pcap", "c.pcap", "d.pcap"], "truth.json", data / "captures" / kind)
        named["data-halo"] = (["eztrace_log.otf2"], None, data / "otf2/halo")
        named["data-lttng"] = (["hostA", "hostB", "hostC"], "truth.json", data / "lttng/rates")
        named["data-compass"] = (["scp_src", "scp_dest"], None, data / "tracecompass")
        for kind in ("linear", "slew"):
            named[f"data-spans-{kind}"] = ([f"host{host}.jsonl.gz" for host in "ABCD"], "truth.json", data / "otlp" / kind)
        named["data-profiles"] = ([f"rank{rank}.json.gz" for rank in range(8)], None, data / "kineto/linear")
    inputs = {}
    for name, (files, truth, source) in named.items():
        if not source.exists():
            continue
        (folder / name).symlink_to(source)
        inputs[name] = ([f"{name}/{file}" for file in files], truth and f"{name}/{truth}")
    return inputs


def with_rules(name, arguments):
    """What the messages of the LTTng samples are."""
    takes_them = arguments[0] not in ("filter", "report")
    return [*arguments, "--rules", str(ROOT / "examples/rules/msg.rules")] if "lttng" in name and takes_them else arguments


def commands(inputs):
    """Label → arguments; outputs go to a folder named after the label."""
    for name, (files, truth) in inputs.items():
        with_truth = ["--truth", truth] if truth else []
        yield f"check-{name}", ["check", *files, "--json", "OUT/check.json"]
        yield f"sync-{name}", ["sync", *files, "-o", "OUT", *with_truth, "--report", "OUT/report.html"]
        yield f"events-{name}", ["sync", *files, "-o", "OUT", "--write", "events", "--bounds", "5"]
        yield f"joint-{name}", ["sync", *files, "-o", "OUT", "--group", "joint", "--logical", "simple"]
        yield f"compare-{name}", ["compare", *files, *with_truth, "--json", "OUT/compare.json", "--plots", "OUT/plots"]
        yield f"concurrency-{name}", ["concurrency", *files, "--json", "OUT/c.json", "--waits", "receives"]
        for target in TARGETS:
            yield f"convert-{target}-{name}", ["convert", *files, "--to", target, "-o", f"OUT/{target}"]
        if len(files) == 1:
            out = "OUT/filtered" if files[0].endswith(".otf2") else "OUT/filtered.txt"
            yield f"filter-{name}", ["filter", files[0], out, "--json", "OUT/filter.json"]
    yield "missing", ["check", "nothing.pcap"]
    yield "wrong", ["sync", "--no-such-option"]
    for command in ("", "sync", "check", "compare", "convert", "filter", "concurrency", "simulate", "report", "clock"):
        yield f"help-{command}", [*([command] if command else []), "--help"]


def run(program, arguments, folder, out):
    (folder / out).mkdir(parents=True, exist_ok=True)
    arguments = [a.replace("OUT", out) for a in arguments]
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    found = {"exit code": str(done.returncode).encode(), "standard output": done.stdout, "standard error": done.stderr}
    for file in sorted((folder / out).rglob("*")):
        if file.is_file():
            found[str(file.relative_to(folder))] = file.read_bytes()
    shutil.rmtree(folder / out)
    return {name: masked(content) for name, content in found.items()}


def difference(name, old, new):
    if old is None or new is None:
        return f"{name}: only {'new' if old is None else 'old'}"
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    start = max(0, at - 40)
    return f"{name}: at byte {at}: {old[start:at + 40]!r} became {new[start:at + 40]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=os.environ.get("SYNCLINE_DATA"))
    parser.add_argument("--only", default="", help="commands whose label contains this")
    options = parser.parse_args()
    programs = [str(pathlib.Path(p).resolve()) for p in (options.old, options.new)]
    if not all(os.access(p, os.X_OK) for p in programs):
        print("cannot run a program")
        return 2
    compared, differing = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        inputs = inputs_of(folder, options.data and pathlib.Path(options.data))
        for name, scenario in SIMULATED.items():
            made = subprocess.run([programs[0], "simulate", *scenario, "-o", name, "-q"], cwd=folder, check=False)
            if made.returncode == 0:
                inputs[f"simulated-{name}"] = ([f"{name}/trace.txt"], f"{name}/truth.json")
        for label, arguments in commands(inputs):
            if options.only not in label:
                continue
            arguments = with_rules(label, arguments)
            old, new = (run(program, arguments, folder, "out") for program in programs)
            compared += 1
            problems = [difference(n, old.get(n), new.get(n)) for n in sorted(old | new) if old.get(n) != new.get(n)]
            differing += bool(problems)
            for problem in problems[:3]:
                print(f"{label}: {problem}")
    print(f"{differing} of {compared} commands differ")
    return 1 if differing or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
