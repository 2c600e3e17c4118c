#!/usr/bin/env python3
"""Checks that a stage includes only base, model and the stages before it.

    check_includes.py [ROOT]      ROOT holds src/ and include/; default: this repository

Prints FILE:LINE and the broken rule, and exits with 1, for each quoted include that breaks one:
- a stage includes itself, stages before it in STAGES, and the public headers; nothing else;
- a public header includes only public headers;
- a format folder (read/X, write/X) includes no other format; write/X may include read/X;
- match, estimate, logical and measure include no format; their tests may include readers;
- a room of a stage includes only those before it in ROOMS; its tests may include all;
- quoted includes name a header in src/ or include/, from there or from the file's own folder.
Only cli, the last stage, may include everything.
"""

import re
import sys

import tree_check

# In data-flow order; stages of one row do not include one another.
STAGES = [
    ["base"],
    ["model"],
    ["read"],
    ["match"],
    ["estimate"],
    ["trace"],
    ["logical"],
    ["measure"],
    ["write"],
    ["report"],
    ["record"],
    ["simulate", "live"],
    ["pipeline"],
    ["distributed"],
    ["library"],
    ["cli"],
]
# Rooms of a stage, in order likewise; a stage that is not named has none, or they do as they please.
ROOMS = {
    "pipeline": [
        ["estimate"],
        ["summary"],
        ["correct"],
        ["page"],
        ["write"],
        ["compare", "concurrency", "convert", "filter"],
    ],
    "live": [["exchange"], ["character"]],
}
ROOM_RANK = {
    (stage, room): rank
    for stage, rows in ROOMS.items()
    for rank, row in enumerate(rows)
    for room in row
}
RANK = {stage: rank for rank, row in enumerate(STAGES) for stage in row}
FORMAT_STAGES = {"read", "write"}
FORMAT_FREE = {"match", "estimate", "logical", "measure"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def stage_and_format(path):
    """("read", "pcap") for read/pcap/reader.h; ("read", None) for read/packet_source.h."""
    stage = path.parts[0]
    deep = stage in FORMAT_STAGES and len(path.parts) > 2
    return stage, path.parts[1] if deep else None


def resolve(root, file, name):
    """The included header relative to src/, or None for a public one; raises LookupError."""
    src, include = root / "src", root / "include"
    if (include / name).is_file():
        return None
    for candidate in (src / name, file.parent / name):
        if candidate.is_file():
            found = candidate.resolve()
            if found.is_relative_to(include.resolve()):
                return None
            if found.is_relative_to(src.resolve()):
                return found.relative_to(src.resolve())
    raise LookupError(f'"{name}" is neither in src/ nor in include/ (system headers take <>)')


def broken_room(includer, included):
    """Why a file must not include one of another room of its stage, or None."""
    if len(includer.parts) < 3 or len(included.parts) < 3 or includer.stem.endswith("_test"):
        return None
    stage, own, other = includer.parts[0], includer.parts[1], included.parts[1]
    if stage != included.parts[0] or own == other or stage not in ROOMS:
        return None
    for room in (own, other):
        if (stage, room) not in ROOM_RANK:
            return f"{stage}/{room} is no room; add it to ROOMS in tools/check_includes.py"
    if ROOM_RANK[stage, other] >= ROOM_RANK[stage, own]:
        return f"{stage}/{own} comes before {other}, or beside it: it must not include it"
    return None


def broken_rule(includer, included):
    """Why a file of src/ must not include another one, or None."""
    stage, own_format = stage_and_format(includer)
    other, other_format = stage_and_format(included)
    if other not in RANK:
        return f"{other} is no stage; add it to STAGES in tools/check_includes.py"
    is_test = includer.stem.endswith("_test")
    if stage in FORMAT_FREE and other in FORMAT_STAGES and not (is_test and other == "read"):
        return f"{stage} knows no format: it must not include {other}/"
    if stage != other and RANK[other] >= RANK[stage]:
        return f"{stage} comes before {other}, or beside it: it must not include it"
    if stage in FORMAT_STAGES and other_format and other_format != own_format:
        return f"format folder {includer.parent} must not include format {other_format}"
    return broken_room(includer, included)


def check_line(root, file, name):
    try:
        included = resolve(root, file, name)
    except LookupError as error:
        return str(error)
    if included is None:
        return None
    if file.is_relative_to(root / "include"):
        return "a public header includes only public headers"
    includer = file.relative_to(root / "src")
    if includer.parts[0] not in RANK:
        return f"{includer.parts[0]} is no stage; add it to STAGES in tools/check_includes.py"
    return broken_rule(includer, included)


def check_tree(root):
    """All broken rules as "FILE:LINE: rule", and the number of files read."""
    problems, files = [], 0
    for folder in ("include", "src"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            files += 1
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                problem = check_line(root, file, match[1]) if match else None
                if problem:
                    problems.append(f"{file.relative_to(root)}:{number}: {problem}")
    return problems, files


if __name__ == "__main__":
    sys.exit(tree_check.run(
        check_tree, "{problems} includes break the order of the stages ({files} files)",
        "the includes of {files} files keep the order of the stages"))
