#!/usr/bin/env python3
"""Writes the tables of simulated groups into docs/methods/comparison.md. What stands between their
marks is replaced.

    simulated_tables.py [PROGRAM]

PROGRAM is build/release/syncline if not given. Needs no data; method_tables.py calls it too.
"""

import dataclasses
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import table_cells

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "methods" / "comparison.md"

LINEAR = ["*:offset=~1s+drift=~50ppm"]
SYMMETRIC = ["--delay", "50us:200us"]
ASYMMETRIC = ["--delay", "50us:200us", "--route", "0:400us"]
WRONG = [*ASYMMETRIC, "--wrong-matches", "0.001"]
MINUTE = ["--compute", "5ms:15ms", "--steps", "6000"]
LONGER = ["--compute", "10ms:30ms", "--steps", "3000"]
ASKING = ["--compute", "20ms:60ms", "--steps", "1500"]


@dataclasses.dataclass(frozen=True)
class Scenario:
    """What is simulated, how often, and which methods are compared on it."""

    name: str
    arguments: list
    clocks: list
    methods: str
    runs: int = 1


def mesh(clocks, delays, *more):
    return ["random", "--processes", str(clocks), *(MINUTE if clocks < 64 else LONGER), *delays, *more]


def sparse(clocks, neighbours, delays):
    return mesh(clocks, delays, "--neighbours", str(neighbours))


def star(clocks, delays):
    return ["client-server", "--processes", str(clocks), *ASKING, *delays]


def slewed(*which):
    """These clocks run 500 ppm faster for 5 s, one after the other."""
    return LINEAR + [f"{w}:drift=0,500ppm@{20 + 8 * i}s,0@{25 + 8 * i}s" for i, w in enumerate(which)]


FEW = "tree-error/widest,tree-error/bisector,tree-error/regression,joint,drift-bounded"
MANY = "tree-error/widest,tree-hops/widest,joint,drift-bounded"
BENT = "tree-error/widest,piecewise,joint,drift-bounded"
MATCHES = "tree-error/widest,tree-error/regression,tree-error/robust,joint,drift-bounded"

