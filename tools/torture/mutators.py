"""Damage to inputs, by what a format is made of: (random, bytes) -> bytes."""

import gzip
import json
import re
import struct

NUMBERS = [0, 1, -1, 2, 7, 255, 256, 65535, 65536, 10**9, 10**18, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1,
           2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**31, -2**63, -2**63 - 1, 10**30]
NASTY = ["\x1b[31mred", 'quote"d', "it's", "<script>alert(1)</script>", "&amp;", "a\\b", "%s%n", "../up", "tab\there",
         "\u202eright", "\x9b31m", "é", "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"), "=1+1",
         "\x7f", "x" * 5000, "]]>", "${HOME}", "`id`", "null", "a/b", "-f", "--", "#", "\x01", "nl\\n"]
WORDS = ["inf", "nan", "-inf", "1e400", "-0", "0x10", "1e-400", "auto", "", "-", "none", "1.5.2", "+5", " 3", "3 ", "1e18",
         "99999999999999999999", "true", "0.0000000000000000001", "-9223372036854775808", "9223372036854775807"]


def raw(r, data):
    """Bytes flipped, overwritten, cut, doubled, left out."""
    data = bytearray(data)
    at = r.randrange(len(data) + 1)
    size = min(int(r.paretovariate(0.5)), 4096)
    what = r.randrange(8)
    if what == 0 and data:
        data[at % len(data)] ^= 1 << r.randrange(8)
    elif what in (1, 2) and data:
        width = r.choice("BHIQ")
        number = r.choice(NUMBERS) % 2**(8 * struct.calcsize("<" + width))
        packed = struct.pack(r.choice("<>") + width, number)
        at = at % len(data) // r.choice([1, 4, 8]) * r.choice([1, 4, 8])
        data[at:at + len(packed)] = packed
    elif what == 3:
        del data[at:]
    elif what == 4:
        del data[at:at + size]
    elif what == 5:
        data[at:at] = data[at:at + size]
    elif what == 6:
        data[at:at] = r.randbytes(min(size, 64))
    else:
        data[at:at + size] = bytes([r.choice([0, 255, 0x80])]) * len(data[at:at + size])
    return bytes(data)


def _shuffle(r, parts):
    """One of many parts left out, doubled, moved, or exchanged."""
    if not parts:
        return parts
    i, j = r.randrange(len(parts)), r.randrange(len(parts))
    what = r.randrange(4)
    if what == 0:
        del parts[i]
    elif what == 1:
        parts.insert(j, parts[i])
    elif what == 2:
        parts.insert(j, parts.pop(i))
    else:
        parts[i], parts[j] = parts[j], parts[i]
    return parts


def _number_in(r, data, at, width, order):
    number = r.choice(NUMBERS + [r.randrange(1 << 32)]) % 2**(8 * width)
    return data[:at] + number.to_bytes(width, order) + data[at + width:]


def pcap(r, data):
    order = "little" if data[:2] in (b"\xd4\xc3", b"\x4d\x3c") else "big"
    parts, at = [], 24
    while at + 16 <= len(data):
        size = 16 + int.from_bytes(data[at + 8:at + 12], order)
        parts.append(data[at:at + size])
        at += size
    head = data[:24]
    what = r.randrange(6)
    if what == 0:
        head = _number_in(r, head, r.choice([4, 8, 12, 16, 20]), 4, order)
    elif what == 1:
        parts = _shuffle(r, parts)
    elif parts:
        i = r.randrange(len(parts))
        if what < 4 or len(parts[i]) <= 20:
            parts[i] = _number_in(r, parts[i], r.choice([0, 4, 8, 12]), 4, order)
        else:
            parts[i] = parts[i][:16] + raw(r, parts[i][16:])
    return head + b"".join(parts)


