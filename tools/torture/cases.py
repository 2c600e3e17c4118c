"""What is tried: each function makes one case in an empty folder, from a random number generator."""

import errno
import gzip
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import mutators
import samples
from runner import Job

OUTPUTS = ("out", "out.json", "out.html", "out.csv", "out.merged", "out.plots", "out.svg", "out.log", "-")

# By their names it is told what they must hold.
OUTPUT_OF = {"--json": "out.json", "--report": "out.html", "--csv": "out.csv", "--plots": "out.plots", "--plot": "out.svg",
             "--merge": "out.merged", "--log": "out.log", "-o": "out", "--output": "out"}


@dataclass
class World:
    """What all cases share."""
    program: Path
    samples: list
    options: dict  # command -> options, option -> words, as the completion of bash has them
    hostile: list  # folders and files that once broke the program


def read_options(program):
    script = subprocess.run([program, "completion", "bash"], check=True, capture_output=True, text=True).stdout
    found = {tuple(command.split()[1:]): {option: [] for option in options.split()}
             for command, options in re.findall(r'"(syncline[^"]*)"\) options=\'([^\']*)\'', script)}
    for command, option, words in re.findall(r'"(syncline[^"]*) (\S+)"\) COMPREPLY=\(\$\(compgen -W \'([^\']*)', script):
        found[tuple(command.split()[1:])][option] = words.split()
    return found


def _take(r, world, here, formats=None):
    """A sample copied into the folder, with its inputs and options as arguments."""
    sample = r.choice([s for s in world.samples if not formats or s.format in formats])
    shutil.copytree(sample.path, here, dirs_exist_ok=True)
    names = r.sample(sample.inputs, r.randrange(1, len(sample.inputs) + 1)) if r.randrange(3) == 0 else list(sample.inputs)
    return sample, [_archive(here / n) for n in names], list(sample.options)


def _archive(path):
    anchors = sorted(path.rglob("*.otf2")) if path.is_dir() else []
    return os.path.relpath(anchors[0], path.parent) if anchors else path.name


def _command(r, sample_format, inputs, options, only=None):
    """A command that takes the inputs, and writes to OUTPUTS."""
    kinds = ["check", "sync", "sync", "compare", "convert", "concurrency"] + ["filter"] * (sample_format in ("text", "otf2"))
    kind = only or r.choice(kinds)
    words = {
        "check": ["--json", "out.json"],
        "sync": ["-o", "out", "--report", "out.html"] if r.randrange(2) else ["-o", "out", "--json", "out.json"],
        "compare": r.choice([["--plots", "out.plots"], ["--report", "out.html"], ["--json", "out.json"]]),
        "convert": ["--to", r.choice(["chrome", "csv", "ctf", "otf2", "perfetto", "shiviz", "text"]), "-o", "out"],
        "concurrency": r.choice([["--csv", "out.csv"], ["--report", "out.html"], ["--json", "out.json"]]),
        "filter": [],
    }[kind]
    if kind == "filter":
        return [kind, inputs[0], "out", "--json", "out.json"]
    if kind == "sync":
        words += r.choice([[], [], ["--write", "events"], ["--logical", "simple"], ["--logical", "none"]])
        words += ["--merge", "out.merged"] if sample_format in ("pcap", "pcapng", "chrome") and r.randrange(2) else []
    if kind in ("sync", "check", "convert"):
        words += r.choice([[], [], ["--group", r.choice(["joint", "tree-error", "piecewise", "closure", "broadcast"])],
                           ["--min-delay", "auto"], ["--max-drift-ppm", "inf"], ["--assume", "constant-rate"]])
    return [kind, *inputs, *words, *options]


def mutate(r, world, here):
    """a mutated file"""
    sample, inputs, options = _take(r, world, here)
    files = [p for p in sorted(here.rglob("*")) if p.is_file()]
    victim = r.choice(files)
    victim.write_bytes(mutators.mutate(r, samples.kind_of(victim, sample.format), victim.read_bytes()))
    if r.randrange(10) == 0:
        inputs.append(inputs[0])
    return Job(_command(r, sample.format, inputs, options), OUTPUTS)


