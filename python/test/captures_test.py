"""The captures of examples/: as the program corrects them, as frames, and what can go wrong on the way."""

import filecmp
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import numpy as np

import syncline

CAPTURES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "captures"
A, B, C, D = (CAPTURES / f"{name}.pcap" for name in "abcd")

try:
    import pandas
except ImportError:
    pandas = None


class Sync(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @unittest.skipUnless("SYNCLINE_PROGRAM" in os.environ, "SYNCLINE_PROGRAM is not set")
    def test_writes_what_the_program_writes(self):
        merged = [self.folder / "all.pcapng", self.folder / "theirs.pcapng"]
        result = syncline.sync([A, B, str(C)], self.folder / "ours", merged=merged[0], report=self.folder / "page.html")
        program = [os.environ["SYNCLINE_PROGRAM"], "sync", A, B, C, "-o", self.folder / "theirs", "--merge", merged[1]]
        subprocess.run(program, stdout=subprocess.DEVNULL, check=True)
        names = ["a.pcap", "b.pcap", "c.pcap"]
        same, _, _ = filecmp.cmpfiles(self.folder / "ours", self.folder / "theirs", names, shallow=False)
        self.assertEqual(same, names)
        self.assertTrue(filecmp.cmp(*merged, shallow=False))
        self.assertIn("<html", (self.folder / "page.html").read_text())
        self.assertTrue(all(os.path.getsize(path) > 0 for path in result.outputs))
        self.assertEqual(len(result.outputs), 6)
        theirs = json.loads((self.folder / "theirs" / "syncline.json").read_text())
        ours = json.loads((self.folder / "ours" / "syncline.json").read_text())
        self.assertEqual(result.summary, ours)
        for key in ("clocks", "messages", "intervals", "reference", "diagnostics"):
            strip = json.dumps(ours[key]).replace("./" + str(CAPTURES), str(CAPTURES))
            self.assertEqual(json.loads(strip), theirs[key], key)

    def test_what_is_there_stays_unless_it_may_be_replaced(self):
        syncline.sync([A, B], self.folder)
        before = (self.folder / "a.pcap").stat().st_mtime_ns
        with self.assertRaisesRegex(syncline.UsageError, "a.pcap"):
            syncline.sync([A, B], self.folder)
        self.assertEqual((self.folder / "a.pcap").stat().st_mtime_ns, before)
        syncline.sync([A, B], self.folder, replace=True)
        self.assertNotEqual((self.folder / "a.pcap").stat().st_mtime_ns, before)
        with self.assertRaises(syncline.UsageError):
            syncline.sync([A, B], merged="all.pcapng")

    def test_a_name_that_is_no_utf8(self):
        odd = os.fsdecode(b"\xff.pcap")
        (self.folder / odd).write_bytes(A.read_bytes())
        result = syncline.sync([self.folder / odd, B], self.folder / "out")
        self.assertEqual(list(result.clocks), [os.fsdecode(b"\xff"), "b"])
        self.assertTrue(os.path.exists(result.outputs[0]))
        self.assertIn("b", result._repr_html_())

    def test_clocks_are_named_by_a_dict(self):
        result = syncline.check({"web": A, "db": B}, reference="db")
        self.assertEqual(list(result.clocks), ["web", "db"])
        self.assertEqual(result.reference, "db")
        self.assertGreater(result.summary["messages"]["inverted_before"], 0)
        self.assertIn("web", result.text)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_compares_methods(self):
        compared = syncline.compare([A, B], methods=["joint", "drift-bounded"])
        methods = compared.summary["methods"]
        self.assertEqual(sorted(m["name"] for m in methods), ["drift-bounded", "joint"])
        self.assertTrue(compared.holds)
        self.assertIn("joint", compared.text)
        with self.assertRaises(syncline.UsageError):
            syncline.compare([A, B], methods="guess")


class Shown(unittest.TestCase):
    def test_results_show_themselves_as_well_formed_html(self):
        shown = [
            syncline.check({"<a&b>": A, "b": B, "c": C, "d": D}),
            syncline.check([A, B], reference="a"),
            syncline.compare([A, B, C, D]),
        ]
        for result in shown:
            root = xml.etree.ElementTree.fromstring(result._repr_html_())
            self.assertGreater(len(root.findall(".//tr")), 2)
        root = xml.etree.ElementTree.fromstring(shown[0]._repr_html_())
        self.assertEqual(root.find(".//td").text, "<a&b>")
        # Of four clocks one is the reference, and one is open on a side.
        self.assertEqual(len(root.findall(".//svg/polygon")), 2)
        for number in " ".join(p.get("points") for p in root.iter("polygon")).replace(",", " ").split():
            self.assertTrue(0 <= float(number) <= 560, number)
        self.assertIn("4 clocks", repr(shown[0]))


class Frames(unittest.TestCase):
    def setUp(self):
        self.result = syncline.sync([A, B, C], reference="a")

    def test_events_are_corrected_within_their_bounds(self):
        events = self.result.event_arrays()
        self.assertEqual(len(events["time"]), self.result.summary["timing"]["events"])
        self.assertTrue((events["earliest"] <= events["time"]).all())
        self.assertTrue((events["time"] <= events["latest"]).all())
        of_b = events["process"] == events["processes"].index("b")
        clock = self.result.clocks["b"]
        np.testing.assert_array_equal(clock.correct(events["reading"][of_b]), events["time"][of_b])
        np.testing.assert_array_equal(clock.bounds(events["reading"][of_b])[0], events["earliest"][of_b])
        self.assertTrue(set(events["kind"]) <= set(range(len(events["kinds"]))))

    def test_messages_arrive_after_they_were_sent(self):
        messages = self.result.message_arrays()
        total = self.result.summary["messages"]["total"]
        self.assertEqual(len(messages["sent"]), total)
        self.assertGreater((messages["received"] < messages["sent"]).sum(), 0)
        self.assertTrue((messages["received_time"] >= messages["sent_time"]).all())

    @unittest.skipIf(pandas is None, "there is no pandas")
    def test_frames_of_pandas(self):
        events, messages = self.result.events(), self.result.messages()
        self.assertEqual(list(events.process.cat.categories), ["a", "b", "c"])
        self.assertEqual(events.time.dtype, np.int64)
        self.assertEqual(str(events.name.iloc[0]).isspace(), False)
        self.assertEqual(len(messages), self.result.summary["messages"]["total"])
        # The frame is what estimate takes.
        again = syncline.estimate(["a", "b", "c"], messages, reference="a")
        np.testing.assert_array_equal(again.clocks["b"].knots(), self.result.clocks["b"].knots())

    def test_numpy_is_all_it_takes(self):
        script = (
            "import sys; sys.modules['pandas'] = None; import syncline\n"
            f"result = syncline.check([{str(A)!r}, {str(B)!r}])\n"
            "assert len(result.event_arrays()['time']) > 0\n"
            "try: result.events()\n"
            "except ImportError: print('no frame')\n"
        )
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "no frame\n")


