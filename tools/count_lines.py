#!/usr/bin/env python3
"""Counts the files and lines that are the product: C and C++ of src, include and plugins, without tests.

    count_lines.py [COMMIT]      default: the work tree's files that git knows

Prints a line for each stage and the sum. Tests, their helpers (testing/, *_test_util.*, test programs)
and test data do not count.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_PRODUCT = re.compile(r"_test[._]|_test_util|testing/|testprograms/|testdata/")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def main():
    commit = sys.argv[1] if len(sys.argv) > 1 else None
    listed = git("ls-tree", "-r", "--name-only", commit) if commit else git("ls-files")
    files, lines = collections.Counter(), collections.Counter()
    for name in listed.decode().splitlines():
        if not name.startswith(("src/", "include/", "plugins/")) or NO_PRODUCT.search(name):
            continue
        if not name.endswith((".cc", ".h", ".c")) or (not commit and not (ROOT / name).is_file()):
            continue
        stage = "/".join(name.split("/")[: 2 if name.startswith("src/") else 1])
        content = git("show", f"{commit}:{name}") if commit else (ROOT / name).read_bytes()
        files[stage] += 1
        lines[stage] += content.count(b"\n")
    for stage in sorted(files):
        print(f"{stage:16} {files[stage]:5} files {lines[stage]:7} lines")
    print(f"{'all':16} {sum(files.values()):5} files {sum(lines.values()):7} lines")


if __name__ == "__main__":
    main()
