"""Tests of check_time_sums.py: planted sums are found, and what is safe is let pass."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_time_sums

RAW = [
    "return t.ns + shift_ns;",
    "return t->ticks - 1;",
    "return a.time.ns -\n       b.time.ns;",
    "const int64_t x = least_ns - (b - a).ns;",
    "f(x, 2 * times[i].ns);",
    "t.ns += step;",
    "++t.ticks;",
    "return -delay.ns;",
    "return a.ns - b.ns + static_cast<Int128>(c);",
    "const int64_t length = spans[k].last.ticks - spans[k].first.ticks + 1;",
    "f(static_cast<Int128>(a), b.ns + c);",
]

SAFE = [
    "return (a - b).ns;",
    "return {t.ns};  // t.ns + 1",
    'Log("t.ns + 1");',
    "return static_cast<Int128>(a.ns) - b.ns + c.ns;",
    "const Int128 origin = 5;\nconst Int128 x = t.ns - origin;",
    "const double y = t.ns * scale_of<double>();",
    "return SaturatedSum(t.ns, 1);",
    "Duration a = b + Duration{-1}; return a.ns > -5;",
    "return *level.ns;",
    "const int64_t* p = &t.ns;",
    "EXPECT(p->ns, q->ns);",
]


def found(text):
    blank = check_time_sums.blanked(text)
    wide = {*check_time_sums.WIDE, *check_time_sums.DECLARED.findall(blank)}
    return list(check_time_sums.raw_sums(blank, wide))


class CheckTimeSums(unittest.TestCase):

    def test_raw_sums_are_found(self):
        for text in RAW:
            with self.subTest(text):
                self.assertTrue(found(text))

    def test_what_is_wide_or_typed_is_let_pass(self):
        for text in SAFE:
            with self.subTest(text):
                self.assertFalse(found(text))

    def test_a_planted_sum_fails_the_check_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "src/model/a.cc"
            source.parent.mkdir(parents=True)
            source.write_text("int64_t F(GlobalTime t) {\n  return t.ns + 1;\n}\n")
            script = pathlib.Path(check_time_sums.__file__)
            run = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("src/model/a.cc:2: return t.ns + 1;", run.stdout)


if __name__ == "__main__":
    unittest.main()
