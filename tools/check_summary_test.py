"""Tests of check_summary.py: the documented example is valid, and each defect of it is found."""

import copy
import json
import re
import unittest

import check_summary



def example_of(page):
    text = (check_summary.DOCS / page).read_text()
    return json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])


EXAMPLE = example_of("summary.md")
COMPARISON = example_of("compare.md")


def changed(path, value, example=EXAMPLE):
    """The example with `value` at `path`."""
    summary = copy.deepcopy(example)
    *parents, last = path
    place = summary
    for key in parents:
        place = place[key]
    place[last] = value
    return summary


def without(*path):
    """The example without the key at `path`."""
    summary = copy.deepcopy(EXAMPLE)
    *parents, last = path
    place = summary
    for key in parents:
        place = place[key]
    del place[last]
    return summary


class CheckSummary(unittest.TestCase):
    def test_example_is_valid(self):
        self.assertEqual(check_summary.violations(EXAMPLE), [])

    def test_open_bounds_and_new_keys_are_valid(self):
        for path, value in [
            (["clocks", 1, "bound_ns", "worst"], None),
            (["pairs", 0, "corridor", "slope_max"], None),
            (["pairs", 0, "inverted_ab_before"], 3),
            (["clocks", 1, "offset_ns"], -(2**62)),
            (["clocks", 1, "logical"], None),
        ]:
            with self.subTest(path=path):
                self.assertEqual(check_summary.violations(changed(path, value)), [])

    def test_summary_of_convert_is_valid(self):
        summary = changed(["command"], "syncline convert a.pcap b.pcap --to csv -o x.csv")
        del summary["intervals"]
        self.assertEqual(check_summary.violations(summary), [])

    def test_summary_without_results_is_valid(self):
        summary = without("messages", "inverted_after")
        for path in [("messages", "too_fast_after"), ("intervals",), ("truth",), ("timing",)]:
            *parents, last = path
            del (summary[parents[0]] if parents else summary)[last]
        self.assertEqual(check_summary.violations(summary), [])

    def test_wrong_values_are_found(self):
        for path, value in [
            (["clocks", 1, "quality"], "good"),
            (["clocks", 1, "offset_ns"], 1701225000.0),
            (["clocks", 1, "bound_ns", "best"], -1),
            (["clocks", 1, "correction", 0, "local"], "1795263391700175000"),
            (["messages", "total"], True),
            (["diagnostics", 0, "severity"], "fatal"),
            (["bounds_assume"], "luck"),
        ]:
            with self.subTest(path=path):
                found = check_summary.violations(changed(path, value))
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(".".join(map(str, path))), found[0])

    def test_missing_keys_are_found(self):
        for path in [
            ("syncline",),
            ("messages", "too_fast_after"),
            ("clocks", 1, "bound_ns"),
            ("clocks", 1, "bound_ns", "mean"),
            ("pairs", 0, "messages_ba"),
            ("intervals",),
            ("reference",),
        ]:
            with self.subTest(path=path):
                found = check_summary.violations(without(*path))
                self.assertEqual(len(found), 1, found)
                self.assertIn(f"'{path[-1]}' is a required property", found[0])

    def test_example_of_a_comparison_is_valid(self):
        self.assertEqual(check_summary.violations(COMPARISON), [])

    def test_wrong_values_of_a_comparison_are_found(self):
        for path, value in [
            (["methods", 0, "inverted"], -1),
            (["methods", 0, "bound_ns", "mean"], 640.5),
            (["methods", 0, "truth", "max_error_ns"], None),
            (["methods", 0, "clocks", 0, "quality"], "good"),
            (["bounds_assume"], "luck"),
        ]:
            with self.subTest(path=path):
                found = check_summary.violations(changed(path, value, COMPARISON))
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(".".join(map(str, path))), found[0])

    def test_method_without_failure_must_have_figures(self):
        found = check_summary.violations(changed(["methods", 1, "failure"], None, COMPARISON))
        self.assertIn("'inverted' is a required property", "\n".join(found))


if __name__ == "__main__":
    unittest.main()
