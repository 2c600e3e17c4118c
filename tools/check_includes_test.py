"""Tests of check_includes.py on small trees: each include is allowed, or breaks a named rule."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_includes

HEADERS = [
    "include/syncline/time.h",
    "src/base/file.h",
    "src/model/interval.h",
    "src/read/packet_source.h",
    "src/read/pcap/reader.h",
    "src/read/text/reader.h",
    "src/match/matcher.h",
    "src/estimate/hull.h",
    "src/write/pcap/writer.h",
    "src/write/text/writer.h",
    "src/report/json.h",
    "src/simulate/grid.h",
    "src/live/probe.h",
    "src/pipeline/estimate/solve.h",
    "src/pipeline/correct/correct.h",
    "src/pipeline/other/other.h",
]

ALLOWED = [
    ("src/base/a.cc", "syncline/time.h"),
    ("src/model/a.cc", "base/file.h"),
    ("src/read/pcap/a.cc", "read/pcap/reader.h"),
    ("src/read/pcap/a.cc", "reader.h"),
    ("src/read/pcap/a.cc", "read/packet_source.h"),
    ("src/estimate/a.cc", "match/matcher.h"),
    ("src/match/a_test.cc", "read/pcap/reader.h"),
    ("src/write/pcap/a.cc", "read/pcap/reader.h"),
    ("src/simulate/a.cc", "write/text/writer.h"),
    ("src/cli/a.cc", "read/text/reader.h"),
    ("src/cli/a.cc", "live/probe.h"),
    ("src/pipeline/correct/a.cc", "pipeline/estimate/solve.h"),
    ("src/pipeline/estimate/a_test.cc", "pipeline/correct/correct.h"),
    ("include/syncline/a.h", "syncline/time.h"),
]

BROKEN = [
    ("src/base/a.cc", "model/interval.h", "base comes before model"),
    ("src/match/a.cc", "estimate/hull.h", "match comes before estimate"),
    ("src/match/a.cc", "read/pcap/reader.h", "match knows no format"),
    ("src/match/a.cc", "read/packet_source.h", "match knows no format"),
    ("src/match/a_test.cc", "write/pcap/writer.h", "match knows no format"),
    ("src/estimate/a_test.cc", "report/json.h", "estimate comes before report"),
    ("src/read/pcap/a.cc", "read/text/reader.h", "must not include format text"),
    ("src/read/pcap/a.cc", "../text/reader.h", "must not include format text"),
    ("src/read/a.cc", "read/text/reader.h", "must not include format text"),
    ("src/read/pcap/a.cc", "write/pcap/writer.h", "read comes before write"),
    ("src/write/text/a.cc", "read/pcap/reader.h", "must not include format pcap"),
    ("src/live/a.cc", "simulate/grid.h", "or beside it"),
    ("src/other/a.cc", "base/file.h", "other is no stage"),
    ("src/pipeline/estimate/a.cc", "pipeline/correct/correct.h", "estimate comes before correct"),
    ("src/pipeline/estimate/a.cc", "pipeline/other/other.h", "other is no room"),
    ("src/base/a.cc", "stdio.h", "neither in src/ nor in include/"),
    ("include/syncline/a.h", "base/file.h", "only public headers"),
]


def problems_of(file, include):
    """What the checker says of a tree where `file` includes `include` on its second line."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for header in HEADERS:
            (root / header).parent.mkdir(parents=True, exist_ok=True)
            (root / header).write_text("#pragma once\n#include <vector>\n")
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(f'// A comment.\n  # include "{include}"\n')
        return check_includes.check_tree(root)[0]


class CheckIncludes(unittest.TestCase):
    def test_allowed_includes_pass(self):
        for file, include in ALLOWED:
            with self.subTest(file=file, include=include):
                self.assertEqual(problems_of(file, include), [])

    def test_broken_rules_are_named_with_file_and_line(self):
        for file, include, rule in BROKEN:
            with self.subTest(file=file, include=include):
                problems = problems_of(file, include)
                self.assertEqual(len(problems), 1, problems)
                self.assertTrue(problems[0].startswith(f"{file}:2: "), problems[0])
                self.assertIn(rule, problems[0])

    def test_program_fails_on_a_bad_tree_and_on_an_empty_one(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            program = [sys.executable, check_includes.__file__, folder]
            self.assertEqual(subprocess.run(program, capture_output=True).returncode, 1)
            (root / "src/base").mkdir(parents=True)
            (root / "src/base/a.cc").write_text('#include "cli/missing.h"\n')
            result = subprocess.run(program, capture_output=True, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertIn("src/base/a.cc:1: ", result.stdout)


if __name__ == "__main__":
    unittest.main()
