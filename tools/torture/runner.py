"""Runs the program once in a folder of its own, and says what it must not have done."""

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
import xml.dom.minidom
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
HANG_S = 20  # of computing time, or six times as long of waiting
MEMORY = 10**9
OUTPUT_LIMIT = 1 << 30


@dataclass
class Job:
    args: list
    outputs: tuple = ()  # names in the folder under which anything may appear or change
    old_set: tuple = ()  # outputs that are replaced all, or none
    fault: str = ""
    limits: dict = field(default_factory=dict)
    closed: tuple = ()  # descriptors
    to_full: bool = False  # standard output is a full device
    stop: tuple = None  # (seconds, signal)
    during: object = None  # called while the program runs
    check: object = None  # (folder, Outcome) -> findings
    codes: tuple = (0, 1, 2, 3, 4)
    changing: bool = False  # inputs change
    big: bool = False  # inputs of more than 10 MB, or options that ask for much
    patience: float = 1  # so many times the time to compute and to wait
    disk: int = None  # bytes that are free where the folder is
    temporary_there: bool = False


@dataclass
class Outcome:
    code: int
    out: bytes
    err: bytes
    seconds: float
    memory: int
    hung: bool = False


def contents(folder):
    """What each file, link and folder below a folder holds."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in files + folders:
            path = os.path.join(root, name)
            key = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[key] = "link to " + os.readlink(path)
            elif os.path.isdir(path):
                found[key] = "folder"
            elif os.path.isfile(path):
                found[key] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            else:
                found[key] = "special"
    return found


def _family(pid):
    """A process and its children's children."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                found += map(int, Path(f"/proc/{parent}/task/{task}/children").read_text().split())
        except OSError:
            pass
    return found


