#!/usr/bin/env python3
"""Validates summaries against docs/summary.schema.json, comparisons against compare.schema.json,
concurrency measures against concurrency.schema.json.

    check_summary.py FILE...      - is standard input

Stricter than the schema language in one point: an integer must be written as one (1.0 is none).
Prints every violation with the path of its key, and exits with 1 when there is one.
"""

import json
import pathlib
import sys

import jsonschema

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
SCHEMA = DOCS / "summary.schema.json"
COMPARISON_SCHEMA = DOCS / "compare.schema.json"
CONCURRENCY_SCHEMA = DOCS / "concurrency.schema.json"


def is_integer(_, value):
    return isinstance(value, int) and not isinstance(value, bool)


def schema_of(summary):
    if "computation" in summary:
        return CONCURRENCY_SCHEMA
    return COMPARISON_SCHEMA if "methods" in summary else SCHEMA


def make_validator(path):
    schema = json.loads(path.read_text())
    base = jsonschema.Draft7Validator
    base.check_schema(schema)
    strict = jsonschema.validators.extend(
        base, type_checker=base.TYPE_CHECKER.redefine("integer", is_integer)
    )
    return strict(schema)


def violations(summary):
    """Every violation as "key.path: what is wrong"."""
    return [
        f"{'.'.join(map(str, error.absolute_path)) or 'summary'}: {error.message}"
        for error in make_validator(schema_of(summary)).iter_errors(summary)
    ]


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    failed = False
    for name in sys.argv[1:]:
        text = sys.stdin.read() if name == "-" else pathlib.Path(name).read_text()
        for violation in violations(json.loads(text)):
            print(f"{name}: {violation}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
