#!/usr/bin/env python3
"""Writes docs/methods/comparison.md and the figures of the methods' pages, from recordings with
known truth, and the tables of simulated groups (simulated_tables.py, which can also run alone).

    method_tables.py DATA [PROGRAM]

DATA is the folder of large test data (SYNCLINE_DATA), PROGRAM build/release/syncline if not given.
The methods are those that the program lists; nothing here names them. Figures of methods that no
longer exist are removed.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap

import simulated_tables
from table_cells import count, duration, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "methods" / "comparison.md"
FIGURES = ROOT / "docs" / "methods" / "figures"

HOSTS = ["a.pcap", "b.pcap", "c.pcap", "d.pcap"]
# Title, folder, inputs, truth, what they are.
RECORDINGS = {
    "linear": (
        "Four hosts, clocks of constant rate",
        "captures/linear",
        HOSTS,
        "truth.json",
        "Captures of 62 s on hosts a, b and c and on a sender d of broadcasts, which receives next "
        "to nothing. Delays are asymmetric: at least 435 µs from a to b and 714 µs back, 1222 and "
        "815 µs between a and c, 336 and 933 µs between b and c; with 120 µs of jitter and rare "
        "spikes of 8 ms. Rates are up to 47 ppm apart.",
    ),
    "slew": (
        "The same, and one clock is slewed",
        "captures/slew",
        HOSTS,
        "truth.json",
        "Clock b runs 500 ppm fast for 5 s in the middle, as when a daemon corrects it: 2.5 ms.",
    ),
    "halo": (
        "Four MPI ranks",
        "otf2",
        ["halo/eztrace_log.otf2"],
        "halo_truth.json",
        "A halo exchange traced by eztrace: least true delay 1.1 µs, rates up to "
        "190 ppm apart. The truth is known to ± 175 ns.",
    ),
}


def compare(program, data, recording, plots, *options):
    """The comparison of one recording; its charts go to the folder `plots`."""
    _, folder, inputs, truth, _ = RECORDINGS[recording]
    command = [program, "compare", "--quiet", "--json", "-", "--plots", plots, "--force"]
    command += ["--truth", data / folder / truth, *options]
    command += [data / folder / name for name in inputs]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(map(str, command))}: {run.stderr}")
    return json.loads(run.stdout)


def with_least_times(comparison, again):
    """Other programs make times longer, never shorter: of each method the least of all runs."""
    for method in comparison["methods"]:
        runs = [other for c in again for other in c["methods"] if other["name"] == method["name"]]
        method["estimate_s"] = min(run["estimate_s"] for run in [method, *runs])
    return comparison


def assumption(method):
    """What the ± rests on, and whether messages contradict it."""
    rates = "constant" if method["assumes_constant_rates"] else "limited"
    return f"{rates} rates{'' if method['contradiction'] is None else ': contradicted'}"


def size(memory):
    if memory is None:
        return "–"
    return f"{memory / 2**20:.1f} MiB" if memory >= 2**20 else f"{memory / 2**10:.0f} KiB"


def row(method):
    if method["failure"] is not None:
        return [f"`{method['name']}`", *["–"] * 9, "no correction", "–"]
    bound, truth = method["bound_ns"], method["truth"]
    memory = method["memory_bytes"]
    return [
        f"`{method['name']}`",
        count(method["inverted"]),
        duration(bound["mean"]),
        duration(bound["worst"]),
        duration(method["residual_ns"]),
        duration(truth["max_error_ns"]),
        duration(truth["rms_error_ns"]),
        count(truth["outside_bound"]),
        duration(method["estimate_s"] * 1e9),
        size(memory),
        f"{method['accurate_clocks']} of {method['corrected_clocks']}",
        assumption(method),
    ]


HEADS = [
    "method", "inverted", "± mean", "± worst", "residual", "largest error", "RMS error",
    "outside ±", "time", "memory", "accurate", "± assumes",
]


def reasons(comparison):
    """Why methods are not sure of a clock or found nothing, each with the methods it holds for."""
    found = {}
    for method in comparison["methods"]:
        name = f"`{method['name']}`"
        if method["failure"] is not None:
            found.setdefault(method["failure"], []).append(name)
            continue
        for clock in method["clocks"]:
            if clock["quality"] != "accurate" and clock["name"] != clock["reference"]:
                text = f"clock {clock['name']} is {clock['quality']}: {clock['reason']}"
                found.setdefault(text, []).append(name)
        for finding in method["findings"]:
            text = f"{finding['name']}, {finding['example']}"
            found.setdefault(text, []).append(name)
    everyone = len(comparison["methods"])
    return "".join(
        f"- {'all methods' if len(names) == everyone else ', '.join(names)}: {text}\n"
        for text, names in found.items()
    )


def clock_errors(comparison):
    """RMS errors clock by clock."""
    clocks = [
        clock["name"]
        for clock in next(m for m in comparison["methods"] if m["failure"] is None)["clocks"]
        if clock["name"] != clock["reference"]
    ]
    rows = []
    for method in comparison["methods"]:
        if method["failure"] is not None:
            continue
        errors = {c["name"]: c["truth"]["rms_error_ns"] for c in method["clocks"] if "truth" in c}
        rows.append(
            [f"`{method['name']}`", *(duration(errors[c]) if c in errors else "–" for c in clocks)]
        )
    return table(["RMS error of clock", *clocks], rows)


def section(recording, comparison):
    title, _, _, _, about = RECORDINGS[recording]
    messages = comparison["messages"]
    about += f" {count(messages['total'])} messages, {count(messages['inverted_before'])} of them "
    about += f"inverted as recorded. Relative to {comparison['reference']}."
    text = f"## {title}\n\n{textwrap.fill(about, 120)}\n\n"
    text += table(HEADS, map(row, comparison["methods"]))
    notes = reasons(comparison)
    return text + (f"\n{notes}" if notes else "") + f"\n{clock_errors(comparison)}"


def worst_clock(method, baseline):
    """The clock on which two methods differ most, by true error."""
    def difference(pair):
        return abs(pair[0]["truth"]["rms_error_ns"] - pair[1]["truth"]["rms_error_ns"])

    pairs = [
        pair
        for pair in zip(method["clocks"], baseline["clocks"])
        if pair[0]["name"] != pair[0]["reference"] and all("truth" in clock for clock in pair)
    ]
    return max(pairs, key=difference)[0]["name"]


def telling_recording(comparisons, index):
    """Where the method's RMS error is best against the first method's; if nowhere by a fifth,
    where the two differ most."""
    gains = {}
    for recording, comparison in comparisons.items():
        errors = [
            method["truth"]["rms_error_ns"]
            for method in (comparison["methods"][0], comparison["methods"][index])
            if method["failure"] is None
        ]
        if len(errors) == 2 and min(errors) > 0:
            gains[recording] = errors[0] / errors[1]
    best = max(gains, key=gains.get)
    if gains[best] > 1.2:
        return best
    return max(gains, key=lambda recording: max(gains[recording], 1 / gains[recording]))


def draw_method(program, data, comparisons, index, scratch):
    """One figure beside the first method: of the line of a pair where the method has one of its
    own, else of the error over time."""
    first, method = (comparisons["linear"]["methods"][i] for i in (0, index))
    if all(comparison["methods"][index]["failure"] for comparison in comparisons.values()):
        return
    if method["method"] is not None and (index == 0 or method["method"] != first["method"]):
        recording, chart = "linear", "corridor-a-d"
    else:
        recording = telling_recording(comparisons, index)
        methods = comparisons[recording]["methods"]
        chart = f"error-{worst_clock(methods[index], methods[0])}".replace("#", "_")
    folder = scratch / f"method-{index}"
    compare(program, data, recording, folder, "--methods", f"{first['name']},{method['name']}")
    shutil.copy(folder / f"{chart}.svg", FIGURES / f"{method['name'].replace('/', '-')}.svg")


def draw_chosen(program, data, scratch):
    for name, (recording, methods, chart) in CHOSEN.items():
        folder = scratch / pathlib.Path(name).stem
        compare(program, data, recording, folder, "--methods", methods)
        shutil.copy(folder / chart, FIGURES / name)


# Of all methods together.
SHARED = {
    "corridor.svg": ("linear", "corridor-a-b.svg"),
    "corridor-slew.svg": ("slew", "corridor-a-b.svg"),
    "bounds.svg": ("linear", "bounds-a.svg"),
    "error.svg": ("linear", "error-c.svg"),
    "error-slew.svg": ("slew", "error-b.svg"),
}

# Of some methods, where all of them would hide these.
CHOSEN = {
    "drift-bounded-tube.svg": ("slew", "joint,drift-bounded", "bounds-b.svg"),
    "drift-bounded-guess.svg": ("slew", "drift-bounded", "bounds-b.svg"),
}

INTRODUCTION = """\
<!-- Written by tools/method_tables.py: do not edit. -->
# All methods on the same recordings

