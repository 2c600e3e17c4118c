#!/usr/bin/env python3
"""Writes the sample logs and their truth beside itself; the same in every run. CC0.

Of each folder one clock is right and the other one is not: it is ahead by a constant and gains. A
line's stamp is its clock's reading when the line was written, cut off to what the log resolves.
"""

import hashlib
import json
import pathlib
import random
from datetime import datetime, timezone

HERE = pathlib.Path(__file__).parent
BEGIN_NS = int(datetime(2026, 11, 2, 8, tzinfo=timezone.utc).timestamp()) * 10**9
MS = 10**6
US = 10**3


class Clock:
    def __init__(self, ahead_ns, gains_ppm):
        self.ahead_ns, self.gains_ppm = ahead_ns, gains_ppm

    def read(self, true_ns):
        return true_ns + self.ahead_ns + (true_ns - BEGIN_NS) * self.gains_ppm // 10**6


def exchanges(seed, count):
    """Of each request: sent, received, answered (true), and back again."""
    rng = random.Random(seed)
    at = BEGIN_NS
    for number in range(count):
        at += rng.randrange(2000 * MS, 8000 * MS)
        there = at + rng.randrange(300 * US, 2500 * US)
        done = there + rng.randrange(2 * MS, 60 * MS)
        back = done + rng.randrange(300 * US, 2500 * US)
        yield number, at, there, done, back


def write(folder, files, clocks):
    """Files are lists of (true time, line) and come in order of time."""
    (HERE / folder).mkdir(exist_ok=True)
    for name, lines in files.items():
        text = "".join(line + "\n" for _, line in sorted(lines, key=lambda pair: pair[0]))
        (HERE / folder / name).write_text(text)
    ends = [BEGIN_NS, BEGIN_NS + 3600 * 10**9]
    truth = {name: [[clock.read(t), t] for t in ends] for name, clock in clocks.items()}
    (HERE / folder / "truth.json").write_text(json.dumps({"clocks": truth}, indent=1) + "\n")


def pino(clock, host, pid, true_ns, message, **more):
    stamp = clock.read(true_ns) // MS
    record = {"level": 30, "time": stamp, "pid": pid, "hostname": host, **more, "msg": message}
    return true_ns, json.dumps(record, separators=(",", ":"))


def services():
    """Two services' logs by pino; payments logs that it is done up to 1 ms after it has answered."""
    web, pay = Clock(0, 0), Clock(850 * MS, 30)
    orders, payments = [], []
    rng = random.Random(7)
    for number, sent, received, answered, back in exchanges(1, 120):
        request = f"r-{number:04}"
        orders.append(pino(web, "web-1", 411, sent, "calling payments", reqId=request))
        payments.append(pino(pay, "pay-1", 97, received, "request received", reqId=request))
        logged = answered + rng.randrange(0, MS)
        payments.append(pino(pay, "pay-1", 97, logged, "request completed", reqId=request))
        orders.append(pino(web, "web-1", 411, back, "payments answered", reqId=request))
    payments.append((payments[40][0] + 1, "TypeError: amount is undefined\n    at pay (pay.js:17)"))
    files = {"orders.log": orders, "payments.log": payments}
    write("services", files, {"web-1": web, "pay-1": pay})


def journald():
    """Two hosts' journals; a scheduler hands jobs to a worker."""
    a, b = Clock(0, 0), Clock(-420 * MS, -12)

    def line(clock, host, unit, true_ns, message):
        record = {
            "__REALTIME_TIMESTAMP": str(clock.read(true_ns) // US),
            "_HOSTNAME": host,
            "SYSLOG_IDENTIFIER": unit,
            "PRIORITY": "6",
            "MESSAGE": message,
        }
        return true_ns, json.dumps(record)

    on_a, on_b = [], []
    for number, sent, received, answered, back in exchanges(2, 120):
        on_a.append(line(a, "hosta", "scheduler", sent - 50 * US, f"job {number} handed out"))
        on_b.append(line(b, "hostb", "worker", received, f"job {number} taken"))
        on_b.append(line(b, "hostb", "worker", answered - 50 * US, f"job {number} done"))
        on_a.append(line(a, "hosta", "scheduler", back, f"result of job {number} stored"))
        on_a.append(line(a, "hosta", "systemd", back + MS, "Started Session 3 of user root."))
    write("journald", {"hosta.json": on_a, "hostb.json": on_b}, {"hosta": a, "hostb": b})


def nginx():
    """An nginx's access log, and the log of the application behind it, on another host."""
    front, app = Clock(0, 0), Clock(1700 * MS, 35)
    access, lines = [], []
    for number, sent, received, answered, back in exchanges(3, 120):
        request = hashlib.sha256(f"request {number}".encode()).hexdigest()[:32]
        end = front.read(back)
        took_ms = (back - sent) // MS
        local = datetime.fromtimestamp(end // 10**9, timezone.utc).strftime("%d/%b/%Y:%H:%M:%S")
        access.append(
            (
                back,
                f'192.0.2.{number % 9 + 1} - - [{local} +0000] "GET /item/{number} HTTP/1.1" 200 '
                f'{500 + number} "-" "curl/7.88.1" {request} {took_ms // 1000}.{took_ms % 1000:03} '
                f"{end // 10**9}.{end // MS % 1000:03}",
            )
        )
        lines.append(pino(app, "app-1", 31, received, "request received", requestId=request))
        lines.append(pino(app, "app-1", 31, answered, "sending the answer", requestId=request))
    write("nginx", {"access.log": access, "app.log": lines}, {"access": front, "app-1": app})


services()
journald()
nginx()
