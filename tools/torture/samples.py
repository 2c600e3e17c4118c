"""Small sound inputs of every format, copied or made once, to be damaged."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Sample:
    format: str
    path: Path  # the folder to be copied
    inputs: list  # in it, what the command gets
    options: tuple = ()


def kind_of(path, sample_format):
    """By which mutator a file of a sample is damaged."""
    if path.suffix == ".gz":
        return "gzip"
    if sample_format == "ctf":
        return "ctf_metadata" if path.name == "metadata" else "ctf_stream"
    if sample_format in ("pcap", "pcapng"):
        return "pcapng" if path.suffix == ".pcapng" else "pcap"
    if sample_format == "logs":
        return "json" if path.suffix == ".log" else "text"
    if sample_format in ("spans", "chrome"):
        return "protobuf" if path.suffix == ".bin" else "json"
    return sample_format


TEXT = """clock a 1000000000
clock b 1000000 -500
process 0 a master of all
process 1 b
process 2 b
group world 0 1 2
100 0 enter main
200 0 send 1 1 64
260 0 collective barrier world 1 begin
900 1 recv 0 1 64
950 2 bcast 7
960 1 send 0 2
970 1 collective barrier world 1 begin
980 2 collective barrier world 1 begin
1000 1 collective barrier world 1 end
1001 2 collective barrier world 1 end
901000 0 recv 1 2
902000 0 block
903000 0 collective barrier world 1 end
903500 0 mark here
904000 0 leave main
"""


LOG_RULES = """read json time=time host=host kind=kind
sent(id, to) -> got(id, to)
"""


def _log(host, shift_ms):
    lines = [f'{{"time":{1795476000000 + 100 * i + shift_ms},"host":"{host}","kind":"{"sent" if (i % 2 == 0) == (host == "a") else "got"}",'
             f'"id":{i},"to":"é \\"{i % 2}\\""}}' for i in range(20)]
    return "\n".join(lines + ["no record", ""])


def make(program, repository, data, to):
    """Samples below the folder `to`, and from a folder of recordings, if there is one."""
    found = []

    def add(sample_format, name, files, options=()):
        folder = to / name
        folder.mkdir(parents=True)
        for file in files:
            target = folder / file.name
            shutil.copytree(file, target) if file.is_dir() else shutil.copy(file, target)
        found.append(Sample(sample_format, folder, [file.name for file in files], options))

    def run(*words):
        subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    source = repository / "src"
    captures = source / "read/pcap/testdata"
    add("pcap", "pcap_ns", [captures / "host_a_ns.pcap", captures / "host_b_ns.pcap"])
    add("pcap", "pcap_us", [captures / "loopback_us.pcap", captures / "cooked_us.pcap"])
    add("pcapng", "pcapng", [captures / "two_sections.pcapng", captures / "two_interfaces.pcapng"])
    corpus = repository / "fuzz/corpus"
    add("pcapng", "pcapng_blocks", [corpus / "pcapng/every_block_big.pcapng", corpus / "pcapng/every_block_little.pcapng"])
    add("spans", "spans", [corpus / "spans" / n for n in ("document.json", "lines.jsonl", "jaeger.json", "protobuf.bin")])
    add("chrome", "chrome", [corpus / "chrome" / n for n in ("tiny.json", "odd_times.json")])
    lttng = source / "read/ctf/testdata/rates"
    rule = ("--match", "msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)")
    add("ctf", "lttng", [lttng / "hostA", lttng / "hostB"], rule)
    add("ctf", "perf", [source / "match/testdata/perf_net"])

    made = to / "made"
    made.mkdir()
    (made / "own.txt").write_text(TEXT)
    run("simulate", "ring", "-q", "--processes", 4, "--steps", 20, "--clock", "1:offset=3ms+drift=40ppm", "-o", made / "ring")
    run("simulate", "grid", "-q", "--processes", 4, "--steps", 5, "--format", "otf2", "--detail", "calls", "-o", made / "archive")
    (made / "a.log").write_text(_log("a", 0))
    (made / "b.log").write_text(_log("b", 3000))
    add("logs", "logs", [made / "a.log", made / "b.log"], ("--rules", "log.rules"))
    (to / "logs/log.rules").write_text(LOG_RULES)
    trace = made / "ring/trace.txt"
    for target in ("ctf", "chrome"):
        run("convert", "-q", trace, "--recorded", "--to", target, "-o", made / ("ring." + target))
    add("text", "text", [made / "own.txt"])
    add("text", "ring", [trace])
    add("otf2", "otf2", [made / "archive/trace"])
    add("otf2", "eztrace", [source / "read/otf2/testdata/ring"])
    add("ctf", "sink", sorted((made / "ring.ctf").iterdir()), ("--match", "send(message) -> receive(message)"))
    shutil.copy(made / "ring.chrome", made / "ring.json")
    add("chrome", "chrome_ring", [made / "ring.json"])
    if data:
        for name, pattern in (("lttng_rates", "lttng/rates/host*"), ):
            files = sorted(data.glob(pattern))
            if files:
                add("ctf", name, files, rule)
        for folder in sorted((data / "kineto").glob("linear")):
            add("chrome", "kineto", sorted(folder.iterdir())[:3])
    return found