def hostile(r, world, here):
    """an input that once broke it"""
    if not world.hostile:
        return mutate(r, world, here)
    source = r.choice(world.hostile)
    is_folder = source.is_dir()
    shutil.copytree(source, here / "in") if is_folder else shutil.copy(source, here / "in")
    inputs = sorted(p.parent.relative_to(here) for p in here.rglob("metadata")) if is_folder else ["in"]
    files = [p for p in sorted(here.rglob("*")) if p.is_file()]
    if r.randrange(2):
        victim = r.choice(files)
        kind = samples.kind_of(victim, "ctf" if is_folder else "text")
        victim.write_bytes(mutators.mutate(r, kind, victim.read_bytes()))
    return Job(_command(r, "ctf" if is_folder else "text", list(map(str, inputs)), []), OUTPUTS)


SMALL_FILES = {
    "--rules": "# a rule\nmsg:send(id, src, dst, proto) size len -> msg:recv(id, src, dst, proto) size len\n",
    "--min-delay": "c0 c1 1000\nc1 c0 2000 0.5\n* * 10\n",
    "--truth": '{ "clocks": { "c0": [[0, 0], [1000000000, 1000000010]], "c1": [[0, 5]] } }',
    "--config": 'group = "joint"\nmax-drift-ppm = 300\nbounds = 5\n[sub]\nquiet = true\n',
}


def side_file(r, world, here):
    """damaged rules, delays, truths, options, summaries"""
    option = r.choice([*SMALL_FILES, "report"])
    if option == "report":
        subprocess.run([world.program, "check", "-q", world.samples[-1].path, "--json", here / "side"], capture_output=True)
        if not (here / "side").exists():
            (here / "side").write_text('{"syncline": "0.1.0", "clocks": []}')
    else:
        (here / "side").write_text(SMALL_FILES[option])
    (here / "side").write_bytes(mutators.mutate(r, r.choice(["json", "text"]), (here / "side").read_bytes()))
    if option == "report":
        return Job(["report", "side", "-o", "out.html"], OUTPUTS)
    sample, inputs, options = _take(r, world, here, ("ctf", ) if option == "--rules" else ("text", "pcap"))
    words = [] if option == "--rules" else options
    return Job(_command(r, sample.format, inputs, words, r.choice(["check", "sync"])) + [option, "side"], OUTPUTS)


def options(r, world, here):
    """random options and values"""
    command = r.choice([c for c in world.options if c and c not in (("clock", ), ("simulate", ))] + [("simulate", )] * 2)
    sample, inputs, rules = _take(r, world, here, ("text", "pcap", "otf2"))
    words = [*command]
    if command[0] in ("sync", "check", "compare", "convert", "concurrency", "filter"):
        words += [inputs[0], "out"] if command[0] == "filter" else inputs
    elif command[0] == "simulate":
        words += [] if len(command) > 1 else [r.choice(["grid", "two", "ring", "client-server", "random", "ticks"])]
    elif command == ("clock", "probe"):
        words += ["127.0.0.1:9"]
    known = world.options[command]
    for option in r.sample(sorted(known), min(r.choice([1, 2, 3, 5]), len(known))):
        words.append(option)
        if known[option]:
            words.append(r.choice(known[option] + ["", "x"]))
        elif option in OUTPUT_OF:
            words.append(r.choice((OUTPUT_OF[option], ) * 4 + ("out", "-", "missing/out", "", "/dev/null", inputs[0])))
        elif r.randrange(12):
            words.append(str(r.choice(mutators.NUMBERS + mutators.WORDS + mutators.NASTY + [inputs[0], 3, 10, "5ms", "1:9", "0.5"])
                             ).replace("\0", ""))
    if command[0] in ("sync", "convert", "simulate", "report") and r.randrange(4):
        words += ["-o", "out"] + (["--to", "text"] if command[0] == "convert" else [])
    endless = command[0] in ("simulate", "clock")
    # A file that is no input of the command may be replaced, if that is asked for.
    replaced = tuple(inputs) if endless and ("--force" in words or "-f" in words) else ()
    return Job(words, OUTPUTS + ("missing", ) + replaced, stop=(2, signal.SIGTERM) if endless else None, big=endless)


