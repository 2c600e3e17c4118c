"""The runs of clock_sweep.py: what the clocks, the network and the recording of each kind are like.

A run is the arguments of bench/clock_sweep. They depend on the kind and the seed alone, so the list is the
same every time; seeds 1, 2, … of a kind are its runs.
"""

import dataclasses
import random


class Draw:
    """Values that depend on a text alone."""

    def __init__(self, text):
        self.random = random.Random(text)

    def of(self, *values):
        return values[int(self.random.random() * len(values))]

    def between(self, low, high):
        return low + (high - low) * self.random.random()

    def place(self, low=0.05, high=0.95):
        """A share of the run's length."""
        return f"{self.between(low, high):.4f}"

    def sign(self):
        return self.of("", "-")


@dataclasses.dataclass(frozen=True)
class Kind:
    """`arguments` takes a Draw and the number of clocks and gives what is special; None as `network` is any.

    slews: also measured with --max-drift-ppm 600. lies: matches or stamps are wrong. windows: the best window
    chosen by hand makes sense.
    """

    name: str
    title: str
    runs: int
    arguments: object
    network: object = None
    slews: bool = False
    lies: bool = False
    windows: bool = False


DELAYS = ["extra=exp:50us", "extra=exp:200us", "extra=exp:1ms", "extra=pareto:40us:1.5",
          "extra=pareto:100us:1.1"]
LEAST = ["least=50us:60us", "least=50us:400us", "least=20us:1ms", "least=2ms:10ms"]
WANDER = "clock=*:walk=0.01/10s/2"


def clocks_of(draw):
    """Topology and number of clocks: few of the large ones, which take longest."""
    topology = draw.of("pair", "star", "star", "ring", "mesh")
    if topology == "pair":
        return topology, 2
    return topology, draw.of(3, 4, 4, 5, 8, 8, 8, 16, 16, 32, 64)


def any_network(draw):
    topology, clocks = clocks_of(draw)
    length = draw.of("10min", "20min", "1h", "1h", "2h", "2h", "8h")
    least = {"10min": 1000, "20min": 2000, "1h": 4000, "2h": 8000, "8h": 20000}[length]
    messages = max(least, clocks * 250) * draw.of(1, 1, 2, 5)
    return clocks, [
        f"topology={topology}", f"clocks={clocks}", f"neighbours={draw.of(4, 6)}",
        f"hub={draw.of(0, 0, clocks - 1)}",
        f"length={length}", f"messages={min(messages, 100000)}",
        f"one-way={draw.of(0, 0.1, 0.5)}", draw.of(*DELAYS), draw.of(*LEAST),
    ]


def group_network(draw):
    clocks, network = any_network(draw)
    return (clocks, network) if clocks > 2 else group_network(draw)


def long_network(draw):
    clocks = draw.of(4, 8, 16)
    return clocks, [f"topology={draw.of('star', 'mesh')}", f"clocks={clocks}", "neighbours=4",
                    "length=8h", "messages=1000000", draw.of(*DELAYS), draw.of(*LEAST)]


def other(draw, clocks):
    """A clock that is not the reference."""
    return 1 + int(draw.between(0, clocks - 1))


def amount(draw):
    return draw.sign() + draw.of("1ms", "2.5ms", "10ms", "100ms", "1s", "37s", "10min", "1h")


def constant(draw, clocks):
    return []


def walk(draw, clocks):
    step, ppm = draw.of(("1s", 0.01), ("10s", 0.02), ("10s", 0.1), ("1s", 0.05), ("1min", 0.3))
    return [f"clock=*:walk={ppm}/{step}/{draw.of(2, 5)}"]


def sine(draw, clocks):
    period = draw.of("5min", "20min", "1h", "2h")
    return [f"clock={draw.of('*', f'1-{clocks - 1}')}:sine={draw.of(0.1, 0.5, 1, 3)}/{period}"]


def temperature(draw, clocks):
    change = f"{draw.sign()}{draw.of(0.5, 2, 5)}/{draw.of('1min', '5min', '20min')}"
    return [f"clock={draw.of('*', other(draw, clocks))}:warm={change}@{draw.place()}"]


def ntp_daemon(draw):
    return (f"ntp={draw.of('16s', '64s', '64s', '256s', '1024s')}/{draw.of('50us', '500us', '3ms')}"
            f"/{draw.of(500, 500, 100)}+walk=0.01/10s/2")


def ntp(draw, clocks):
    """The reference runs freely and well, as a machine with a good clock does."""
    return [f"offset={draw.of('20ms', '100ms', '1s')}", "clock=0:drift=0",
            f"clock=1-{clocks - 1}:{ntp_daemon(draw)}"]


def ntp_everywhere(draw, clocks):
    return [f"offset={draw.of('5ms', '100ms', '1s')}", f"clock=*:{ntp_daemon(draw)}"]


def chrony(draw, clocks):
    error, slew = draw.of(("5us", 10), ("20us", 20), ("50us", 50))
    return ["offset=1ms", WANDER, f"clock=*:chrony={draw.of('16s', '64s', '256s')}/{error}/{slew}"]


def rough_chrony(draw, clocks):
    error = draw.of("300us", "1ms", "3ms")
    return ["offset=10ms", WANDER, f"clock=*:chrony={draw.of('16s', '64s')}/{error}/{draw.of(100, 200)}"]


