#!/usr/bin/env python3
"""Writes the tables of docs/methods/scale.md: what measuring the offsets of many clocks costs, by
strategy. What stands between their marks is replaced.

    scale_tables.py [PROGRAM]

PROGRAM is build/release/syncline if not given. Needs no data.
"""

import json
import pathlib
import subprocess
import sys

import table_cells

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "methods" / "scale.md"
BEGIN = "<!-- Written by tools/scale_tables.py: do not edit. -->\n"
END = "<!-- End of what it writes. -->\n"

NETWORK = ["--exchange-cost", "150us", "--least-delay", "30us", "--mean-excess", "20us",
           "--broadcast-cost", "75us", "--spread", "5us"]
# What stands above the table, and the arguments.
TABLES = [
    ("With the costs measured on one machine", []),
    ("With the same, and clocks of equal rate: what the exchanges alone are wrong by",
     ["--drift", "0"]),
    ("With the costs of a switched network, assumed", NETWORK),
]
HEADS = ["processes", "strategy", "rounds", "messages", "time", "RMS error", "largest error", "± worst"]


def rows(groups):
    last = None
    for group in groups:
        processes = group["processes"]
        yield [
            "" if processes == last else table_cells.count(processes),
            group["strategy"],
            table_cells.count(group["rounds"]),
            table_cells.count(group["messages"]),
            table_cells.duration(group["time_ns"]),
            table_cells.duration(group["rms_error_ns"]),
            table_cells.duration(group["largest_error_ns"]),
            table_cells.duration(group["worst_bound_ns"]),
        ]
        last = processes


def tables(program, more=()):
    text = []
    for title, arguments in TABLES:
        command = [str(program), "simulate", "scale", *arguments, *more]
        done = subprocess.run([*command, "--json", "-"], capture_output=True, text=True, check=True)
        groups = json.loads(done.stdout)["groups"]
        shown = " ".join(["syncline", *command[1:]])
        text.append(f"{title}: `{shown}`\n\n{table_cells.table(HEADS, rows(groups), left=2)}")
    return "\n".join(text)


def replaced(page, text):
    """The page with `text` in place of what stands between the marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE}: no marks to write between")
    return f"{before}{BEGIN}{text}{END}{after}"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    PAGE.write_text(replaced(
        PAGE.read_text(),
        tables(sys.argv[1] if len(sys.argv) == 2 else ROOT / "build/release/syncline"),
    ))
