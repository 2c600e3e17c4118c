#!/usr/bin/env python3
"""Checks that no sum, difference or product is made of what a LocalTime, GlobalTime or Duration holds.

    check_time_sums.py [ROOT]      ROOT holds src/ and include/; default: this repository

Inputs choose times, and int64_t sums of them overflow. Sums of these types saturate; where other numbers are
needed, one of the operands is made an Int128 or a double first (or SaturatedSum and the like do it). Prints
FILE:LINE for each `+`, `-` or `*` beside `.ns` or `.ticks` whose operands are not wide: no Int128, no double, nothing that the
file or its header declares as such. Tests are left out. It reads words, not types; sums of plain `x_ns` it does not see.
"""

import re
import sys

import tree_check

# Whose `ns` or `ticks` are of other types, which cannot overflow there.
EXEMPT = {
    "include/syncline/time.h": "has the sums",
    "src/read/chrome/decimal_time.cc": "a DecimalTime is below 2^61",
    "src/record/mpi/clock_line.cc": "ticks of a counter are unsigned",
}
WIDE = ("Int128", "UInt128", "double")
FIELD = re.compile(r"(?:\.|->)(?:ns|ticks)\b(?!\()")
DECLARED = re.compile(r"\b(?:U?Int128|double)\s+(\w+)")
IGNORED = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])\'')
BEFORE = re.compile(r"(\+\+|--|[-+*]=?)\s*$")
AFTER = re.compile(r"\s*(\+\+|--|[-+*]=?(?!>))")
OPENING, CLOSING = "([{", ")]}"


def blanked(text):
    """Without comments and literals, all else in its place."""
    return IGNORED.sub(lambda m: " " * len(m[0]), text)


def operand_start(text, end):
    """Where the postfix expression begins that ends before `end`: `f(a).b[i]` as a whole."""
    at = end
    while at > 0:
        if text[at - 1] in ")]":
            depth = 0
            while at > 0:
                at -= 1
                depth += (text[at] in CLOSING) - (text[at] in OPENING)
                if depth == 0:
                    break
        elif text[at - 1].isalnum() or text[at - 1] in "_.:":
            at -= 1
        elif text[at - 2:at] == "->":
            at -= 2
        else:
            break
    while text[at:at + 1] == "*":
        at += 1
    return at


def side(text, at, step):
    """The expression that ends before `at` (step -1) or begins there (1): up to a comma or end of its brackets."""
    depth, place = 0, at
    while 0 <= place + min(step, 0) < len(text):
        c = text[place - 1] if step < 0 else text[place]
        opens, closes = (CLOSING, OPENING) if step < 0 else (OPENING, CLOSING)
        depth += (c in opens) - (c in closes)
        if depth < 0 or (depth == 0 and c in ",;=?"):
            break
        place += step
    return text[min(at, place):max(at, place)]


def raw_sums(text, wide):
    """Where in the blanked text a field is summed raw."""
    is_wide = lambda part: any(word in wide for word in re.findall(r"\w+", part))
    for field in FIELD.finditer(text):
        start = operand_start(text, field.start())
        before, after = BEFORE.search(text, max(start - 40, 0), start), AFTER.match(text, field.end())
        # A star or sign that no value stands before works on what follows: a pointer, or a negation.
        has_left = before and re.search(r"[\w)\]]\s*$", text[:before.start()]) and not re.search(
            r"\b(return|const)\s*$", text[:before.start()])
        if before and not has_left and before[1] == "*":
            before = None
        if before and not is_wide(side(text, before.start(), -1)) or after and not (
                is_wide(side(text, start, -1)) or is_wide(side(text, after.end(), 1))):
            yield field.start()


def check_tree(root):
    """All raw sums as "FILE:LINE: text", and the number of files read."""
    problems, files = [], 0
    for folder in ("include", "src"):
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.suffix not in (".h", ".cc") or "_test" in file.stem or "/testing/" in name or name in EXEMPT:
                continue
            files += 1
            header = file.with_suffix(".h")
            source = file.read_text()
            text = blanked(source)
            declared = text + (blanked(header.read_text()) if header.is_file() else "")
            for place in raw_sums(text, {*WIDE, *DECLARED.findall(declared)}):
                line = source.count("\n", 0, place)
                problems.append(f"{name}:{line + 1}: {source.splitlines()[line].strip()}")
    return problems, files


if __name__ == "__main__":
    sys.exit(tree_check.run(
        check_tree, "{problems} raw sums of times ({files} files): let their types add them, or an Int128",
        "{files} files sum no times but by their types"))
