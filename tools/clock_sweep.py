#!/usr/bin/env python3
"""Runs `syncline sync` on hundreds of simulated runs of clocks as they really are, and writes one table
by kind into docs/methods/drift-bounded.md. What stands between its marks is replaced.

    clock_sweep.py [--program PROGRAM] [--json FILE] [--jobs 2]     all runs; writes the table
    clock_sweep.py --only KIND --seeds 1-5 --keep FOLDER            some; prints the table

bench/clock_sweep makes the runs (sweep_runs.py says which), so build it first. Runs that fail are
printed with the commands that repeat them: an exit code other than 0 or 3, a true time outside the
stated bounds, messages that stay inverted.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import sweep_runs
import table_cells

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "methods" / "drift-bounded.md"
WINDOWS = ROOT / "tools" / "sweep_windows.json"
BEGIN = "<!-- Written by tools/clock_sweep.py: do not edit. -->\n"
END = "<!-- End of what clock_sweep.py writes. -->\n"

SHOWN = pathlib.Path("/tmp/sweep")  # where printed commands put a run
DRIFT_PPM = 200  # the default of --max-drift-ppm
SLEWS = ["--max-drift-ppm", "600"]
ORDERED = ["--logical", "controlled"]  # the default; contradictory messages must not end it
COMPARED = "joint"
MAY_INVERT = ["coarse"]
WINDOW_LENGTHS = ["1min", "3min", "10min", "30min"]


def sync_command(program, folder, *options):
    """Without the logical clock unless the options say so: it would hide what the corrections leave inverted."""
    logical = [] if "--logical" in options else ["--logical", "none"]
    return [str(part) for part in (
        program, "sync", folder / "trace.txt", "--truth", folder / "truth.json", "--reference", "c0",
        *logical, "--json", "-", "--quiet", "--force", "-o", folder / "out", *options)]


def sync(program, folder, timeout_s, *options):
    """The summary and how the program ended."""
    command = sync_command(program, folder, *options)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return None, "timeout", f"took more than {timeout_s} s"
    summary = json.loads(done.stdout) if done.returncode in (0, 3) and done.stdout else None
    message = done.stderr.replace(str(folder), str(SHOWN)).strip().splitlines()
    return summary, done.returncode, message[-1] if message else ""


def stated_limit(summary, clock, given_ppm):
    """Up to which rates the result says that the bounds of this clock hold."""
    limits = (clock.get("rate_limit_ppm"), summary.get("rate_limit_ppm"), given_ppm)
    return max(limit for limit in limits if limit is not None)


def assumption_holds(summary, about, given_ppm):
    """Whether rates stay within what the result says, between the steps that it names. Where it says that
    the reference was set, although all others were, no message tells these apart; it is not what was."""
    named = collections.Counter(step["clock"] for step in summary.get("steps", []))
    if any(jumps > named[clock] for clock, jumps in about["jumps"].items()):
        return False
    for clock in summary["clocks"]:
        least, greatest = about["rates_ppm"][clock["name"]]
        if max(-least, greatest) > stated_limit(summary, clock, given_ppm):
            return False
    return True


def median(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def figures_of(summary, about, given_ppm):
    """What is kept of a summary."""
    bounds = [clock["bound_ns"] for clock in summary["clocks"] if clock["name"] != "c0"]
    means = [bound["mean"] for bound in bounds if bound is not None]
    return {
        "events": summary["truth"]["events"],
        "outside": summary["truth"]["outside_bound"],
        "rms_ns": summary["truth"]["rms_error_ns"],
        "max_ns": summary["truth"]["max_error_ns"],
        "bound_ns": median(means),
        "open": sum(mean is None for mean in means) + sum(bound is None for bound in bounds),
        "inverted_before": summary["messages"]["inverted_before"],
        "inverted_after": summary["messages"]["inverted_after"],
        "suspects": summary["messages"].get("suspects", 0),
        "estimate_s": summary["timing"]["estimate_s"],
        "holds": assumption_holds(summary, about, given_ppm),
    }


def simulate(generator, kind, seed, folder):
    arguments = sweep_runs.arguments_of(kind, seed)
    command = [str(generator), *arguments, f"out={folder}"]
    subprocess.run(command, check=True)
    return command, json.loads((folder / "truth.json").read_text())["about"]


def best_window(program, folder, timeout_s):
    """RMS error of the window that a person with the truth at hand would choose."""
    found = {}
    for window in WINDOW_LENGTHS:
        summary, _, _ = sync(program, folder, timeout_s, "--group", "joint-piecewise", "--window", window)
        if summary is not None:
            found[window] = summary["truth"]["rms_error_ns"]
    if not found:
        return None
    window = min(found, key=found.get)
    return {"window": window, "rms_ns": found[window]}


def variants(kind):
    """The options that runs of a kind are measured with."""
    return [[], *([SLEWS] if kind.slews else []), *([ORDERED] if kind.lies else [])]


def measure(options, kind, seed):
    """All that is measured on one run, as the dump holds it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made, about = simulate(options.generator, kind, seed, folder)
        lies = about["wrong"] + about["late"] > 0 or (kind.lies and about["lost_records"] > 0)
        result = {"kind": kind.name, "seed": seed, "make": made[1:-1], "messages": about["messages"],
                  "greatest_rate_ppm": about["greatest_rate_ppm"], "lies": lies, "results": {}}
        if options.windows_with and kind.windows:
            result["window"] = best_window(options.windows_with, folder, options.timeout)
        for more in variants(kind):
            chosen = ["--group", options.group, *more] if options.group else more
            result["results"][" ".join(more)] = measured(options, folder, about, chosen)
        summary, _, _ = sync(options.program, folder, options.timeout, "--group", COMPARED)
        result["joint_rms_ns"] = summary["truth"]["rms_error_ns"] if summary else None
        if options.keep and any(failures(result, one) for one in result["results"].values()):
            kept = options.keep / f"{kind.name}-{seed}"
            kept.mkdir(parents=True, exist_ok=True)
            for file in ("trace.txt", "truth.json"):
                shutil.copy(folder / file, kept / file)
    return result