class Errors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_file_that_is_not_there(self):
        with self.assertRaises(syncline.UnreadableError) as caught:
            syncline.check([A, "no/such.pcap"])
        self.assertIn("no/such.pcap", caught.exception.file)
        self.assertIsNone(caught.exception.position)

    def test_a_file_whose_name_is_no_text(self):
        with self.assertRaises(syncline.UnreadableError) as caught:
            syncline.check([A, b"no/\xff.pcap"])
        self.assertIn("no/\udcff.pcap", caught.exception.message + caught.exception.file)

    def test_no_reference_may_be_said_by_none(self):
        self.assertEqual(len(syncline.check([A, B], reference=None).clocks), 2)

    def test_where_a_text_is_malformed(self):
        path = self.folder / "trace.txt"
        path.write_text("clock a 1000000000\nprocess p a\n\n5 p nonsense\n")
        with self.assertRaises(syncline.MalformedError) as caught:
            syncline.check(path)
        error = caught.exception
        self.assertEqual((error.file, error.position[0]), (str(path), 4))
        self.assertTrue(str(error).startswith(f"{path}:4:"), str(error))
        self.assertTrue(str(error).endswith(error.message))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.position), (str(error), error.position))

    def test_where_a_capture_is_malformed(self):
        path = self.folder / "x.pcap"
        path.write_bytes(B.read_bytes()[:24] + b"\xff" * 40)
        with self.assertRaises(syncline.MalformedError) as caught:
            syncline.check([A, path])
        self.assertIsInstance(caught.exception.position, int)

    def test_what_makes_no_sense(self):
        for inputs, options in (([A, B], {"clock_per": "planet"}), ({"a/b": A}, {})):
            with self.subTest(inputs), self.assertRaises(syncline.UsageError):
                syncline.check(inputs, **options)
        with self.assertRaises(TypeError):
            syncline.check([5])
        with self.assertRaises(syncline.NoCorrectionError):
            syncline.check([])

    def test_progress_is_told_and_may_cancel(self):
        told = []
        syncline.sync([A, B], self.folder / "out", progress=lambda step, share: told.append((step, share)))
        self.assertIn("matching packets", [step for step, _ in told])
        self.assertTrue(all(0 <= share <= 1 for _, share in told))
        for last in sorted({step for step, _ in told}):
            with self.subTest(last), self.assertRaises(syncline.Cancelled):
                syncline.sync([A, B], self.folder / "not", progress=lambda step, share: step != last)
            self.assertFalse((self.folder / "not" / "a.pcap").exists())
        with self.assertRaises(syncline.Cancelled):
            syncline.compare([A, B], progress=lambda step, share: step != "comparing methods")

    def test_what_progress_raises_comes_out(self):
        def fail(step, share):
            raise KeyError(step)

        with self.assertRaises(KeyError):
            syncline.sync([A, B], self.folder / "out", progress=fail)
        self.assertFalse((self.folder / "out").exists())

    def test_an_interrupt_ends_it(self):
        script = (
            "import syncline\n"
            f"inputs = [{str(A)!r}, {str(B)!r}]\n"
            "print('begun', flush=True)\n"
            "while True: syncline.compare(inputs)\n"
        )
        command = [sys.executable, "-B", "-c", script]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), "begun\n")
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=120)
        self.assertIn("KeyboardInterrupt", said)

    def test_several_threads_at_once(self):
        knots = {}

        def check(number):
            knots[number] = syncline.check([A, B], reference="a").clocks["b"].knots().tolist()

        threads = [threading.Thread(target=check, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([knots[number] for number in range(4)], [knots[0]] * 4)


if __name__ == "__main__":
    unittest.main()