def pcapng(r, data):
    order = "little" if data[8:12] == b"\x4d\x3c\x2b\x1a" else "big"
    parts, at = [], 0
    while at + 12 <= len(data):
        size = int.from_bytes(data[at + 4:at + 8], order)
        if size < 12:
            break
        parts.append(data[at:at + size])
        at += size
    if not parts or r.randrange(3) == 0:
        return raw(r, data) if not parts else b"".join(_shuffle(r, parts))
    i = r.randrange(len(parts))
    at = r.randrange(0, max(len(parts[i]) - 4, 1), 4)
    parts[i] = _number_in(r, parts[i], r.choice([0, 4, 8, 12, 16, 20, 24, at]), r.choice([1, 2, 4]), order)
    return b"".join(parts)


def text(r, data):
    """Lines and words: of our text, of rules, options, delays and of CTF's metadata."""
    lines = data.decode("latin-1").split("\n")
    if r.randrange(3) == 0:
        return "\n".join(_shuffle(r, lines)).encode("latin-1")
    i = r.randrange(len(lines))
    words = re.split(r"(\W+)", lines[i])
    j = r.randrange(len(words))
    new = r.choice([str(r.choice(NUMBERS)), r.choice(NASTY), r.choice(WORDS), r.choice(words), str(r.randrange(4))])
    numbers = [k for k, word in enumerate(words) if word.isdecimal()]
    if numbers and r.randrange(2):
        j = r.choice(numbers)
        new = str(r.choice(NUMBERS + [int(words[j]) + r.choice([-10**9, -1, 1, 10**9])]))
    words[j] = new
    lines[i] = "".join(words)
    return "\n".join(lines).encode("utf-8", "replace")


def _json_value(r):
    return r.choice([None, True, "", [], {}, -0.5, 1e300, r.choice(NUMBERS), str(r.choice(NUMBERS)), r.choice(NASTY),
                     [[[[]]]], {"a": {"a": {}}}])


def _json_nodes(value, found):
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found.append((value, key))
        _json_nodes(child, found)
    return found


def json_tree(r, data):
    """A value of the tree replaced, renamed, left out, doubled; of lines of JSON, in one of them."""
    if r.randrange(3) == 0:
        return r.choice([raw, text])(r, data)
    lines = [data] if data[:1] != b"{" or data.count(b"\n{") == 0 else data.split(b"\n")
    i = r.randrange(len(lines))
    try:
        root = json.loads(lines[i])
    except ValueError:
        return raw(r, data)
    nodes = _json_nodes(root, [])
    if not nodes:
        return raw(r, data)
    holder, key = r.choice(nodes)
    what = r.randrange(5)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[r.choice(list(holder) + NASTY)] = holder.pop(key)
    elif what == 2 and isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[key] = _json_value(r)
    lines[i] = json.dumps(root, ensure_ascii=r.randrange(2) == 0).encode("utf-8", "replace")
    return b"\n".join(lines)


def ctf_stream(r, data):
    """Headers of packets, which stand at multiples of pages, and packets as a whole."""
    pages = [data[i:i + 4096] for i in range(0, len(data), 4096)]
    if not pages or r.randrange(4) == 0:
        return b"".join(_shuffle(r, pages))
    i = r.randrange(len(pages))
    pages[i] = _number_in(r, pages[i], r.randrange(0, 96, 4), r.choice([1, 4, 8]), "little")
    return b"".join(pages)


def gzipped(r, data):
    inner = gzip.compress(raw(r, data) if r.randrange(2) else data, mtime=0)
    return inner if r.randrange(3) == 0 else raw(r, inner)


BY_FORMAT = {"pcap": pcap, "pcapng": pcapng, "text": text, "json": json_tree, "ctf_stream": ctf_stream, "ctf_metadata": text,
             "otf2": raw, "protobuf": raw, "gzip": gzipped}


def mutate(r, kind, data):
    for _ in range(r.choice([1, 1, 1, 2, 3, 8])):
        data = r.choice([BY_FORMAT[kind]] * 3 + [raw])(r, data)
    return data
