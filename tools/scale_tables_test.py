"""Tests of scale_tables.py: how figures become rows, and what is replaced in the page."""

import unittest

import scale_tables


def group(processes, strategy, bound):
    return {
        "processes": processes, "strategy": strategy, "rounds": 1, "messages": 1000,
        "time_ns": 2500, "rms_error_ns": 10, "largest_error_ns": 20, "worst_bound_ns": bound,
    }


class ScaleTables(unittest.TestCase):
    def test_a_size_is_told_once_and_no_bound_is_open(self):
        rows = list(scale_tables.rows(
            [group(1000, "root", 30), group(1000, "broadcast", None), group(2000, "root", 30)]
        ))
        self.assertEqual(
            rows[0], ["1 000", "root", "1", "1 000", "2.5 µs", "10 ns", "20 ns", "30 ns"]
        )
        self.assertEqual((rows[1][0], rows[1][-1]), ("", "open"))
        self.assertEqual(rows[2][0], "2 000")

    def test_only_what_stands_between_the_marks_is_replaced(self):
        page = f"before\n{scale_tables.BEGIN}old\n{scale_tables.END}after\n"
        self.assertEqual(
            scale_tables.replaced(page, "new\n"),
            f"before\n{scale_tables.BEGIN}new\n{scale_tables.END}after\n",
        )
        with self.assertRaises(SystemExit):
            scale_tables.replaced("no marks", "new\n")


if __name__ == "__main__":
    unittest.main()
