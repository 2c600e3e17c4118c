#!/usr/bin/env python3
"""Runs the commands of a page of docs/tutorial, so that what it says works.

    run_tutorial.py PAGE.md --installed PREFIX

Commands are the indented lines of the page, one after the other in a new folder that has the project's examples/ as the
page's reader does, and with what `cmake --install` put below PREFIX where shells and linkers look; a line that ends with
a backslash goes on in the next. Each has to end with 0, or with 3, which means a stated weakness. What a page shows of
outputs stands between ``` and is not looked at. Comments in the page, which readers do not see:

    <!-- needs: mpirun -->       without this program the page is skipped (exit code 77)
    <!-- not run: why -->        the block of commands that follows needs rights, a network or time
    <!-- shows: words -->        the commands before have put out these words

Exits with 1 where a command fails or nothing is run."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FINE = (0, 3)


def steps(text: str):
    """Yields (kind, value): command, shows, needs."""
    is_quoted = is_skipped = False
    command = ""
    for line in text.splitlines():
        if line.startswith("```"):
            is_quoted = not is_quoted
        comment = re.fullmatch(r"<!-- (needs|not run|shows): (.*) -->", line)
        if comment and not is_quoted:
            if comment[1] == "not run":
                is_skipped = True
            else:
                yield comment[1], comment[2]
        elif line.startswith("    ") and not is_quoted:
            if is_skipped:
                continue
            command += line[4:]
            if command.endswith("\\"):
                command = command[:-1]
            else:
                yield "command", command
                command = ""
        elif line.strip():
            is_skipped = False


def environment(prefix: pathlib.Path) -> dict:
    library = next(prefix.glob("lib*/**/libsyncline_mpi.so"), prefix / "lib/none")
    own = {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(library.parent)}
    # Tests run as root, and with fewer cores than processes.
    mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return {**os.environ, **own, **mpi}


def run(page: pathlib.Path, prefix: pathlib.Path) -> int:
    todo = list(steps(page.read_text()))
    for kind, value in todo:
        if kind == "needs" and shutil.which(value) is None:
            print(f"{page.name} is skipped: {value} is not installed")
            return 77
    commands = 0
    put_out = ""
    with tempfile.TemporaryDirectory(prefix="syncline-tutorial-") as folder:
        work = pathlib.Path(folder)
        shutil.copytree(ROOT / "examples", work / "examples")
        for kind, value in todo:
            if kind == "shows" and value not in put_out:
                print(f"{page.name}: the page shows '{value}', and the commands put out:\n{put_out}")
                return 1
            if kind != "command":
                continue
            print(f"$ {value}", flush=True)
            done = subprocess.run(["bash", "-c", value], cwd=work, env=environment(prefix), text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print(done.stdout)
            put_out += done.stdout
            commands += 1
            if done.returncode not in FINE:
                print(f"{page.name}: this command ended with {done.returncode}: {value}")
                return 77 if done.returncode == 77 else 1
    if commands == 0:
        print(f"{page.name} has no commands")
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--installed", type=pathlib.Path, required=True)
    options = parser.parse_args()
    return run(options.page, options.installed.resolve())


if __name__ == "__main__":
    sys.exit(main())
