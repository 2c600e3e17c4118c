"""Messages of one's own as arrays: against clocks whose truth is known, and what is refused."""

import ast
import inspect
import pathlib
import threading
import time
import unittest

import numpy as np

import syncline

SECOND = 1_000_000_000
EPOCH = 1_795_263_390 * SECOND  # no float holds it to the nanosecond


def exchanges(count, seed=7):
    """Messages of a and b each way, delays from 100 to 300 µs, and b's true readings' function."""
    random = np.random.default_rng(seed)
    true = EPOCH + np.sort(random.integers(0, 100 * SECOND, count))
    arrival = true + random.integers(100_000, 300_000, count)
    from_a = random.integers(0, 2, count, dtype=np.int64) == 0
    messages = np.empty((count, 4), np.int64)
    messages[:, 0] = np.where(from_a, 0, 1)
    messages[:, 1] = np.where(from_a, true, b_of(true))
    messages[:, 2] = np.where(from_a, 1, 0)
    messages[:, 3] = np.where(from_a, b_of(arrival), arrival)
    return messages


def b_of(true):
    """A second ahead, and 20 ppm fast, in whole nanoseconds."""
    return true + SECOND + (true - EPOCH) // 50_000


class Estimate(unittest.TestCase):
    def setUp(self):
        self.result = syncline.estimate(["a", "b"], exchanges(2_000), reference="a")
        self.b = self.result.clocks["b"]

    def test_truth_lies_within_the_bounds_everywhere(self):
        true = EPOCH + np.arange(0, 100 * SECOND, SECOND // 10)
        earliest, latest = self.b.bounds(b_of(true))
        self.assertTrue((earliest <= true).all() and (true <= latest).all())
        corrected = self.b.correct(b_of(true))
        self.assertTrue((earliest <= corrected).all() and (corrected <= latest).all())
        self.assertLess(np.abs(corrected - true).max(), 250_000)
        self.assertLess((latest - earliest).max(), 500_000)

    def test_figures_are_those_of_the_truth(self):
        self.assertEqual(list(self.result.clocks), ["a", "b"])
        self.assertEqual((self.result.reference, self.b.reference, self.b.epochs), ("a", "a", 1))
        self.assertAlmostEqual(self.b.offset_ns, SECOND + 50 * 20_000, delta=200_000)
        self.assertAlmostEqual(self.b.drift_ppm, 20, delta=5)
        self.assertEqual((self.b.quality, self.b.steps), ("accurate", []))
        self.assertTrue(self.result.holds)
        self.assertEqual(self.result.summary["messages"]["total"], 2_000)
        self.assertEqual(self.result.summary["messages"]["inverted_after"], 0)

    def test_no_nanosecond_of_an_epoch_is_lost(self):
        readings = EPOCH + np.arange(1_000)
        np.testing.assert_array_equal(self.result.clocks["a"].correct(readings), readings)
        self.assertEqual(self.result.clocks["a"].correct(EPOCH + 1), EPOCH + 1)
        steps = np.diff(self.b.correct(readings))
        self.assertTrue(((steps == 1) | (steps == 0)).all())

    def test_knots_are_where_the_correction_bends(self):
        knots = self.b.knots()
        np.testing.assert_array_equal(self.b.correct(knots[:, 0]), knots[:, 1])

    def test_arrays_of_any_shape_order_and_width(self):
        readings = b_of(EPOCH + np.arange(24) * SECOND)
        times = self.b.correct(readings)
        np.testing.assert_array_equal(self.b.correct(readings[::-2]), times[::-2])
        shaped = readings.reshape(2, 3, 4)
        np.testing.assert_array_equal(self.b.correct(shaped), times.reshape(2, 3, 4))
        np.testing.assert_array_equal(self.b.correct(shaped.T), times.reshape(2, 3, 4).T)
        np.testing.assert_array_equal(self.b.bounds(np.asfortranarray(shaped))[1].ravel(), self.b.bounds(readings)[1])
        np.testing.assert_array_equal(self.b.correct(readings.astype(">i8")), times)
        np.testing.assert_array_equal(self.b.correct(list(map(int, readings))), times)
        small = np.array([1, 2], np.uint16)
        np.testing.assert_array_equal(self.b.correct(small), self.b.correct(small.astype(np.int64)))
        self.assertEqual(self.b.correct(int(readings[3])), times[3])
        self.assertIsInstance(self.b.correct(readings[3]), int)
        self.assertEqual(self.b.bounds(readings[3])[0], self.b.bounds(readings)[0][3])
        readings.setflags(write=False)
        np.testing.assert_array_equal(self.b.correct(readings), times)

    def test_empty_arrays(self):
        for empty in ([], np.array([], np.int64), np.zeros((0, 3), np.int32)):
            self.assertEqual(self.b.correct(empty).shape, np.shape(empty))
            self.assertEqual(self.b.bounds(empty)[1].dtype, np.int64)

    def test_what_would_round_is_refused_with_words(self):
        cases = [
            (np.array([1.0]), "give int64 from the start"),
            ([EPOCH + 0.5], "rounds times"),
            (np.array([], float), "float"),
            (np.array([2**63], np.uint64), "make it int64"),
            (np.array(["2026-11-23"], "M8[ns]"), "nanoseconds as int64"),
            (np.array([True]), "give int64"),
            (["1"], "give int64"),
            ([2**70], "give int64"),
            (None, "give int64"),
            (np.ma.array([1, 2], mask=[0, 1]), "masked"),
        ]
        for wrong, words in cases:
            for function in (self.b.correct, self.b.bounds):
                with self.subTest(wrong), self.assertRaisesRegex(TypeError, words):
                    function(wrong)

    def test_epochs_that_a_clock_does_not_have(self):
        for epoch in (1, -1):
            with self.assertRaisesRegex(IndexError, "clock b has 1 epoch"):
                self.b.correct([1], epoch)

    def test_far_readings_saturate(self):
        ends = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
        times = self.b.correct(ends)
        self.assertEqual(times[1], self.b.correct(int(ends[1])))
        self.assertLess(times[0], times[1])

    def test_many_at_once_leave_other_threads_running(self):
        readings = b_of(EPOCH + np.arange(4_000_000) * 25_000)
        counted = []
        is_over = threading.Event()

        def count():
            while not is_over.is_set():
                counted.append(time.perf_counter())

        thread = threading.Thread(target=count)
        thread.start()
        begin = time.perf_counter()
        self.b.bounds(readings)
        end = time.perf_counter()
        is_over.set()
        thread.join()
        # Were the lock held, nothing would be counted but at the very ends of the call.
        inner = [t for t in counted if begin + (end - begin) / 4 < t < end - (end - begin) / 4]
        self.assertGreater(len(inner), 0)


class Messages(unittest.TestCase):
    def estimated(self, messages, **options):
        result = syncline.estimate(["a", "b"], messages, reference="a", **options)
        return result.clocks["b"].knots().tolist()

    def test_ways_to_give_the_same(self):
        messages = exchanges(300)
        expected = self.estimated(messages)
        names = np.array(["a", "b"])
        columns = dict(zip(("sender", "sent", "receiver", "received"), messages.T))
        named = {**columns, "sender": names[messages[:, 0]], "receiver": names[messages[:, 2]].astype(object)}
        random = np.random.default_rng(3)
        ways = [messages.tolist(), np.asfortranarray(messages), columns, named, random.permutation(messages)]
        for way in ways:
            self.assertEqual(self.estimated(way), expected)
        with_numbers = {**columns, "sent_number": np.arange(300) * 2, "received_number": np.arange(300) * 2 + 1}
        self.assertEqual(self.estimated(with_numbers), expected)

    def test_numbers_of_events_show_that_a_clock_was_set_back(self):
        true = np.arange(60) * SECOND
        b = np.where(true < 30 * SECOND, true + 10 * SECOND, true - 10 * SECOND)
        a_first = np.arange(60) % 2 == 0
        columns = {
            "sender": np.where(a_first, 0, 1),
            "sent": np.where(a_first, true, b),
            "receiver": np.where(a_first, 1, 0),
            "received": np.where(a_first, b, true) + 150_000,
            "sent_number": np.arange(60),
            "received_number": np.arange(60),
        }
        result = syncline.estimate(["a", "b"], columns, reference="a")
        clock = result.clocks["b"]
        self.assertEqual(clock.epochs, 2)
        self.assertAlmostEqual(clock.steps[0]["ahead_ns"], -20 * SECOND, delta=SECOND // 100)
        self.assertAlmostEqual(clock.correct(20 * SECOND, 0), 10 * SECOND, delta=SECOND // 100)
        self.assertAlmostEqual(clock.correct(30 * SECOND, 1), 40 * SECOND, delta=SECOND // 100)

    def test_clocks_of_other_rates_and_origins(self):
        messages = exchanges(500)
        messages[:, 1] -= np.where(messages[:, 0] == 1, EPOCH, 0)
        messages[:, 3] -= np.where(messages[:, 2] == 1, EPOCH, 0)
        clocks = {"a": SECOND, "b": (SECOND, EPOCH)}
        result = syncline.estimate(clocks, messages, reference="a")
        whole = syncline.estimate(["a", "b"], exchanges(500), reference="a")
        self.assertEqual(result.clocks["b"].offset_ns, whole.clocks["b"].offset_ns)
        self.assertEqual(result.clocks["b"].correct(5), whole.clocks["b"].correct(EPOCH + 5))

    def test_messages_one_way_leave_a_side_open(self):
        messages = exchanges(300)
        result = syncline.estimate(["a", "b"], messages[messages[:, 0] == 0], reference="a")
        earliest, latest = result.clocks["b"].bounds(b_of(EPOCH + np.arange(3)))
        self.assertTrue((earliest > syncline.OPEN_BEFORE).all())
        self.assertTrue((latest == syncline.OPEN_AFTER).all())
        self.assertIsNone(result.clocks["b"].worst_bound_ns)
        self.assertIn("unbounded", result._repr_html_())

    def test_outliers_are_told(self):
        messages = exchanges(2_000)
        messages[100, 3] -= 10 * SECOND
        result = syncline.estimate(["a", "b"], messages, reference="a")
        outliers = result.outlier_arrays()
        self.assertEqual(outliers["received"].tolist(), [messages[100, 3]])
        self.assertEqual(result.message_arrays()["sent"].size, 2_000)

    def test_what_is_no_messages(self):
        good = dict(zip(("sender", "sent", "receiver", "received"), exchanges(4).T))
        cases = [
            (np.zeros((3, 5), np.int64), r"shape \(3, 5\) is not \(n, 4\)"),
            (np.zeros(4, np.int64), r"\(4,\) is not"),
            ({"sender": [0]}, "neither an array"),
            (None, "neither an array"),
            ({**good, "sender": [0, 1, 2, 0]}, "sender: there is no clock 2, only 2"),
            ({**good, "receiver": [-1, 1, 1, 0]}, "there is no clock -1"),
            ({**good, "receiver": ["a", "b", "z", "a"]}, "receiver: there is no clock z"),
            ({**good, "received": [1, 2]}, r"received has shape \(2,\)"),
            ({**good, "sent_number": np.arange(4), "received_number": -np.arange(4)}, "count from 0"),
            (np.array([[0, 5, 0, 5]]), "kein|in one event|no two clocks|exchanged"),
        ]
        for wrong, words in cases:
            with self.subTest(wrong), self.assertRaisesRegex(syncline.Error, words):
                syncline.estimate(["a", "b"], wrong)
        for wrong in (np.zeros((3, 4)), {**good, "sent": np.zeros(4)}, {**good, "sender": [0.0] * 4}):
            with self.assertRaisesRegex(TypeError, "float64"):
                syncline.estimate(["a", "b"], wrong)

    def test_nothing_determines_a_correction(self):
        for none in ([], np.zeros((0, 4), np.int64), {"sender": [], "sent": [], "receiver": [], "received": []}):
            with self.assertRaises(syncline.NoCorrectionError):
                syncline.estimate(["a", "b"], none)

    def test_options_that_make_no_sense(self):
        messages = exchanges(20)
        cases = [
            ({"max_drift_ppm": -1.0}, syncline.UsageError),
            ({"max_drift_ppm": "fast"}, ValueError),
            ({"reference": "nobody"}, syncline.UsageError),
            ({"min_delay_ns": 2**70}, syncline.UsageError),
            ({"min_delay_ns": 1.5}, TypeError),
            ({"max_outliers": 2}, syncline.UsageError),
            ({"method": "guess"}, syncline.UsageError),
            ({"logical": "guess"}, syncline.UsageError),
            ({"no_such": 1}, TypeError),
        ]
        for options, error in cases:
            with self.subTest(options), self.assertRaises(error):
                syncline.estimate(["a", "b"], messages, **options)
        for clocks in (["a", "a"], {"a": 0, "b": 1}, {"a": 2**64, "b": 1}):
            with self.subTest(clocks), self.assertRaises(syncline.UsageError):
                syncline.estimate(clocks, messages)

    def test_minimum_delays_narrow_the_bounds(self):
        messages = exchanges(500)
        wide = syncline.estimate(["a", "b"], messages, reference="a")
        narrow = syncline.estimate(["a", "b"], messages, reference="a", min_delay_ns=100_000)
        self.assertLess(narrow.clocks["b"].worst_bound_ns, wide.clocks["b"].worst_bound_ns)


class Stubs(unittest.TestCase):
    def test_stubs_name_what_there_is(self):
        stub = pathlib.Path(syncline.__file__).with_name("__init__.pyi").read_text()
        declared = {}
        for node in ast.parse(stub).body:
            if isinstance(node, ast.FunctionDef):
                declared[node.name] = [a.arg for a in node.args.args + node.args.kwonlyargs]
            elif isinstance(node, ast.ClassDef):
                declared[node.name] = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
                for name in declared[node.name]:
                    self.assertTrue(hasattr(getattr(syncline, node.name), name), name)
            elif isinstance(node, ast.AnnAssign):
                declared[node.target.id] = None
        self.assertEqual(sorted(declared), sorted(syncline.__all__))
        for name in ("sync", "check", "compare", "estimate"):
            parameters = set(inspect.signature(getattr(syncline, name)).parameters) - {"options"}
            options = set(inspect.signature(syncline._estimate_options).parameters)
            if name == "compare":
                options -= {"method"}
            self.assertEqual(set(declared[name]), parameters | options, name)


if __name__ == "__main__":
    unittest.main()
