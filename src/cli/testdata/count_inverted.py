"""Counts the messages of an OTF2 archive that are received before they are sent.

Reads by the library's own Python module: python3 count_inverted.py TRACES.otf2.
Requires: messages of one sender, receiver and tag are received in the order they were sent.
"""

import collections
import sys

import otf2
from otf2.events import MpiRecv, MpiSend

with otf2.reader.open(sys.argv[1]) as trace:
    rank = {location: number for number, location in enumerate(trace.definitions.locations)}
    sent = collections.defaultdict(list)
    received = collections.defaultdict(list)
    for location, event in trace.events:
        if isinstance(event, MpiSend):
            sent[rank[location], event.receiver, event.msg_tag].append(event.time)
        elif isinstance(event, MpiRecv):
            received[event.sender, rank[location], event.msg_tag].append(event.time)
pairs = [pair for way, times in sent.items() for pair in zip(times, received[way])]
print(len(pairs), "messages,", sum(receive < send for send, receive in pairs), "inverted")
