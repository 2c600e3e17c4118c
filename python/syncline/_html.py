"""How results show themselves in notebooks: a table of clocks, and what is known of each over time."""

import html

import numpy as np

_COLORS = ("#4269d0", "#c25b10", "#2a8a57", "#b0368c", "#7a6000", "#0a8f9c", "#c23b3b", "#6b5bd2")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 560, 150, 70, 24, 8
_MOST_DRAWN = len(_COLORS)
_POINTS = 120


def duration(ns):
    """Nanoseconds as people write them, with four digits."""
    if ns is None:
        return "unbounded"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"


def clock_line(clock):
    if clock.name == clock.reference:
        return "the reference"
    bound = "" if clock.worst_bound_ns is None else f" ± {duration(clock.worst_bound_ns)}"
    return f"{duration(clock.offset_ns)}{bound} ahead of {clock.reference}, {clock.quality}"


def result_line(result):
    messages = result.summary["messages"]
    inverted = messages["inverted_before"]
    return f"{len(result.clocks)} clocks, {messages['total']} messages, {inverted} inverted as recorded"


def _table(headings, rows):
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _clock_row(clock):
    if clock.name == clock.reference:
        return (clock.name, "0 ns", "0 ppm", "± 0 ns", "reference")
    known = clock.quality != "absent"
    bound = duration(clock.worst_bound_ns)
    return (
        clock.name,
        duration(clock.offset_ns) if known else "unknown",
        f"{clock.drift_ppm:.3f} ppm" if known else "unknown",
        bound if clock.worst_bound_ns is None else f"± {bound}",
        clock.quality,
    )


def _tube(clock):
    """Seconds since the clock's first knot, and both bounds' distances from the corrected time there."""
    readings = clock.knots()[:, 0]
    first, last = int(readings[0]), int(readings[-1])
    places = np.unique([first + (last - first) * i // _POINTS for i in range(_POINTS + 1)])
    times = clock.correct(places)
    below, above = clock.bounds(places)
    limits = np.iinfo(np.int64)
    inside = (below != limits.min) & (above != limits.max)
    start = times[0]
    times, below, above = times[inside], below[inside], above[inside]
    return (times - start) / 1e9, below - times, above - times


def _polygon(tube, color, x_of, y_of):
    seconds, below, above = tube
    points = list(zip(seconds, above)) + list(zip(seconds, below))[::-1]
    text = " ".join(f"{x_of(x):.1f},{y_of(float(y)):.1f}" for x, y in points)
    return f'<polygon points="{text}" fill="{color}" fill-opacity="0.25" stroke="{color}"/>'


def _text(x, y, words, anchor="end"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(words)}</text>'


def _plot(clocks):
    """Where the true time lies about the corrected one, of the first clocks that have both bounds."""
    tubes = [
        (clock.name, _tube(clock))
        for clock in clocks
        if clock.name != clock.reference and clock.worst_bound_ns is not None
    ]
    tubes = [(name, tube) for name, tube in tubes if len(tube[0]) > 1][:_MOST_DRAWN]
    if not tubes:
        return ""
    longest = max(float(tube[0][-1]) for _, tube in tubes) or 1
    widest = float(max(max(-tube[1].min(), tube[2].max()) for _, tube in tubes)) or 1
    right, bottom = _WIDTH - 8, _HEIGHT - _BOTTOM
    middle = (_TOP + bottom) / 2

    def x_of(seconds):
        return _LEFT + seconds / longest * (right - _LEFT)

    def y_of(ns):
        return middle - ns / widest * (bottom - _TOP) / 2

    shapes = [
        _polygon(tube, color, x_of, y_of) for (_, tube), color in zip(tubes, _COLORS)
    ]
    names = "".join(
        f'<tspan fill="{color}">■ {html.escape(name)} </tspan>'
        for (name, _), color in zip(tubes, _COLORS)
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" font-size="11" fill="currentColor">'
        "<title>Bounds of the true time about the corrected one</title>"
        f'<path d="M{_LEFT} {middle}H{right}" stroke="currentColor" stroke-opacity="0.4"/>'
        + "".join(shapes)
        + _text(_LEFT - 4, _TOP + 8, "+" + duration(widest))
        + _text(_LEFT - 4, bottom, "−" + duration(widest))
        + _text(right, _HEIGHT - 8, f"{longest:.4g} s")
        + f'<text x="{_LEFT}" y="{_HEIGHT - 8}">{names}</text></svg>'
    )


def result_html(result):
    messages = result.summary["messages"]
    verdict = f"{messages['total']} messages, {messages['inverted_before']} of them received before they were sent"
    if "inverted_after" in messages:
        verdict += f"; after correction {messages['inverted_after']}"
    headings = ("clock", "ahead by", "drift", "bounds at most", "quality")
    clocks = list(result.clocks.values())
    table = _table(headings, [_clock_row(clock) for clock in clocks])
    return f"<div><p>{html.escape(verdict)}.</p>{table}{_plot(clocks)}</div>"


def _method_row(method):
    if method["failure"]:
        return (method["name"], method["failure"], "", "")
    worst = method["bound_ns"]["worst"]
    return (
        method["name"],
        str(method["inverted"]),
        duration(None) if worst is None else f"± {duration(worst)}",
        f"{method['estimate_s'] * 1e3:.3g} ms",
    )


def comparison_html(comparison):
    headings = ("method", "inverted after", "bounds at most", "estimation")
    table = _table(headings, [_method_row(method) for method in comparison.summary["methods"]])
    return f"<div>{table}</div>"
