"""Tests that examples/captures is what its README says."""

import collections
import csv
import json
import pathlib
import struct
import unittest

import thin_captures

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "captures"
HOSTS = "abcd"
ETHERNET_HEADER = 14


def read_capture(host):
    """Every packet as (local ns, bytes)."""
    _, packets = thin_captures.read_packets(FOLDER / f"{host}.pcap")
    stamped = []
    for header, frame in packets:
        seconds, nanoseconds = struct.unpack_from("<II", header)
        stamped.append((seconds * 10**9 + nanoseconds, frame))
    return stamped


CAPTURES = {host: read_capture(host) for host in HOSTS}
TRUTH = json.loads((FOLDER / "truth.json").read_text())["clocks"]
with open(FOLDER / "messages.csv") as messages_file:
    MESSAGES = [
        (m["tx_host"], int(m["tx_index"]), m["rx_host"], int(m["rx_index"]))
        for m in csv.DictReader(messages_file)
    ]


def true_ns(host, local_ns):
    (local0, true0), (local1, true1) = TRUTH[host]
    return true0 + (local_ns - local0) * (true1 - true0) // (local1 - local0)


class SampleCaptures(unittest.TestCase):
    def test_sizes_are_as_stated(self):
        sizes = [len(CAPTURES[host]) for host in HOSTS]
        self.assertEqual(sizes, [2909, 2676, 2793, 184])
        self.assertEqual(len(MESSAGES), 4470)
        self.assertLess(sum(f.stat().st_size for f in FOLDER.iterdir()), 1_000_000)

    def test_both_copies_of_a_message_have_the_same_bytes(self):
        for tx, send, rx, receive in MESSAGES:
            sent, received = CAPTURES[tx][send][1], CAPTURES[rx][receive][1]
            self.assertEqual(sent[ETHERNET_HEADER:], received[ETHERNET_HEADER:])

    def test_every_packet_belongs_to_a_message(self):
        used = {(tx, send) for tx, send, _, _ in MESSAGES}
        used |= {(rx, receive) for _, _, rx, receive in MESSAGES}
        self.assertEqual(used, {(host, i) for host in HOSTS for i in range(len(CAPTURES[host]))})

    def test_messages_take_time_in_truth_and_seem_inverted_by_the_clocks(self):
        inverted = collections.Counter()
        least = {}
        for tx, send, rx, receive in MESSAGES:
            sent, received = CAPTURES[tx][send][0], CAPTURES[rx][receive][0]
            inverted[tx + rx] += received < sent
            delay = true_ns(rx, received) - true_ns(tx, sent)
            least[tx + rx] = min(least.get(tx + rx, delay), delay)
        self.assertEqual(sum(inverted.values()), 2298)
        self.assertEqual({k for k, v in inverted.items() if v}, {"ba", "ac", "bc", "da", "dc"})
        micros = {pair: round(delay / 1000, 1) for pair, delay in least.items()}
        stated = {"ab": 436.4, "ba": 742.5, "ac": 1243.0, "ca": 844.6, "bc": 342.1, "cb": 940.7}
        self.assertEqual(micros, stated | {"da": 542.4, "db": 297.8, "dc": 637.5})

    def test_nobody_sends_to_d(self):
        self.assertFalse(any(rx == "d" for _, _, rx, _ in MESSAGES))


if __name__ == "__main__":
    unittest.main()
