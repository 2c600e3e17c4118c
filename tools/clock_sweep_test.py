"""Tests of clock_sweep.py and sweep_runs.py: the list of runs, how results become rows and failures, and,
where SYNCLINE_PROGRAM and SYNCLINE_CLOCK_SWEEP name the programs, a few short runs."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

import clock_sweep as sweep
import sweep_runs


def result(kind="walk", seed=1, lies=False, joint=400, **figures):
    one = {
        "options": [], "exit": 0, "message": "", "events": 100, "outside": 0, "rms_ns": 200,
        "max_ns": 900, "bound_ns": 3000, "open": 0, "inverted_before": 50, "inverted_after": 0,
        "suspects": 0, "estimate_s": 0.5, "holds": True, **figures,
    }
    return {"kind": kind, "seed": seed, "make": [], "messages": 10, "lies": lies,
            "joint_rms_ns": joint, "results": {"": one}}


def row(results, windows=()):
    kind = next(kind for kind in sweep_runs.KINDS if kind.name == results[0]["kind"])
    cells = sweep.row(kind, "", [(r, r["results"][""]) for r in results], dict(windows))
    return dict(zip(sweep.HEADS, cells))


class Runs(unittest.TestCase):
    def test_there_are_at_least_500_and_they_are_the_same_each_time(self):
        runs = sweep.chosen_runs([], None)
        self.assertGreaterEqual(len(runs), 500)
        texts = [" ".join(sweep_runs.arguments_of(*run)) for run in runs]
        self.assertEqual(texts, [" ".join(sweep_runs.arguments_of(*run)) for run in runs])
        self.assertEqual(len(set(kind.name for kind, _ in runs)), len(sweep_runs.KINDS))
        self.assertEqual(
            " ".join(sweep_runs.arguments_of(runs[0][0], 1)).split()[0], "seed=1")

    def test_some_are_chosen_by_kind_and_seed(self):
        runs = sweep.chosen_runs(["leap", "step"], "2-3")
        self.assertEqual([(kind.name, seed) for kind, seed in runs],
                         [("step", 2), ("step", 3), ("leap", 2), ("leap", 3)])
        with self.assertRaises(SystemExit):
            sweep.chosen_runs(["leaps"], None)

    def test_two_clocks_that_are_set_are_two(self):
        for seed in range(1, 40):
            kind = next(kind for kind in sweep_runs.KINDS if kind.name == "two-set")
            arguments = sweep_runs.arguments_of(kind, seed)
            self.assertEqual(sum("step=" in argument for argument in arguments), 2)


class Rows(unittest.TestCase):
    def test_counts_runs_and_takes_medians(self):
        cells = row([result(rms_ns=100), result(rms_ns=300, exit=3), result(rms_ns=200)])
        self.assertEqual((cells["runs"], cells["exit 0"], cells["exit 3"], cells["else"]),
                         ("3", "2", "1", "0"))
        self.assertEqual(cells["RMS error"], "200 ns")
        self.assertEqual(cells["inverted"], f"{3 * 50} → 0")
        self.assertEqual(cells["± median"], "3 µs")

    def test_a_run_without_result_is_counted_and_nothing_else(self):
        failed = result()
        failed["results"][""] = {"options": [], "exit": 2, "message": "a cycle"}
        cells = row([failed, result()])
        self.assertEqual((cells["else"], cells["RMS error"]), ("1", "200 ns"))
        self.assertEqual(row([failed])["RMS error"], "–")

    def test_what_lies_outside_is_told_apart_by_what_is_assumed(self):
        cells = row([
            result(outside=1), result(outside=7, holds=False), result(outside=0, holds=False),
            result(outside=1, lies=True, suspects=2), result(outside=1, lies=True, holds=False),
        ])
        self.assertEqual(cells["outside, rates within limit"], "1")
        self.assertEqual(cells["outside, rates beyond"], "1")
        self.assertEqual(cells["outside, data lies (unsaid)"], "2 (1)")

    def test_windows_are_compared_run_by_run(self):
        cells = row([result(seed=1, rms_ns=200), result(seed=2, rms_ns=300), result(seed=3)],
                    {"walk 1": {"window": "1min", "rms_ns": 400},
                     "walk 2": {"window": "3min", "rms_ns": 200}})
        self.assertEqual(cells["worst against window"], "1.50")
        self.assertEqual(cells["RMS of best window"], "300 ns")

    def test_windows_are_noted_beside_those_known(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "windows.json"
            for seed, window in ((1, "1min"), (2, None), (3, "3min"), (1, "10min")):
                found = {"window": window, "rms_ns": 5.5} if window else None
                sweep.note_window(path, {"kind": "walk", "seed": seed, "window": found})
            self.assertEqual(sweep.known_windows(path), {
                "walk 1": {"window": "10min", "rms_ns": 5.5}, "walk 3": {"window": "3min", "rms_ns": 5.5}})

    def test_limits_are_those_the_result_states(self):
        about = {"rates_ppm": {"c0": [0, 0], "c1": [-400, 20]}, "jumps": {}}
        clocks = [{"name": "c0"}, {"name": "c1"}]
        self.assertFalse(sweep.assumption_holds({"clocks": clocks}, about, 200))
        self.assertTrue(sweep.assumption_holds({"clocks": clocks}, about, 600))
        clocks[1]["rate_limit_ppm"] = 1000
        self.assertTrue(sweep.assumption_holds({"clocks": clocks}, about, 200))

    def test_a_result_that_names_fewer_steps_than_there_were_assumes_too_much(self):
        about = {"rates_ppm": {"c0": [0, 0], "c1": [0, 0]}, "jumps": {"c1": 2}}
        clocks = [{"name": "c0"}, {"name": "c1"}]

        def holds(*names):
            return sweep.assumption_holds({"clocks": clocks, "steps": [{"clock": name} for name in names]}, about, 200)

        self.assertFalse(holds())
        self.assertFalse(holds("c1"))
        self.assertFalse(holds("c0", "c0"))
        self.assertTrue(holds("c1", "c0", "c1"))

    def test_failures_are_named(self):
        def failures(run):
            return sweep.failures(run, run["results"][""])

        self.assertEqual(failures(result(exit=3)), [])
        self.assertEqual(failures(result(exit=2, message="no")), ["exit code 2: no"])
        self.assertEqual(failures(result(outside=3)), ["3 of 100 true times outside"])
        self.assertEqual(failures(result(inverted_after=4)), ["4 inverted"])
        self.assertEqual(failures(result(inverted_after=4, lies=True)), [])

    def test_only_what_stands_between_the_marks_is_replaced(self):
        page = sweep.replaced("before\n", "old\n") + "after\n"
        self.assertEqual(sweep.replaced(page, "new\n"),
                         f"before\n\n{sweep.BEGIN}new\n{sweep.END}after\n")


PROGRAM = os.environ.get("SYNCLINE_PROGRAM", "")
GENERATOR = os.environ.get("SYNCLINE_CLOCK_SWEEP", "")


@unittest.skipUnless(os.path.exists(PROGRAM) and os.path.exists(GENERATOR), "no programs are named")
class Programs(unittest.TestCase):
    def test_a_run_is_measured_dumped_and_written_into_the_table(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                sweep.main(["--program", PROGRAM, "--generator", GENERATOR, "--only", "constant",
                            "--seeds", "1-2", "--json", str(folder / "all.json"), "--jobs", "2"])
            found = json.loads((folder / "all.json").read_text())
        self.assertEqual([(one["kind"], one["seed"]) for one in found],
                         [("constant", 1), ("constant", 2)])
        for one in found:
            figures = one["results"][""]
            self.assertIn(figures["exit"], (0, 3))
            self.assertEqual((figures["outside"], figures["inverted_after"]), (0, 0))
            self.assertTrue(figures["holds"])
        self.assertIn("| constant rate | 2 |", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
