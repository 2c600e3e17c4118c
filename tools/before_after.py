#!/usr/bin/env python3
"""Draws the picture of the README: the same messages by recorded and by corrected times.

    before_after.py SAMPLE_DIR CORRECTED_DIR > before-after.svg

SAMPLE_DIR holds a.pcap … c.pcap and messages.csv; CORRECTED_DIR what `syncline sync` made of them.
"""

import csv
import pathlib
import struct
import sys

HOSTS = "abc"
SECONDS = 3.0
EVERY = 9  # messages per arrow drawn
WIDTH, LANE, LEFT, GAP = 470, 62, 34, 40
INK, LATE = "#24292f", "#d1242f"


def times(path):
    data, at, stamps = path.read_bytes(), 24, []
    while at < len(data):
        seconds, fraction, length = struct.unpack_from("<III", data, at)
        stamps.append(seconds * 10**9 + fraction)
        at += 16 + length
    return stamps


def panel(title, stamps, messages, origin, left):
    def x(t):
        return left + LEFT + (t - origin) / 1e9 / (SECONDS + 2.2) * (WIDTH - LEFT)

    def y(host):
        return 64 + LANE * HOSTS.index(host)

    parts = [f'<text x="{left}" y="22" font-weight="bold">{title}</text>']
    for host in HOSTS:
        parts.append(f'<text x="{left}" y="{y(host) + 4}">{host}</text>')
        parts.append(
            f'<line x1="{left + LEFT}" y1="{y(host)}" x2="{left + WIDTH}" y2="{y(host)}" '
            f'stroke="#8c959f"/>'
        )
    for tx, send, rx, receive in messages:
        sent, received = stamps[tx][send], stamps[rx][receive]
        kind = "late" if received < sent else "ok"
        parts.append(
            f'<line x1="{x(sent):.1f}" y1="{y(tx)}" x2="{x(received):.1f}" y2="{y(rx)}" '
            f'stroke="{LATE if kind == "late" else INK}" marker-end="url(#{kind})"/>'
        )
    late = sum(stamps[rx][r] < stamps[tx][s] for tx, s, rx, r in messages)
    parts.append(
        f'<text x="{left + LEFT}" y="{64 + 3 * LANE - 22}" fill="{LATE if late else INK}">'
        f"{late} of {len(messages)} messages arrive before they were sent</text>"
    )
    return parts


def main():
    sample, corrected = map(pathlib.Path, sys.argv[1:])
    before = {host: times(sample / f"{host}.pcap") for host in HOSTS}
    after = {host: times(corrected / f"{host}.pcap") for host in HOSTS}
    with open(sample / "messages.csv") as file:
        rows = [
            (m["tx_host"], int(m["tx_index"]), m["rx_host"], int(m["rx_index"]))
            for m in csv.DictReader(file)
        ]
    rows = [r for r in rows if r[0] in HOSTS and r[2] in HOSTS]
    rows.sort(key=lambda r: after[r[0]][r[1]])
    start = after[rows[0][0]][rows[0][1]] + 20 * 10**9
    shown = [r for r in rows if 0 <= after[r[0]][r[1]] - start < SECONDS * 1e9][::EVERY]
    first = min(min(before[tx][s], before[rx][r]) for tx, s, rx, r in shown)
    marks = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
        f'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{color}"/></marker>'
        for name, color in (("ok", INK), ("late", LATE))
    )
    first_after = min(min(after[tx][s], after[rx][r]) for tx, s, rx, r in shown)
    width, height = 2 * WIDTH + GAP, 64 + 3 * LANE
    parts = panel("recorded", before, shown, first, 8)
    parts += panel("corrected", after, shown, first_after, 8 + WIDTH + GAP)
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 16} {height}" '
        f'font-family="sans-serif" font-size="13" fill="{INK}">'
        f'<rect width="100%" height="100%" fill="white"/><defs>{marks}</defs>'
    )
    print("\n".join(parts) + "\n</svg>")


if __name__ == "__main__":
    main()
