#!/usr/bin/env python3
"""Checks that every test that docs/guarantees.md and docs/security.md name exists: `Suite.Name` of GoogleTest, or `tools.name` of ctest."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tests():
    found = set()
    for source in ROOT.glob("src/**/*_test.cc"):
        found |= {".".join(m) for m in re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", source.read_text(), re.M)}
    for lists in ROOT.glob("tools/**/CMakeLists.txt"):
        found |= {"tools." + name for name in re.findall(r"NAME tools\.(\w+)|syncline_script_test\((\w+)", lists.read_text())
                  for name in name if name}
    return found


def main():
    page = "".join((ROOT / "docs" / name).read_text() for name in ("guarantees.md", "security.md"))
    named = set(re.findall(r"`((?:[A-Z]\w+|tools)\.\w+)`", page))
    missing = sorted(named - tests())
    for name in missing:
        print(f"there is no test {name}")
    if not missing:
        print(f"the {len(named)} tests that the guarantees name exist")
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main())
