"""What users give, as arrays that the library can take: 64-bit integers, never a rounded time."""

import numpy as np

from ._errors import UsageError


def integers(values, what):
    """`values` as int64, without loss; TypeError with words where that cannot be."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{what}: a masked array has values that are none; give those that are")
    array = np.asarray(values)
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind in "iu" and np.can_cast(array.dtype, np.int64, "safe"):
        return np.ascontiguousarray(array, dtype=np.int64).reshape(array.shape)
    raise TypeError(f"{what}: {array.dtype} is no array of whole times; {_advice(array.dtype)}")


def _advice(dtype):
    if dtype.kind == "f":
        return "a float rounds times of today to 256 ns, so give int64 from the start"
    if dtype == np.uint64:
        return "make it int64, if no value is above 2**63 - 1"
    if dtype.kind in "mM":
        return "give its nanoseconds as int64: .astype('M8[ns]').astype('int64')"
    return "give int64"


def _columns_of(messages):
    """Sender, sent, receiver and received as they were given, and numbers of events or None."""
    if isinstance(messages, (np.ndarray, list)):
        array = integers(messages, "messages")
        if array.size == 0:
            array = array.reshape(0, 4)
        if array.ndim != 2 or array.shape[1] != 4:
            raise UsageError(
                f"messages: shape {array.shape} is not (n, 4): sender, sent, receiver, received"
            )
        return list(array.T), None
    try:
        columns = [messages[key] for key in ("sender", "sent", "receiver", "received")]
    except (KeyError, IndexError, TypeError):
        raise UsageError(
            "messages: neither an array of shape (n, 4) nor the columns sender, sent, receiver and received"
        ) from None
    if "sent_number" not in messages or "received_number" not in messages:
        return columns, None
    return columns, [messages["sent_number"], messages["received_number"]]


def _clock_numbers(column, names, what):
    """A column of clocks, given by name or by number, as numbers that there are."""
    array = np.asarray(column)
    if array.dtype.kind in "OUS":
        known = {name: number for number, name in enumerate(names)}
        distinct, place = np.unique(array.astype(str), return_inverse=True)
        for name in distinct:
            if name not in known:
                raise UsageError(f"{what}: there is no clock {name}")
        numbers = np.array([known[name] for name in distinct], dtype=np.int64)
        return numbers[place] if array.size else np.zeros(0, np.int64)
    numbers = integers(column, what)
    wrong = (numbers < 0) | (numbers >= len(names))
    if wrong.any():
        raise UsageError(f"{what}: there is no clock {numbers[wrong][0]}, only {len(names)}")
    return numbers


def _order_by_reading(clocks, readings):
    """Each event's number within its clock, in order of its readings."""
    order = np.lexsort((readings, clocks))
    first = np.searchsorted(clocks[order], np.arange(clocks.max(initial=0) + 1))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order)) - first[clocks[order]]
    return numbers


def message_ends(messages, names):
    """Two triples of arrays, of all sends and of all receives: clock, number of the event, reading."""
    (sender, sent, receiver, received), numbers = _columns_of(messages)
    columns = {
        "sender": _clock_numbers(sender, names, "sender"),
        "sent": integers(sent, "sent"),
        "receiver": _clock_numbers(receiver, names, "receiver"),
        "received": integers(received, "received"),
    }
    if numbers is not None:
        columns["sent_number"] = integers(numbers[0], "sent_number")
        columns["received_number"] = integers(numbers[1], "received_number")
    for name, column in columns.items():
        if column.ndim != 1 or len(column) != len(columns["sent"]):
            raise UsageError(
                f"messages: {name} has shape {column.shape}, sent {columns['sent'].shape}"
            )
    if numbers is None:
        both = _order_by_reading(
            np.concatenate((columns["sender"], columns["receiver"])),
            np.concatenate((columns["sent"], columns["received"])),
        )
        columns["sent_number"], columns["received_number"] = np.split(both, 2)
    elif min(columns[name].min(initial=0) for name in ("sent_number", "received_number")) < 0:
        raise UsageError("messages: numbers of events count from 0")
    return tuple(
        tuple(np.ascontiguousarray(columns[name]) for name in names)
        for names in (("sender", "sent_number", "sent"), ("receiver", "received_number", "received"))
    )