What `syncline compare` says of every method on three recordings whose true clocks are known, and on [simulated groups](#simulated-groups). What the columns mean:
[compare.md](../compare.md); which method to take: [which.md](which.md). Times and memory are from the messages' hulls to the corrections, times the
least of five runs; everything else is the same in every run. A bound is a ±, an error what it really was. What a ± rests on stands beside: compare it with
those [that assume the same](../compare.md#what-can-be-compared).

"""

CHARTS = """\
## Charts

Corridor of a and b, clocks of constant rate:

![Corridor of a and b](figures/corridor.svg)

Bounds of a over time, and what broadcasts say:

![Bounds of a over time](figures/bounds.svg)

Errors of c over time:

![Errors of c over time](figures/error.svg)

Corridor of a and b where b was slewed: the hulls intersect.

![Corridor of a and b with a slew](figures/corridor-slew.svg)

Errors of b over time where it was slewed:

![Errors of b with a slew](figures/error-slew.svg)
"""


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    data = pathlib.Path(sys.argv[1])
    program = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "build/release/syncline"
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        comparisons = {name: compare(program, data, name, scratch / name) for name in RECORDINGS}
        for name, comparison in comparisons.items():
            again = [compare(program, data, name, scratch / name) for _ in range(4)]
            with_least_times(comparison, again)
        shutil.rmtree(FIGURES, ignore_errors=True)
        FIGURES.mkdir()
        for name, (recording, chart) in SHARED.items():
            shutil.copy(scratch / recording / chart, FIGURES / name)
        draw_chosen(program, data, scratch)
        for index in range(len(comparisons["linear"]["methods"])):
            draw_method(program, data, comparisons, index, scratch)
    sections = [section(name, comparison) for name, comparison in comparisons.items()]
    PAGE.write_text(INTRODUCTION + "\n".join(sections) + "\n" + CHARTS)
    simulated_tables.write(program)


if __name__ == "__main__":
    main()