def measured(options, folder, about, chosen):
    is_given = "--max-drift-ppm" in chosen
    given_ppm = float(chosen[chosen.index("--max-drift-ppm") + 1]) if is_given else DRIFT_PPM
    summary, code, message = sync(options.program, folder, options.timeout, *chosen)
    figures = figures_of(summary, about, given_ppm) if summary is not None else {}
    return {"options": chosen, "exit": code, "message": message, **figures}


def failures(result, one):
    """What a result fails in, as words. Wrong messages stay inverted, and so do those whose delay is less
    than a tick."""
    found = []
    if one["exit"] not in (0, 3):
        found.append(f"exit code {one['exit']}: {one['message']}")
    elif one["outside"] > 0:
        found.append(f"{one['outside']} of {one['events']} true times outside")
    may_invert = result["lies"] or result["kind"] in MAY_INVERT
    if one.get("inverted_after", 0) > 0 and not may_invert:
        found.append(f"{one['inverted_after']} inverted")
    return found


def print_failures(options, result):
    for one in result["results"].values():
        found = failures(result, one)
        if not found:
            continue
        said = "" if one.get("holds", True) else ", rates above the stated limit"
        said += f", {one['suspects']} suspects" if one.get("suspects") else ""
        print(f"{result['kind']} {result['seed']}{', data lies' if result['lies'] else ''}{said}: "
              f"{'; '.join(found)}")
        print("  " + shlex.join([str(options.generator), *result["make"], f"out={SHOWN}"]))
        print("  " + shlex.join(sync_command(options.program, SHOWN, *one["options"])))


HEADS = [
    "kind", "runs", "exit 0", "exit 3", "else", "outside, rates within limit", "outside, rates beyond",
    "outside, data lies (unsaid)", "inverted", "RMS error", "RMS of `joint`", "RMS of best window",
    "worst against window", "± median", "time",
]


def outside_cells(results):
    """How many runs have a true time outside: [assumption holds, does not, data lies (and no suspect is
    named)]."""
    holds = beyond = lying = unsaid = 0
    for result, one in results:
        if one.get("outside", 0) == 0:
            continue
        if result["lies"]:
            lying += 1
            unsaid += one["suspects"] == 0
        elif one["holds"]:
            holds += 1
        else:
            beyond += 1
    return [str(holds), str(beyond), f"{lying} ({unsaid})" if lying else "0"]


def cell(value, text):
    return "–" if value is None else text(value)


def window_rms(result, windows):
    found = result.get("window") or windows.get(f"{result['kind']} {result['seed']}")
    return found["rms_ns"] if found else None


def row(kind, variant, results, windows):
    """One line of the table, of [(result, its figures for the variant)]."""
    written = [(result, one) for result, one in results if "rms_ns" in one]
    codes = [one["exit"] for _, one in results]
    beside = [(one["rms_ns"], window_rms(result, windows)) for result, one in written]
    ratios = [rms / window for rms, window in beside if window]
    inverted = [table_cells.count(sum(one[key] for _, one in written))
                for key in ("inverted_before", "inverted_after")]
    return [
        kind.title + (f", `{variant}`" if variant else ""),
        str(len(results)),
        str(codes.count(0)),
        str(codes.count(3)),
        str(len(codes) - codes.count(0) - codes.count(3)),
        *outside_cells(results),
        " → ".join(inverted) if written else "–",
        cell(median(one["rms_ns"] for _, one in written), table_cells.duration),
        cell(median(result["joint_rms_ns"] for result, _ in results), table_cells.duration),
        cell(median(window for _, window in beside), table_cells.duration),
        cell(max(ratios, default=None), lambda ratio: f"{ratio:.2f}"),
        cell(median(one["bound_ns"] for _, one in written), table_cells.duration),
        cell(median(one["estimate_s"] for _, one in written), lambda s: table_cells.duration(s * 1e9)),
    ]