CONSTANT = "Clocks of constant rate"
# Title, what is special, scenarios.
SECTIONS = [
    (
        CONSTANT,
        "Clocks start up to 1 s apart and drift by up to 50 ppm. In the star of 256 the server is overloaded: requests wait for it.",
        [
            Scenario("2 clocks", mesh(2, SYMMETRIC), LINEAR, FEW, 20),
            Scenario("2 clocks, asymmetric", mesh(2, ASYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, ring", sparse(8, 2, SYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, ring, asymmetric", sparse(8, 2, ASYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, star", star(8, SYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, star, asymmetric", star(8, ASYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, mesh", mesh(8, SYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, mesh, asymmetric", mesh(8, ASYMMETRIC), LINEAR, FEW, 20),
            Scenario("8, 4 neighbours, asymmetric", sparse(8, 4, ASYMMETRIC), LINEAR, FEW, 20),
            Scenario("64, ring", sparse(64, 2, SYMMETRIC), LINEAR, MANY),
            Scenario("64, 8 neighbours, asymmetric", sparse(64, 8, ASYMMETRIC), LINEAR, MANY),
            Scenario("64, mesh, asymmetric", mesh(64, ASYMMETRIC), LINEAR, MANY),
            Scenario("256, star, asymmetric", star(256, ASYMMETRIC), LINEAR, MANY),
            Scenario("256, 8 neighbours, asymmetric", sparse(256, 8, ASYMMETRIC), LINEAR, MANY),
        ],
    ),
    (
        "Clocks that wander",
        "As above, and every second each clock's drift changes by up to 0.01 or 1 ppm. Where straight lines still fit all messages, trees and `joint` "
        "claim bounds that assume constant rates, and can miss the truth ([which.md](which.md#how-to-read-a-comparison)).",
        [
            Scenario(
                "8, mesh, 0.01 ppm", mesh(8, SYMMETRIC), LINEAR + ["*:walk=0.01ppm/1s"], BENT, 10
            ),
            Scenario("8, mesh, 1 ppm", mesh(8, SYMMETRIC), LINEAR + ["*:walk=1ppm/1s"], BENT, 10),
            Scenario("8, star, 1 ppm", star(8, SYMMETRIC), LINEAR + ["*:walk=1ppm/1s"], BENT, 10),
            Scenario(
                "64, 8 neighbours, asymmetric, 1 ppm",
                sparse(64, 8, ASYMMETRIC),
                LINEAR + ["*:walk=1ppm/1s"],
                BENT,
            ),
        ],
    ),
    (
        "Clocks that are slewed",
        "As above, and some clocks run 500 ppm faster for 5 s, one after the other: 2.5 ms. In the last group pairs have few messages.",
        [
            Scenario("2 clocks, 1 slewed", mesh(2, SYMMETRIC), slewed(1), BENT, 5),
            Scenario("8, mesh, 1 slewed", mesh(8, SYMMETRIC), slewed(1), BENT, 5),
            Scenario("8, mesh, asymmetric, 3 slewed", mesh(8, ASYMMETRIC), slewed(1, 2, 3), BENT, 5),
            Scenario("8, star, 3 slewed", star(8, SYMMETRIC), slewed(1, 2, 3), BENT, 5),
            Scenario(
                "64, 8 neighbours, asymmetric, 3 slewed",
                sparse(64, 8, ASYMMETRIC),
                slewed(1, 2, 3),
                BENT,
            ),
        ],
    ),
    (
        "Wrong matches",
        "One message in a thousand is received by another one's number; delays are asymmetric. Half of these messages are "
        "received before they were sent, and stay so.",
        [
            Scenario("2 clocks", mesh(2, WRONG), LINEAR, MATCHES, 5),
            Scenario("8, star", star(8, WRONG), LINEAR, MATCHES, 5),
            Scenario("8, mesh", mesh(8, WRONG), LINEAR, MATCHES, 5),
            Scenario("64, 8 neighbours", sparse(64, 8, WRONG), LINEAR, "tree-error/widest,joint,drift-bounded"),
            Scenario("8, mesh, 1 slewed", mesh(8, WRONG), slewed(1), MATCHES, 5),
        ],
    ),
]


def run(program, *arguments):
    """Standard output as JSON; findings of the program (exit code 3) are no error."""
    command = list(map(str, [program, *arguments]))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else None


def simulate(program, folder, arguments, clocks, seed):
    options = [option for clock in clocks for option in ("--clock", clock)]
    run(program, "simulate", *arguments, *options, "--detail", "messages", "--seed", seed,
        "--quiet", "--force", "-o", folder)
    return folder / "trace.txt", folder / "truth.json"


def compare(program, scenario, folder):
    """The comparisons of a scenario's runs."""
    found = []
    for seed in range(1, scenario.runs + 1):
        trace, truth = simulate(program, folder, scenario.arguments, scenario.clocks, seed)
        found.append(run(program, "compare", "--quiet", "--json", "-", "--methods",
                         scenario.methods, "--truth", truth, trace))
    return found


def greatest(values):
    known = [value for value in values if value is not None]
    return max(known) if known else None


def of_all_runs(methods):
    """One method's figures over several runs: counts add up, errors and bounds are the worst, RMS
    is over all, times are the least."""
    found = [method for method in methods if method["failure"] is None]
    if not found:
        return None
    truths = [method["truth"] for method in found]
    events = sum(truth["events"] for truth in truths)
    squares = sum(truth["events"] * truth["rms_error_ns"] ** 2 for truth in truths)
    return {
        "inverted": sum(method["inverted"] for method in found),
        "half_width_ns": greatest(method["half_width_ns"] for method in found),
        "worst_ns": greatest(method["bound_ns"]["worst"] for method in found),
        "rms_error_ns": math.sqrt(squares / events),
        "max_error_ns": max(truth["max_error_ns"] for truth in truths),
        "outside": sum(truth["outside_bound"] for truth in truths),
        "estimate_s": min(method["estimate_s"] for method in found),
        "accurate": sum(method["accurate_clocks"] for method in found),
        "corrected": sum(method["corrected_clocks"] for method in found),
    }


HEADS = [
    "clocks", "method", "inverted", "RMS error", "largest error", "± worst", "half width",
    "outside ±", "accurate", "time",
]


def rows(scenario, comparisons):
    messages = sum(c["messages"]["total"] for c in comparisons)
    first = scenario.name
    if scenario.runs > 1:
        first += f" ({scenario.runs} runs)"
    for number, runs in enumerate(zip(*(c["methods"] for c in comparisons))):
        figures = of_all_runs(runs)
        name = f"`{runs[0]['name']}`"
        lead = [f"{first}, {table_cells.count(messages)} messages" if number == 0 else "", name]
        if figures is None:
            yield [*lead, *["–"] * (len(HEADS) - 2)]
            continue
        yield [
            *lead,
            table_cells.count(figures["inverted"]),
            table_cells.duration(figures["rms_error_ns"]),
            table_cells.duration(figures["max_error_ns"]),
            table_cells.duration(figures["worst_ns"]),
            table_cells.duration(figures["half_width_ns"]),
            table_cells.count(figures["outside"]),
            f"{figures['accurate']} of {figures['corrected']}",
            table_cells.duration(figures["estimate_s"] * 1e9),
        ]


INTRODUCTION = """\
## Simulated groups

What `syncline simulate` makes and `syncline compare` says of it. Messages take 50 to 200 µs, and receivers let some wait; where ways are
asymmetric each way between two clocks takes up to 400 µs more. In rings and meshes random pairs meet, in stars clients ask a server; runs last about a
minute. Of several runs inverted messages and events outside ± are added up, errors and bounds are the worst, the RMS error is over all, the
time is the least. *Half width* is half of the widest interval that the bounds leave a clock at an end of its trace; where in it a method
puts the clock decides the ±. *Accurate* counts clocks whose bounds are claimed to hold. Times are wall times.

For clocks of constant rate no true time of any of these runs is outside its bounds.
"""


def check_constant(scenario, comparison):
    """What the introduction says of clocks of constant rate."""
    for method in comparison["methods"]:
        if method["truth"]["outside_bound"] > 0:
            raise SystemExit(f"{scenario.name}: {method}")


def simulated_page(program, folder, sections=None):
    text = [INTRODUCTION]
    for title, about, scenarios in SECTIONS if sections is None else sections:
        compared = [(s, compare(program, s, folder)) for s in scenarios]
        for scenario, comparisons in compared if title == CONSTANT else []:
            for comparison in comparisons:
                check_constant(scenario, comparison)
        text.append(f"### {title}\n\n{about}\n")
        found = (rows(s, comparisons) for s, comparisons in compared)
        text.append(table_cells.table(HEADS, itertools.chain(*found), left=2))
    return "\n".join(text)


BEGIN = "<!-- Written by tools/simulated_tables.py: do not edit. -->\n"
END = "<!-- End of what it writes. -->\n"


def replaced(page, text):
    """The page with `text` in place of what stands between the marks, or at its end."""
    if BEGIN not in page:
        return f"{page}\n{BEGIN}{text}{END}"
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{text}{END}{after}"


def write(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = simulated_page(program, folder)
    PAGE.write_text(replaced(PAGE.read_text(), text))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    write(pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else ROOT / "build/release/syncline")