def _usage(pid):
    """Resident bytes and seconds of computing."""
    memory, ticks = 0, 0
    for member in _family(pid):
        try:
            memory += int(Path(f"/proc/{member}/statm").read_text().split()[1]) * 4096
            words = Path(f"/proc/{member}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(words[11]) + int(words[12])
        except (OSError, IndexError, ValueError):
            pass
    return memory, ticks / os.sysconf("SC_CLK_TCK")


def _kill(pid):
    for member in reversed(_family(pid)):
        try:
            os.kill(member, signal.SIGKILL)
        except OSError:
            pass


def _wait(process, job, slow):
    """Until it ends, or is ended: the outcome without words."""
    begin, patience = time.monotonic(), HANG_S * slow * job.patience
    pause, hung, memory, stopped = 0.0005, False, 0, False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        now = time.monotonic() - begin
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return Outcome(process.returncode, b"", b"", now, max(memory, usage.ru_maxrss * 1024), hung)
        if job.stop and not stopped and now >= job.stop[0]:
            stopped = True
            os.kill(process.pid, job.stop[1])
        if job.during:
            job.during(now)
        if now > 0.1:
            size, computed = _usage(process.pid)
            memory = max(memory, size)
            if computed > patience or now > 6 * patience or memory > 3 * MEMORY * slow:
                hung = computed > patience or now > 6 * patience
                _kill(process.pid)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def _drain(pipe, texts):
    texts[pipe] = pipe.read(10**7)
    while pipe.read(1 << 16):
        pass
    pipe.close()


PAGE = os.sysconf("SC_PAGESIZE")


def _on_tiny_disk(job, folder):
    """The words before a command that run it where so much is free, and more of the environment."""
    files = [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()]
    used = sum(-(-p.stat().st_size // PAGE) * PAGE for p in files)
    words = ["unshare", "-m" if os.geteuid() == 0 else "-rm", str(HERE / "tiny_disk.sh"), str(used + job.disk)]
    return words, {"TEMPORARY_THERE": "1" if job.temporary_there else "0"}


def why_no_tiny_disk(work):
    """In words; empty where one can be mounted."""
    if not shutil.which("unshare"):
        return "no unshare (package util-linux)"
    (work / "try").mkdir()
    words, environment = _on_tiny_disk(Job([], disk=1 << 16), work / "try")
    tried = subprocess.run([*words, "true"], cwd=work / "try", env=dict(os.environ, **environment), capture_output=True, text=True)
    return "" if tried.returncode == 0 else tried.stderr.strip() or f"exit code {tried.returncode}"


def execute(program, job, folder, slow):
    """`slow`: how much more time and memory a sanitized program takes."""
    log = folder.parent / (folder.name + ".log")
    log.mkdir()
    temporary = log / "tmp"
    temporary.mkdir()
    environment = dict(os.environ, TMPDIR=str(temporary), LC_ALL="C.UTF-8", ASAN_OPTIONS=
                       "exitcode=99:allocator_may_return_null=1:detect_leaks=0:verify_asan_link_order=0:abort_on_error=0",
                       UBSAN_OPTIONS="halt_on_error=1:exitcode=99:print_stacktrace=1")
    if job.fault:
        environment.update(TORTURE_FAULT=job.fault, LD_PRELOAD=os.environ["TORTURE_FAULT_LIBRARY"])

    before = []
    if job.disk is not None:
        before, more = _on_tiny_disk(job, folder)
        environment.update(more)

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
        for name, value in job.limits.items():
            resource.setrlimit(name, (value, value))
        for descriptor in job.closed:
            os.close(descriptor)

    # Through pipes: limits on files must not stop what is said.
    with open("/dev/full", "wb") as full:
        process = subprocess.Popen([*before, program, *map(str, job.args)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=full if job.to_full else subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare,
                                   start_new_session=True)
    texts = {}
    threads = [threading.Thread(target=_drain, args=(pipe, texts), daemon=True) for pipe in (process.stdout, process.stderr) if pipe]
    for thread in threads:
        thread.start()
    outcome = _wait(process, job, slow)
    for thread in threads:
        thread.join(5)
    outcome.out, outcome.err = texts.get(process.stdout, b""), texts.get(process.stderr, b"")
    left = os.listdir(temporary)
    shutil.rmtree(log)
    return outcome, left


def _readable(path):
    """What is wrong with a written file of a known format."""
    try:
        if path.suffix == ".json":
            json.loads(path.read_bytes().decode("utf-8"))
        elif path.suffix == ".svg":
            xml.dom.minidom.parse(str(path)).unlink()
        elif path.suffix == ".html":
            path.read_bytes().decode("utf-8")
    except Exception as error:  # whatever a parser throws
        return [f"{path.name} is no {path.suffix[1:]}: {error}"]
    return []


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _words(job, outcome):
    findings = []
    # The CTF library frees twice what it could not write, in a process of its own.
    is_librarys = job.disk is not None and b"attempting double-free" in outcome.err and b"babeltrace-plugin-ctf.so" in outcome.err
    if (b"runtime error:" in outcome.err or b"Sanitizer" in outcome.err) and not is_librarys:
        findings.append("a sanitizer reports: " + outcome.err.decode("utf-8", "replace")[:1500])
    quiet = any(word in job.args for word in ("-q", "--quiet", "--config"))
    silent = not outcome.err and (outcome.code in (1, 2) or not outcome.out and not quiet)
    if outcome.code > 0 and silent and not job.closed and not job.to_full:
        findings.append(f"exit code {outcome.code} without words")
    shown = outcome.err + (b"" if any(str(a) in ("-", "completion") for a in job.args) else outcome.out)
    raw = CONTROL.search(shown.decode("utf-8", "replace"))
    if raw:
        findings.append(f"raw {raw.group()!r} on the terminal: {shown.decode('utf-8', 'replace')[max(raw.start() - 60, 0):][:100]!r}")
    return findings


def _ending(job, outcome, slow):
    if outcome.hung:
        return [f"hangs ({outcome.seconds:.0f} s)"]
    # A sanitized program's children have no limit of memory, only that of time.
    was_child = slow > 1 and b"the CTF library failed on it (no progress" in outcome.err
    if outcome.memory > MEMORY * slow and not job.big and not was_child:
        return [f"takes {outcome.memory / 1e6:.0f} MB"]
    wanted = -signal.SIGKILL if "kill" in job.fault else -job.stop[1] if job.stop else None
    if outcome.code < 0:
        return [] if outcome.code == wanted else [f"ends by {signal.Signals(-outcome.code).name}"]
    return [] if outcome.code in job.codes else [f"exit code {outcome.code}"]


def _files(job, outcome, before, after):
    findings = []
    killed = outcome.code == -signal.SIGKILL
    # What stands in outputs after 4 is that nothing could be corrected.
    failed = (outcome.code in (1, 2) or outcome.code < 0) and not job.to_full
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue
        is_output = any(name == o or name.startswith(o + "/") for o in job.outputs) and "foreign" not in name
        if ".partial-" in name:
            findings += [] if killed or job.fault.startswith("unlink") else [f"left over: {name}"]
        elif not is_output:
            findings += [] if job.changing and name in before else [
                f"{'changed' if name in after else 'removed'}, though no output: {name}"]
        elif failed and name not in before and not killed and not job.stop and not job.fault:
            findings.append(f"exit code {outcome.code}, but wrote {name}")
        elif (outcome.code == 4 or outcome.code < 0 and not killed) and after.get(name) == "folder" and not any(
                n.startswith(name + "/") for n in after):
            findings.append(f"exit code {outcome.code}, but left the empty folder {name}")
    replaced = {name for name in job.old_set if before[name] != after.get(name)}
    if replaced and len(replaced) < len(job.old_set):
        findings.append(f"half a set: {', '.join(sorted(replaced))} of {', '.join(sorted(job.old_set))}")
    if failed and not killed and not job.stop and replaced:
        findings.append(f"exit code {outcome.code}, but replaced {', '.join(sorted(replaced))}")
    return findings


def _next_run(program, folder):
    """What a killed run leaves half replaced, the next one finishes that writes there."""
    for place in ("out", "out.plots"):
        if (folder / place / ".syncline-journal").exists():
            subprocess.run([program, "simulate", "two", "--steps", "1", "-q", "-o", place], cwd=folder, capture_output=True)
    if (folder / ".syncline-journal").exists():
        (folder / "next.txt").write_text("clock a 1000000000\nprocess p a\n1 p mark m\n")
        subprocess.run([program, "filter", "next.txt", "next.out", "-q"], cwd=folder, capture_output=True)
        for name in ("next.txt", "next.out"):
            (folder / name).unlink(missing_ok=True)


def run(program, job, folder, slow):
    """All findings of one run, as short texts, and how it ended."""
    before = contents(folder)
    outcome, temporaries = execute(program, job, folder, slow)
    if outcome.code == -signal.SIGKILL:
        _next_run(program, folder)
    after = contents(folder)
    findings = _ending(job, outcome, slow) + _words(job, outcome) + _files(job, outcome, before, after)
    if temporaries:
        findings.append("temporary storage left over: " + temporaries[0])
    if not job.changing and outcome.code >= 0:
        for name in sorted(after):
            if before.get(name) != after[name] and (folder / name).is_file():
                findings += _readable(folder / name)
    if job.check:
        findings += job.check(folder, outcome)
    return findings, outcome
