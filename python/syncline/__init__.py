"""One time for traces from many clocks: docs/python.md.

    import syncline
    result = syncline.sync(["a.pcap", "b.pcap"], output="corrected")
    result.clocks["b"].correct(readings)
"""

import operator
import os

from . import _core
from ._arrays import message_ends
from ._errors import (
    Cancelled,
    Error,
    MalformedError,
    NoCorrectionError,
    UnreadableError,
    UnsupportedError,
    UsageError,
)
from ._results import OPEN_AFTER, OPEN_BEFORE, Clock, Comparison, Result

__all__ = [
    "Cancelled",
    "Clock",
    "Comparison",
    "Error",
    "MalformedError",
    "NoCorrectionError",
    "OPEN_AFTER",
    "OPEN_BEFORE",
    "Result",
    "UnreadableError",
    "UnsupportedError",
    "UsageError",
    "check",
    "compare",
    "estimate",
    "sync",
]

_CLOCK_PER = (None, "process", "node", "location")
_LOGICAL = ("none", "simple", "controlled")
_METHODS = ("drift-bounded", "joint")


def _choice(name, value, choices):
    if value not in choices:
        raise UsageError(f"{name}: {value!r} is none of {', '.join(map(str, choices))}")
    return choices.index(value)


def _rate(ppm):
    return None if ppm is None else float(ppm)


def _int64(name, value):
    number = operator.index(value)
    if not OPEN_BEFORE <= number <= OPEN_AFTER:
        raise UsageError(f"{name}: {number} does not fit 64 bits")
    return number


def _files(inputs):
    if isinstance(inputs, (str, os.PathLike)):
        inputs = [inputs]
    named = inputs.items() if hasattr(inputs, "items") else (("", path) for path in inputs)
    return [(os.fsencode(path), name) for name, path in named]


def _load(inputs, clock_per, clock_by, match, progress):
    number = _choice("clock_per", clock_per, _CLOCK_PER)
    rules = [match] if isinstance(match, str) else list(match)
    return _core.load(_files(inputs), number, clock_by, rules, progress)


def _estimate_options(
    method="drift-bounded",
    reference="",
    max_drift_ppm=200.0,
    max_slew_ppm=None,
    max_wander_ppm=None,
    min_delay_ns=0,
    max_outliers=0.005,
):
    _choice("method", method, _METHODS)
    return {
        "method": method,
        "reference": os.fsencode(reference or ""),
        "max_drift_ppm": _rate(max_drift_ppm),
        "max_slew_ppm": _rate(max_slew_ppm),
        "max_wander_ppm": _rate(max_wander_ppm),
        "min_delay_ns": _int64("min_delay_ns", min_delay_ns),
        "max_outliers": float(max_outliers),
    }


def _solve(traces, logical, progress, options):
    number = _choice("logical", logical, _LOGICAL)
    estimated = _core.estimate(traces, _estimate_options(**options), progress)
    return Result(traces, estimated, _core.correct(traces, estimated, number, progress))


def sync(
    inputs,
    output=None,
    *,
    merged=None,
    report=None,
    replace=False,
    rewrite_events=False,
    logical="controlled",
    clock_per=None,
    clock_by="",
    match=(),
    progress=None,
    **options,
):
    """Corrects traces, and writes them into the folder `output` where one is given."""
    if output is None and (merged or report):
        raise UsageError("merged and report need output, a folder")
    _estimate_options(**options)
    traces = _load(inputs, clock_per, clock_by, match, progress)
    result = _solve(traces, logical, progress, options)
    if output is not None:
        paths = [os.fsencode(path or "") for path in (output, merged, report)]
        written = _core.write(result._corrected, *paths, rewrite_events, replace, progress)
        result.outputs, result._json = written
    return result


def check(inputs, *, clock_per=None, clock_by="", match=(), progress=None, **options):
    """What is wrong with the traces' clocks; changes and writes nothing."""
    _estimate_options(**options)
    traces = _load(inputs, clock_per, clock_by, match, progress)
    return _solve(traces, "none", progress, options)


def compare(
    inputs, *, methods="all", clock_per=None, clock_by="", match=(), progress=None, **options
):
    """Every method of estimation on the same messages."""
    given = _estimate_options(**options)
    names = methods if isinstance(methods, str) else ",".join(methods)
    traces = _load(inputs, clock_per, clock_by, match, progress)
    return Comparison(*_core.compare(traces, given, names, progress))


def _clock_lines(clocks):
    """(name, ticks per second, ticks from the epoch to reading 0) of each."""
    rates = clocks if hasattr(clocks, "items") else dict.fromkeys(clocks, 1_000_000_000)
    if len(rates) != len(clocks):
        raise UsageError("clocks: two have the same name")
    lines = []
    for name, rate in rates.items():
        per_second, offset = rate if isinstance(rate, tuple) else (rate, 0)
        what = f"clock {name}"
        lines.append((name, _int64(what, per_second), _int64(what, offset)))
    return lines


def estimate(clocks, messages, *, logical="none", progress=None, **options):
    """The clocks' corrections from messages of your own.

    `clocks`: names of clocks that count nanoseconds, or a dict from name to ticks per second, or to
    (ticks per second, ticks from the epoch to reading 0). `messages`: an int64 array of shape (n, 4),
    or a dict or frame of four columns: sender, sent, receiver, received.
    """
    lines = _clock_lines(clocks)
    _estimate_options(**options)
    sends, receives = message_ends(messages, [name for name, _, _ in lines])
    traces = _core.take_messages(lines, sends, receives, progress)
    return _solve(traces, logical, progress, options)
