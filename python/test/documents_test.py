"""Runs the session of docs/python.md, block by block, and compares what it prints."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.M | re.S)


class Session(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("pandas"), "there is no pandas")
    def test_prints_what_the_page_says(self):
        page = (ROOT / "docs" / "python.md").read_text()
        blocks = list(BLOCK.finditer(page))
        self.assertEqual(len(blocks), page.count("```python"))
        names = {"__name__": "session"}
        with tempfile.TemporaryDirectory() as folder:
            for capture in (ROOT / "examples" / "captures").glob("*.pcap"):
                shutil.copy(capture, folder)
            before = os.getcwd()
            os.chdir(folder)
            self.addCleanup(os.chdir, before)
            for block in blocks:
                code, expected = block.groups()
                line = page.count("\n", 0, block.start()) + 2
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile("\n" * (line - 1) + code, "docs/python.md", "exec"), names)
                self.assertEqual(printed.getvalue(), expected or "", f"docs/python.md:{line}")
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