def extreme(r, world, here):
    """valid traces of extreme values"""
    numbers = [0, 1, 2, 10**9, 2**53, 2**62, 2**63 - 1, -2**62, -2**63, 2**63 - 10**9, -10**18, 1763900000 * 10**9]
    if r.randrange(3) == 0:
        for name in ("a.pcap", "b.pcap"):
            head = struct.pack("<IHHiIII", r.choice([0xa1b2c3d4, 0xa1b23c4d]), 2, 4, 0, 0, 65535, 1)
            data = (world.samples[0].path / "host_a_ns.pcap").read_bytes()
            body, at = b"", 24
            while at + 16 <= len(data):
                size = struct.unpack_from("<I", data, at + 8)[0]
                body += struct.pack("<II", r.choice([0, 1, 2**31, 2**32 - 1]), r.choice([0, 999999, 999999999, 2**32 - 1]))
                body += data[at + 8:at + 16 + size]
                at += 16 + size
            (here / name).write_bytes(head + body)
        return Job(_command(r, "pcap", ["a.pcap", "b.pcap"], []), OUTPUTS)
    clocks = r.randrange(1, 5)
    lines = [f"clock c{i} {r.choice([1, 10**6, 10**9, 10**9, 10**18, 2**63 - 1])} {r.choice(numbers)}" for i in range(clocks)]
    lines += [f"process {i} c{i % clocks}" for i in range(clocks + 1)]
    times = {i: sorted(r.choice(numbers) + r.choice([0, 0, -1, 1, r.randrange(10**9)]) for _ in range(12)) for i in range(clocks + 1)}
    for message in range(20):
        a, b = r.sample(range(clocks + 1), 2)
        for p, word in ((a, f"send {b} {message} {r.choice([1, 2**63 - 1, 8])}"), (b, f"recv {a} {message}")):
            if times[p]:
                t = min(max(times[p].pop(0), -2**63), 2**63 - 1)
                lines.append(f"{t} {p} {word}")
    if r.randrange(2):
        lines += [f"{2**63 - 1} {i} collective barrier w 1 {w}" for w in ("begin", "end") for i in range(clocks + 1)]
    (here / "t.txt").write_text("\n".join(lines) + "\n")
    words = r.choice([[], [], ["--min-delay", str(r.choice([1, 2**62, 2**63 - 1]))], ["--max-drift-ppm", r.choice(["0", "5e5", "inf"])],
                      ["--reference", "c0"]])
    command = _command(r, "text", ["t.txt"], [])
    return Job(command + (words if command[0] in ("check", "sync", "convert") else []), OUTPUTS)


def _replacing(r, world, here):
    """A command that replaces a set of outputs, which stand there with other contents, and that set."""
    sample, inputs, options = _take(r, world, here)
    only = r.choice(["sync"] * 4 + ["convert", "compare", "simulate"] + ["filter"] * (sample.format in ("text", "otf2")))
    words = _simulation(r) if only == "simulate" else _command(r, sample.format, inputs, options, only)
    return _over_old_outputs(r, world, here, words)


def _simulation(r):
    return ["simulate", "ring", "-o", "out", "--format", r.choice(["text", "otf2", "chrome"])]


def _over_old_outputs(r, world, here, words):
    words = words + ["-f"] + ["-q"] * (words[0] != "report")
    inputs = {p for p in here.rglob("*") if p.is_file()}
    subprocess.run([world.program, *words], cwd=here, capture_output=True)
    old = [p for p in here.rglob("*") if p.is_file() and p not in inputs]
    for path in old:
        # Formats whose folders are recognized by what is in them keep that.
        if path.name not in ("metadata", ) and path.suffix not in (".otf2", ".def"):
            path.write_bytes(b"old\n")
        else:
            path.write_bytes(path.read_bytes() + b"\n")
    if old and r.randrange(2) and words[0] == "sync":
        (here / "out/foreign.txt").write_text("not yours\n")
    return Job(words, OUTPUTS, tuple(str(p.relative_to(here)) for p in old))


