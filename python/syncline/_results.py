"""What the functions return."""

import functools
import json
import types

import numpy as np

from . import _html
from ._arrays import integers

OPEN_BEFORE = np.iinfo(np.int64).min
OPEN_AFTER = np.iinfo(np.int64).max

_KINDS = (
    "send",
    "receive",
    "broadcast",
    "block",
    "enter",
    "leave",
    "mark",
    "collective begin",
    "collective end",
)


class Clock:
    """A clock, and what corrects its readings."""

    def __init__(self, estimate, number, figures):
        self._estimate = estimate
        self._number = number
        for key, value in figures.items():
            setattr(self, key, value)
        self.steps = [
            {"ahead_ns": ahead_ns, "after": after, "before": before}
            for clock, ahead_ns, after, before in estimate.steps()
            if clock == number
        ]

    def _epoch(self, epoch):
        if not 0 <= epoch < self.epochs:
            raise IndexError(f"clock {self.name} has {self.epochs} epoch(s), from 0: not {epoch}")
        return epoch

    def correct(self, readings, epoch=0):
        """Readings in ticks of this clock -> nanoseconds of the reference clock, in the same shape."""
        array = integers(readings, "readings")
        times = self._estimate.correct(self._number, array, self._epoch(epoch))
        return times if times.ndim else int(times)

    def bounds(self, readings, epoch=0):
        """The earliest and the latest that the true times can be; OPEN_BEFORE, OPEN_AFTER: anything."""
        array = integers(readings, "readings")
        both = self._estimate.bounds(self._number, array, self._epoch(epoch))
        return both if array.ndim else tuple(int(times) for times in both)

    def knots(self, epoch=0):
        """The correction as an (n, 2) array: at reading [i, 0] the time [i, 1], straight between."""
        return self._estimate.knots(self._number, self._epoch(epoch))

    def __repr__(self):
        return f"<syncline clock {self.name}: {_html.clock_line(self)}>"


def _distinct(names):
    """The names; one that was there already is told apart by a number."""
    seen = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return distinct


class Result:
    """What sync, check and estimate found."""

    def __init__(self, traces, estimate, corrected):
        self._traces = traces
        self._estimate = estimate
        self._corrected = corrected
        self._json = corrected.json()
        self.outputs = []
        all_figures = estimate.figures()
        clocks = {
            name: Clock(estimate, number, figures)
            for number, (name, figures) in enumerate(
                zip(_distinct(figures["name"] for figures in all_figures), all_figures)
            )
        }
        self.clocks = types.MappingProxyType(clocks)
        self.reference = list(clocks)[estimate.reference()]

    @functools.cached_property
    def summary(self):
        """What `syncline sync` writes as syncline.json (docs/summary.md), as a dict."""
        return json.loads(self._json)

    @property
    def holds(self):
        """Whether all guarantees hold: what exit code 0 says of the program, and 3 denies."""
        return self._corrected.holds()

    @property
    def text(self):
        """What the program prints."""
        return self._corrected.text()

    @property
    def processes(self):
        return _distinct(name for name, _ in self._traces.processes())

    def event_arrays(self):
        """The columns of events() as a dict of arrays; `process`, `kind` and `name` number what is in
        the lists `processes`, `kinds` and `names`."""
        columns = self._traces.events(self._estimate, self._corrected)
        return {**columns, "processes": self.processes, "kinds": list(_KINDS)}

    def message_arrays(self):
        """The columns of messages() likewise; `sender` and `receiver` number the list `processes`."""
        return {**self._traces.messages(self._corrected), "processes": self.processes}

    def outlier_arrays(self):
        """Those messages that were left out, because they contradict the others."""
        return {**self._estimate.outliers(self._corrected), "processes": self.processes}

    def events(self):
        """A pandas frame of all events: as recorded, corrected, and the bounds of the true time."""
        columns = self.event_arrays()
        kinds = {"process": "processes", "kind": "kinds", "name": "names"}
        return _frame(columns, kinds)

    def messages(self):
        """A pandas frame of all messages: both ends as recorded and corrected."""
        return _frame(self.message_arrays(), {"sender": "processes", "receiver": "processes"})

    def __repr__(self):
        return f"<syncline result: {_html.result_line(self)}>"

    def _repr_html_(self):
        return _html.result_html(self)


def _frame(columns, categories):
    import pandas  # only where it is used: not everybody has it

    lists = set(categories.values())
    frame = {key: column for key, column in columns.items() if key not in lists}
    for key, names in categories.items():
        frame[key] = pandas.Categorical.from_codes(frame[key], columns[names])
    return pandas.DataFrame(frame)


class Comparison:
    """What compare found: `summary` as in docs/compare.md, `text` as the program prints it."""

    def __init__(self, json_text, text, holds):
        self.summary = json.loads(json_text)
        self.text = text
        self.holds = holds

    def __repr__(self):
        return f"<syncline comparison of {len(self.summary['methods'])} methods>"

    def _repr_html_(self):
        return _html.comparison_html(self)