def step(draw, clocks):
    return [WANDER, f"clock={other(draw, clocks)}:step={amount(draw)}@{draw.place()}"]


def steps(draw, clocks):
    """Forth and back, or always the same way."""
    by = draw.of("1ms", "2.5ms", "50ms", "1s")
    is_swinging = draw.of(True, False)
    count = draw.of(3, 10, 30)
    first = draw.sign()
    signs = ["" if k % 2 else "-" if is_swinging else first for k in range(count)]
    places = [(k + draw.between(0.2, 0.8)) / count for k in range(count)]
    parts = "+".join(f"step={s}{by}@{p:.4f}" for s, p in zip(signs, places))
    return [f"clock={other(draw, clocks)}:{parts}"]


def step_near_end(draw, clocks):
    near = draw.of(draw.between(0.0005, 0.01), 1 - draw.between(0.0005, 0.01))
    which = draw.of(other(draw, clocks), other(draw, clocks), 0)
    return [f"clock={which}:step={amount(draw)}@{near:.5f}"]


def two_set(draw, clocks):
    by = amount(draw)
    first = other(draw, clocks)
    second = first % (clocks - 1) + 1
    at = draw.of(draw.place(), draw.place(0.99, 0.999))
    return [WANDER] + [f"clock={c}:step={by}@{at}" for c in sorted({first, second})]


def reference_set(draw, clocks):
    return [WANDER, f"clock=0:step={amount(draw)}@{draw.of(draw.place(), draw.place(0.002, 0.01))}"]


def leap_second(draw, clocks):
    which = draw.of("*", "*", f"0-{clocks // 2}", f"{(clocks + 1) // 2}-{clocks - 1}")
    return [f"clock={which}:step={draw.of('-1s', '-1s', '1s')}@{draw.of(draw.place(), '0.997')}"]


def suspended(draw, clocks):
    parts = [f"sleep={draw.of('5s', '30s', '90s')}@{draw.place(0.05, 0.9)}"
             for _ in range(draw.of(1, 1, 2, 3))]
    return [WANDER, f"clock={other(draw, clocks)}:{'+'.join(parts)}"]


def coarse(draw, clocks):
    hz = draw.of(1_000_000, 1_000_000, 1000, 1000, 100, 10, 1)
    which = draw.of("*", f"1-{clocks - 1}", other(draw, clocks))
    return [WANDER, f"clock={which}:hz={hz}"]


def congestion(draw, clocks):
    return [WANDER, f"queues={draw.of(1, 3, 10, 30)}:{draw.of('2ms', '20ms', '100ms')}"
                    f":{draw.of('1min', '3min', '10min')}"]


def silence(draw, clocks):
    return [WANDER] + [f"silence={draw.place(0.05, 0.8)}:{draw.of('1min', '4min')}" for _ in range(2)]


def late(draw, clocks):
    return [WANDER, f"late={draw.of(0.001, 0.01, 0.1)}:{draw.of('20us', '500us', '5ms', '50ms')}"]


def wrong(draw, clocks):
    return ["wrong=0.001", *draw.of([], [WANDER], [WANDER])]


def wrong_and_set(draw, clocks):
    return ["wrong=0.001", *step(draw, clocks)]


def wrapping(draw, clocks):
    return [WANDER, f"wrap={draw.of(16, 64, 256)}", f"lost={draw.of(0.001, 0.01)}"]


KINDS = [
    Kind("constant", "constant rate", 24, constant, windows=True),
    Kind("walk", "random walk of the rate", 40, walk, windows=True),
    Kind("sine", "sine of the rate", 32, sine, windows=True),
    Kind("temperature", "temperature steps", 24, temperature, windows=True),
    Kind("congestion", "queues for minutes, one way", 40, congestion, windows=True),
    Kind("silence", "silences of minutes", 16, silence, windows=True),
    Kind("coarse", "stamps of 1 µs to 1 s", 28, coarse),
    Kind("ntp", "NTP", 40, ntp, slews=True, windows=True),
    Kind("ntp-all", "NTP, the reference too", 16, ntp_everywhere, slews=True, windows=True),
    Kind("chrony", "chrony", 32, chrony, windows=True),
    Kind("chrony-rough", "chrony, larger errors", 16, rough_chrony, slews=True, windows=True),
    Kind("step", "one step", 40, step),
    Kind("steps", "repeated steps", 24, steps),
    Kind("step-end", "a step in the first or last percent", 32, step_near_end),
    Kind("two-set", "two clocks set together", 16, two_set, group_network),
    Kind("reference-set", "the reference set", 16, reference_set),
    Kind("leap", "leap second", 16, leap_second),
    Kind("suspend", "suspend and resume", 24, suspended),
    Kind("long", "random walk, 8 h, 10⁶ messages", 4, walk, long_network, windows=True),
    Kind("wrong", "0.1 % wrong matches", 28, wrong, lies=True),
    Kind("wrong-set", "0.1 % wrong matches and a step", 12, wrong_and_set, lies=True),
    Kind("late", "sends stamped late", 24, late, lies=True),
    Kind("wrap", "ids wrap, records lost", 20, wrapping, lies=True),
]


def arguments_of(kind, seed):
    draw = Draw(f"{kind.name} {seed}")
    clocks, network = (kind.network or any_network)(draw)
    return [f"seed={seed}", *network, *kind.arguments(draw, clocks)]