def table(results, windows):
    rows = []
    for kind in sweep_runs.KINDS:
        of_kind = [result for result in results if result["kind"] == kind.name]
        for variant in dict.fromkeys(name for result in of_kind for name in result["results"]):
            pairs = [(result, result["results"][variant]) for result in of_kind]
            rows.append(row(kind, variant, pairs, windows))
    return table_cells.table(HEADS, rows)


INTRODUCTION = """\
{runs} runs of clocks as they really are, made by `bench/clock_sweep`, which knows the true time of every event and shares no code with this
program or its simulator: 2 to 64 clocks as pair, star, ring or mesh, 10 min to 8 h, {messages} messages in all, delays with exponential or
Pareto tails over least delays that differ by direction. What each run is like stands in `tools/sweep_runs.py`.

*Outside* counts runs in which any true time lies outside its stated bounds: where rates stay within the limit that the result states (between steps);
where they do not; where matches or stamps are wrong, in brackets those in which no suspect is named. *Inverted* messages, before and after, are
added up, without the logical clock unless a row says `--logical controlled`. Errors, ± and time are medians over runs; *best window* is the predecessor of this method with the best of four
windows, chosen with the truth at hand, and *worst against window* the largest quotient of the RMS errors of a run. Times are wall times of the estimation.

"""


def replaced(page, text):
    """The page with `text` in place of what stands between the marks, or at its end."""
    if BEGIN not in page:
        return f"{page}\n{BEGIN}{text}{END}"
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{text}{END}{after}"


def chosen_runs(only, seeds):
    """[(kind, seed)] of the kinds named, or all, and of the seeds FIRST-LAST."""
    names = [kind.name for kind in sweep_runs.KINDS]
    for name in only:
        if name not in names:
            raise SystemExit(f"--only: expected one of {', '.join(names)}, found {name}")
    first, last = 1, None
    if seeds:
        ends = [int(end) for end in seeds.split("-")]
        first, last = ends[0], ends[-1]
    return [(kind, seed) for kind in sweep_runs.KINDS if not only or kind.name in only
            for seed in range(first, (last or kind.runs) + 1)]


def run_all(options, runs):
    """The results in the order of `runs`; failures are printed as they come."""
    begun = time.monotonic()
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda run: measure(options, *run), runs):
            results.append(result)
            note_window(options.windows, result)
            print_failures(options, result)
            sys.stdout.flush()
            if sys.stderr.isatty():
                print(f"{len(results)} of {len(runs)}", end="\r", file=sys.stderr)
    print(f"{len(runs)} runs in {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return results


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = ROOT / "build" / "release"
    parser.add_argument("--program", type=pathlib.Path, default=build / "syncline")
    parser.add_argument("--generator", type=pathlib.Path, default=build / "clock_sweep")
    parser.add_argument("--group", help="a method other than the default")
    parser.add_argument("--only", action="append", default=[], metavar="KIND", help="may be repeated")
    parser.add_argument("--seeds", metavar="FIRST-LAST", help="instead of all of a kind")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=1)
    parser.add_argument("--timeout", type=float, default=120, metavar="S", help="for each run of the program")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep the traces of runs that fail")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="all figures of all runs")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE)
    parser.add_argument("--windows-with", type=pathlib.Path, metavar="OLD_PROGRAM",
                        help="a program that has --window: notes the best of four in --windows")
    parser.add_argument("--windows", type=pathlib.Path, default=WINDOWS, metavar="FILE",
                        help="what such a program found before")
    return parser.parse_args(arguments)


def known_windows(path):
    """By run, as `note_window` left them."""
    return json.loads(path.read_text()) if path.exists() else {}


def note_window(path, result):
    """At once, since finding the best window takes long."""
    if not result.get("window"):
        return
    known = known_windows(path) | {f"{result['kind']} {result['seed']}": result["window"]}
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in known.items())
    path.write_text(f"{{\n{lines}\n}}\n")


def main(arguments):
    options = parse(arguments)
    is_all = not options.only and not options.seeds
    if is_all and not options.page.exists():
        raise SystemExit(f"{options.page} is missing")
    results = run_all(options, chosen_runs(options.only, options.seeds))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    text = table(results, known_windows(options.windows))
    if not is_all:
        print(text)
        return
    introduction = INTRODUCTION.format(
        runs=len(results), messages=table_cells.count(sum(result["messages"] for result in results)))
    options.page.write_text(replaced(options.page.read_text(), introduction + text))


if __name__ == "__main__":
    main(sys.argv[1:])