def killed(r, world, here):
    """ended at a random moment"""
    job = _replacing(r, world, here)
    job.stop = (r.random()**2 * 0.1, r.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
    return job


def faulty(r, world, here):
    """a system call that fails, or the last one"""
    job = _replacing(r, world, here)
    name = r.choice(["rename"] * 2 + ["renameat2"] * 4 + ["link", "unlink", "mkdir", "fsync", "close", "write", "read", "pread"])
    what = r.choice(["kill", str(errno.EIO), str(errno.ENOSPC)])
    job.fault = f"{name}:{r.randrange(1, 12 if name in ('rename', 'renameat2', 'link', 'mkdir', 'fsync') else 60)}:{what}"
    return job


def full_disk(r, world, here):
    """outputs that find no room"""
    job = _replacing(r, world, here)
    if r.randrange(4) == 0:
        job.to_full = True
        job.args = [a for a in job.args if a != "-q"]
    else:
        job.limits = {resource.RLIMIT_FSIZE: r.choice([0, 1, 100, 1000, 4096, 10000, 100000])}
    return job


WELL_CONNECTED = ("archive", "eztrace", "logs", "lttng", "lttng_rates", "pcap_ns", "ring", "sink")


def tiny_disk(r, world, here):
    """a file system that is full soon"""
    kind = r.choice(["sync"] * 3 + ["convert"] * 3 + ["filter", "filter", "compare", "concurrency", "report", "simulate"])
    sample = r.choice([s for s in world.samples if s.path.name in WELL_CONNECTED and (kind != "filter" or s.format in ("text", "otf2"))])
    shutil.copytree(sample.path, here, dirs_exist_ok=True)
    inputs = [_archive(here / n) for n in sample.inputs]
    words = {
        "convert": [kind, *inputs, "--to", r.choice(["chrome", "csv", "ctf", "otf2", "perfetto", "shiviz", "text"]), "-o", "out",
                    *r.choice([[], ["--recorded"]]), *sample.options],
        "report": [kind, "side", "-o", "out.html"],
        "simulate": _simulation(r),
    }.get(kind) or _command(r, sample.format, inputs, list(sample.options), kind)
    if kind == "sync" and r.randrange(2) and "--write" not in words:
        words += ["--write", "events"]
    if kind == "report":
        subprocess.run([world.program, "check", "-q", *inputs, *sample.options, "--json", "side"], cwd=here, capture_output=True)
    job = _over_old_outputs(r, world, here, words) if r.randrange(2) else Job(words + ["-q"] * (kind != "report"), OUTPUTS)
    job.disk = int(2**r.uniform(12, 19))
    job.temporary_there = r.randrange(3) == 0
    return job


def few_descriptors(r, world, here):
    """few descriptors, or little memory"""
    sample, inputs, options = _take(r, world, here)
    return Job(_command(r, sample.format, inputs, options), OUTPUTS, limits={resource.RLIMIT_NOFILE: r.randrange(8, 24)})


def changing(r, world, here):
    """inputs that change or vanish"""
    sample, inputs, options = _take(r, world, here)
    victim = r.choice([p for p in sorted(here.rglob("*")) if p.is_file()])
    moment, what, done = r.random() * 0.03, r.randrange(5), []

    def change(now):
        if done or now < moment:
            return
        done.append(True)
        if what == 0:
            victim.unlink()
        elif what == 1:
            os.truncate(victim, victim.stat().st_size // 2)
        elif what == 2:
            victim.write_bytes(victim.read_bytes() + victim.read_bytes()[-200:])
        elif what == 3:
            victim.write_bytes(mutators.raw(r, victim.read_bytes()))
        else:
            victim.unlink()
            victim.mkdir()

    # The program itself gives a process that reads CTF 20 s without progress, and starts one per core.
    return Job(_command(r, sample.format, inputs, options), OUTPUTS, during=change, changing=True, patience=3)


def closed(r, world, here):
    """standard descriptors closed"""
    sample, inputs, options = _take(r, world, here)
    return Job(_command(r, sample.format, inputs, options), OUTPUTS,
               closed=tuple(sorted(r.sample([0, 1, 2], r.randrange(1, 4)))))


def symlinks(r, world, here):
    """links planted where outputs go"""
    job = _replacing(r, world, here)
    job.old_set = ()
    (here / "victim").mkdir()
    (here / "victim/file").write_text("keep\n")
    for path in [p for p in sorted(here.rglob("*")) if str(p.relative_to(here)).startswith("out") and not p.is_symlink()]:
        if r.randrange(3) == 0 and path.exists() and not path.is_symlink():
            is_folder = path.is_dir()
            shutil.rmtree(path) if is_folder else path.unlink()
            path.symlink_to(here / ("victim" if is_folder else "victim/file"))

    def check(folder, outcome):
        kept = (folder / "victim/file").read_text() if (folder / "victim/file").exists() else None
        return [] if kept == "keep\n" else ["a file behind a link was changed"]

    # A folder that is a link is written into, as by all programs; what is behind a file's link stays.
    job.outputs += ("victim", )
    job.check = check
    return job


def many(r, world, here):
    """500 inputs"""
    sample = r.choice([s for s in world.samples if s.format in ("text", "pcap")])
    names = []
    for i in range(500):
        names.append(f"n{i:03}" + Path(sample.inputs[-1]).suffix)
        shutil.copy(sample.path / sample.inputs[-1], here / names[-1])
    return Job(_command(r, sample.format, names, [], r.choice(["check", "sync"])), OUTPUTS)


def compressed(r, world, here):
    """compressed inputs, cut, damaged or endless"""
    sample, inputs, options = _take(r, world, here, ("text", "pcap", "pcapng", "spans", "chrome", "logs"))
    for name in r.sample(inputs, r.randrange(1, len(inputs) + 1)):
        file = here / name
        pack = r.choice([gzip.compress] + [_zstd] * (shutil.which("zstd") is not None))
        data = pack(file.read_bytes())
        what = r.randrange(4)
        if what == 0:
            data = data[:r.randrange(len(data))]
        elif what == 1:
            data = mutators.raw(r, data)
        elif what == 2:
            # Both formats may go on with another member: together 500 MB of one byte, or 100 million empty lines.
            whole = file.read_bytes()
            byte = r.choice([b"\0", b" ", b"\n", b"[", b"0"])
            data = pack(whole[:r.randrange(len(whole) + 1)]) + (100 if byte == b"\n" else 500) * pack(byte * 10**6)
        file.write_bytes(data)
    return Job(_command(r, sample.format, inputs, options), OUTPUTS)


def _zstd(data):
    return subprocess.run(["zstd", "-c", "-q"], input=data, check=True, capture_output=True).stdout


def names(r, world, here):
    """hostile names through every output"""
    trace = samples.TEXT
    nasty = [n for n in mutators.NASTY if n]
    for word in ("a", "b", "main", "here", "world", "master of all"):
        new = r.choice(nasty) if " " in word else re.sub(r"\s", "_", r.choice(nasty))
        trace = re.sub(rf"\b{word}\b", lambda _: new, trace)
    name = r.choice(nasty).replace("/", "_")[:200]
    (here / name).write_text(trace, errors="replace")
    argument = r.choice(["./" + name, r.choice(nasty) + "=./" + name])
    return Job(_command(r, "text", [argument], []), OUTPUTS)


KINDS = [mutate, hostile, side_file, options, extreme, killed, faulty, full_disk, tiny_disk, few_descriptors, changing, closed,
         symlinks, many, compressed, names]
SHARES = {mutate: 30, hostile: 4, side_file: 6, options: 15, extreme: 12, killed: 6, faulty: 8, full_disk: 6, tiny_disk: 6, few_descriptors: 3,
          changing: 6, closed: 3, symlinks: 3, many: 0.05, compressed: 4, names: 5}
