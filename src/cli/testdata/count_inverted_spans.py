"""Counts the messages between spans that are received before they are sent, by relation, one a line.

python3 count_inverted_spans.py MESSAGES.csv.gz LINES.gz...: which messages there truly are, and OTLP
in lines. Relations that hold for no reason, and calls that were broken off, are left out.
"""

import collections
import csv
import gzip
import json
import sys

spans = {}
for path in sys.argv[2:]:
    for line in gzip.open(path, "rt"):
        for of_resource in json.loads(line)["resourceSpans"]:
            for of_scope in of_resource["scopeSpans"]:
                for span in of_scope["spans"]:
                    spans[span["traceId"], span["spanId"]] = (
                        int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
inverted = collections.Counter()
for message in csv.DictReader(gzip.open(sys.argv[1], "rt")):
    if message["valid"] != "1" or message["relation"] == "abort":
        continue
    sender = spans[message["trace_id"], message["from_span"]]
    receiver = spans[message["to_trace_id"] or message["trace_id"], message["to_span"]]
    end = message["relation"] == "response"
    inverted[message["relation"]] += receiver[end] < sender[end]
for relation, count in sorted(inverted.items()):
    print(relation, count)
