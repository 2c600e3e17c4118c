#!/usr/bin/env python3
"""Thins the captures of several hosts alike, so that every message keeps both its copies.

    thin_captures.py [--keep N] [--salt S] [--messages CSV] [--drop-towards HOST] IN_DIR OUT_DIR HOST...

Reads IN_DIR/HOST.pcap (classic nanosecond pcap, Ethernet) and writes OUT_DIR/HOST.pcap with about
one packet in N, and OUT_DIR/messages.csv with the packet numbers (from 0) of the thinned files.
What stays is decided by the packet's bytes alone, which are the same at sender and receiver:
- packets without ports, and of long flows (over 100 packets in any capture): by their own checksum;
- short flows, such as one HTTP connection: as a whole, by the checksum of addresses and ports;
- ARP and ICMPv6 are rare: all stay.
CSV lists the messages of the input: tx_host,tx_index,rx_host,rx_index,... in packet numbers.
"""

import argparse
import collections
import csv
import gzip
import pathlib
import struct
import zlib

MAGIC_NS = 0xA1B23C4D
LONG_FLOW = 100
TCP, UDP, ICMPV6 = 6, 17, 58


def read_packets(path):
    """The file header, and every packet as (record header, bytes)."""
    data = path.read_bytes()
    if struct.unpack_from("<I", data)[0] != MAGIC_NS:
        raise SystemExit(f"{path}: not a little-endian nanosecond pcap file")
    packets, at = [], 24
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        packets.append((data[at : at + 16], data[at + 16 : at + 16 + length]))
        at += 16 + length
    return data[:24], packets


def protocol_and_flow(frame):
    """The IP protocol (None for anything else) and the flow's key, the same in both directions."""
    kind = struct.unpack_from(">H", frame, 12)[0]
    if kind == 0x0800:
        protocol, ports_at = frame[23], 14 + 4 * (frame[14] & 15)
        ends = [frame[26:30], frame[30:34]]
    elif kind == 0x86DD:
        protocol, ports_at = frame[20], 54
        ends = [frame[22:38], frame[38:54]]
    else:
        return None, None
    if protocol not in (TCP, UDP):
        return protocol, None
    ends = [ends[0] + frame[ports_at : ports_at + 2], ends[1] + frame[ports_at + 2 : ports_at + 4]]
    return protocol, bytes([protocol]) + b"".join(sorted(ends))


def stays(frame, long_flows, keep, salt):
    protocol, flow = protocol_and_flow(frame)
    if protocol is None or protocol == ICMPV6:
        return True
    key = frame[14:] if flow is None or flow in long_flows else flow
    return zlib.crc32(key, salt) // 251 % keep == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", type=int, default=4, metavar="N", help="keep one in N")
    parser.add_argument("--salt", type=int, default=0, help="another choice of packets")
    parser.add_argument("--messages", type=pathlib.Path, required=True)
    parser.add_argument("--drop-towards", metavar="HOST", help="leave out what HOST received")
    parser.add_argument("in_dir", type=pathlib.Path)
    parser.add_argument("out_dir", type=pathlib.Path)
    parser.add_argument("hosts", nargs="+")
    args = parser.parse_args()

    captures = {host: read_packets(args.in_dir / f"{host}.pcap") for host in args.hosts}
    counts = collections.Counter()
    for host, (_, packets) in captures.items():
        counts.update((host, protocol_and_flow(frame)[1]) for _, frame in packets)
    long_flows = {flow for (_, flow), count in counts.items() if flow and count > LONG_FLOW}

    with gzip.open(args.messages, "rt") as file:
        messages = [
            (m["tx_host"].lower(), int(m["tx_index"]), m["rx_host"].lower(), int(m["rx_index"]))
            for m in csv.DictReader(file)
        ]
    dropped = {(rx, index) for _, _, rx, index in messages if rx == args.drop_towards}

    number = {}
    for host, (header, packets) in captures.items():
        kept = [
            i
            for i, (_, frame) in enumerate(packets)
            if (host, i) not in dropped and stays(frame, long_flows, args.keep, args.salt)
        ]
        number.update({(host, old): new for new, old in enumerate(kept)})
        content = header + b"".join(packets[i][0] + packets[i][1] for i in kept)
        (args.out_dir / f"{host}.pcap").write_bytes(content)

    with open(args.out_dir / "messages.csv", "w", newline="\n") as file:
        file.write("tx_host,tx_index,rx_host,rx_index\n")
        for tx, tx_index, rx, rx_index in messages:
            send, receive = number.get((tx, tx_index)), number.get((rx, rx_index))
            if send is not None and receive is not None:
                file.write(f"{tx},{send},{rx},{receive}\n")


if __name__ == "__main__":
    main()
