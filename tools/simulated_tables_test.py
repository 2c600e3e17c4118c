"""Tests of simulated_tables.py: how figures of several runs become one, what is replaced in a page, and
a small table from the program itself, which SYNCLINE_PROGRAM names."""

import os
import pathlib
import tempfile
import unittest

import simulated_tables as tables


def method(inverted, rms, events, worst, half_width=None, outside=0):
    return {
        "name": "joint",
        "failure": None,
        "inverted": inverted,
        "bound_ns": {"mean": worst, "worst": worst},
        "half_width_ns": half_width,
        "truth": {
            "rms_error_ns": rms, "max_error_ns": 2 * rms, "events": events,
            "outside_bound": outside,
        },
        "estimate_s": 0.002,
        "accurate_clocks": 3,
        "corrected_clocks": 4,
    }


class Runs(unittest.TestCase):
    def test_counts_add_up_errors_are_over_all_events_and_bounds_the_worst(self):
        figures = tables.of_all_runs(
            [method(1, 30, 100, 500, 400, 2), {"failure": "none"}, method(2, 10, 300, None, None, 1)]
        )
        self.assertEqual((figures["inverted"], figures["outside"]), (1 + 2, 2 + 1))
        self.assertAlmostEqual(figures["rms_error_ns"] ** 2, (100 * 30**2 + 300 * 10**2) / 400)
        self.assertEqual((figures["worst_ns"], figures["half_width_ns"]), (500, 400))
        self.assertEqual((figures["accurate"], figures["corrected"]), (6, 8))
        self.assertIsNone(tables.of_all_runs([{"failure": "none"}]))

    def test_what_is_said_of_constant_rates_is_checked(self):
        scenario = tables.Scenario("two", [], [], "joint", 1)
        right = {**method(0, 30, 100, 500, 400), "group": "joint", "method": "widest"}
        tables.check_constant(scenario, {"methods": [right]})
        with self.assertRaises(SystemExit):
            tables.check_constant(scenario, {"methods": [right, {**right, "truth": {"outside_bound": 1}}]})

    def test_only_what_stands_between_the_marks_is_replaced(self):
        page = tables.replaced("before\n", "old\n")
        self.assertEqual(page, f"before\n\n{tables.BEGIN}old\n{tables.END}")
        self.assertEqual(
            tables.replaced(page + "after\n", "new\n"),
            f"before\n\n{tables.BEGIN}new\n{tables.END}after\n",
        )


PROGRAM = os.environ.get("SYNCLINE_PROGRAM", "")


@unittest.skipUnless(os.path.exists(PROGRAM), "SYNCLINE_PROGRAM names no program")
class Program(unittest.TestCase):
    def cells(self, text):
        lines = [line for line in text.splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def small(self, name, arguments, clocks, methods, runs):
        short = ["random", "--processes", "4", "--steps", "300", *arguments]
        return tables.Scenario(name, short, clocks, methods, runs)

    def test_bounds_hold_on_straight_clocks(self):
        methods = "tree-error/widest,tree-hops/widest,joint"
        scenarios = [
            self.small("ring", ["--neighbours", "2"], tables.LINEAR, methods, 3),
            self.small("asymmetric", tables.ASYMMETRIC, tables.LINEAR, methods, 3),
        ]
        with tempfile.TemporaryDirectory() as name:
            text = tables.simulated_page(PROGRAM, pathlib.Path(name), [("Title", "About", scenarios)])
        rows = self.cells(text)[2:]
        self.assertEqual(len(rows), 2 * 3)
        self.assertEqual(rows[0][0], "ring (3 runs), 1 800 messages")
        outside = tables.HEADS.index("outside ±")
        for row in rows:
            self.assertEqual(len(row), len(tables.HEADS))
            self.assertEqual(row[outside], "0")
            self.assertEqual(row[tables.HEADS.index("accurate")], "9 of 9")
        self.assertEqual(rows[2][tables.HEADS.index("inverted")], "0")


if __name__ == "__main__":
    unittest.main()
