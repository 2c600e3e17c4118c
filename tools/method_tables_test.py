"""Tests of method_tables.py: how figures are printed, and which recording a figure is drawn of."""

import unittest

import method_tables
import table_cells


def found(name, rms, clocks=()):
    return {
        "name": name,
        "method": None,
        "failure": None,
        "inverted": 1650,
        "bound_ns": {"mean": 880_000, "worst": None},
        "residual_ns": 1.29e6,
        "truth": {"max_error_ns": 1_390_000, "rms_error_ns": rms, "outside_bound": 0},
        "estimate_s": 0.0004,
        "memory_bytes": 65536,
        "accurate_clocks": 2,
        "corrected_clocks": 3,
        "assumes_constant_rates": True,
        "contradiction": None,
        "findings": [],
        "clocks": list(clocks),
    }


def failed(name):
    return {"name": name, "failure": "no broadcasts"}


def comparison(*errors):
    return {
        "methods": [failed(str(i)) if e is None else found(str(i), e) for i, e in enumerate(errors)]
    }


class Figures(unittest.TestCase):
    def test_durations_have_three_digits_and_the_unit_that_fits(self):
        for ns, text in [
            (None, "open"),
            (47, "47 ns"),
            (1176, "1.18 µs"),
            (188_000, "188 µs"),
            (1_350_000, "1.35 ms"),
            (2.5e9, "2.5 s"),
            (4500e9, "4500 s"),
        ]:
            self.assertEqual(table_cells.duration(ns), text)

    def test_row_has_a_cell_for_every_head(self):
        for method in (found("joint", 35_800), failed("broadcast")):
            self.assertEqual(len(method_tables.row(method)), len(method_tables.HEADS))

    def test_assumption_says_whether_it_is_contradicted(self):
        method = found("joint", 1)
        self.assertEqual(method_tables.row(method)[-1], "constant rates")
        method.update(assumes_constant_rates=False, contradiction="nothing explains them")
        self.assertEqual(method_tables.row(method)[-1], "limited rates: contradicted")

    def test_times_are_the_least_of_all_runs(self):
        runs = [comparison(1, None) for _ in range(3)]
        for run, seconds in zip(runs, (0.3, 0.1, 0.2)):
            for method in run["methods"]:
                method["estimate_s"] = seconds
        least = method_tables.with_least_times(runs[0], runs[1:])
        self.assertEqual([method["estimate_s"] for method in least["methods"]], [0.1, 0.1])

    def test_reasons_name_the_methods_they_hold_for(self):
        clock = {"name": "b", "reference": "c", "quality": "approximate", "reason": "no line"}
        methods = [found("joint", 1, [clock]), found("tree", 1, [clock]), failed("broadcast")]
        self.assertEqual(
            method_tables.reasons({"methods": methods}),
            "- `joint`, `tree`: clock b is approximate: no line\n- `broadcast`: no broadcasts\n",
        )

    def test_figure_shows_where_a_method_gains_else_where_it_differs(self):
        for linear, slew, halo, recording in [
            ((188, 36), (380, 380), (742, 315), "linear"),
            ((188, 188), (380, 40), (742, 742), "slew"),
            ((188, 188), (380, 380), (742, 938), "halo"),
            ((188, 400), (380, 370), (742, None), "linear"),
        ]:
            recordings = {"linear": linear, "slew": slew, "halo": halo}
            comparisons = {name: comparison(*errors) for name, errors in recordings.items()}
            self.assertEqual(method_tables.telling_recording(comparisons, 1), recording)


if __name__ == "__main__":
    unittest.main()
