from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

_Path = str | PathLike[str]
_Inputs = _Path | Iterable[_Path] | Mapping[str, _Path]
_Integers = npt.NDArray[np.int64]
_Progress = Callable[[str, float], bool | None] | None
_ClockPer = Literal["process", "node", "location"] | None
_Logical = Literal["none", "simple", "controlled"]
_Method = Literal["drift-bounded", "joint"]

OPEN_BEFORE: int
OPEN_AFTER: int

class Error(Exception):
    message: str
    file: str
    position: int | tuple[int, int] | None

class UsageError(Error, ValueError): ...
class UnreadableError(Error): ...
class MalformedError(Error): ...
class UnsupportedError(Error): ...
class NoCorrectionError(Error): ...
class Cancelled(Error): ...

class Clock:
    name: str
    quality: str
    reason: str
    reference: str
    drift_ppm: float
    offset_ns: int
    worst_bound_ns: int | None
    epochs: int
    steps: list[dict[str, int]]
    @overload
    def correct(self, readings: int, epoch: int = 0) -> int: ...
    @overload
    def correct(self, readings: npt.ArrayLike, epoch: int = 0) -> _Integers: ...
    @overload
    def bounds(self, readings: int, epoch: int = 0) -> tuple[int, int]: ...
    @overload
    def bounds(self, readings: npt.ArrayLike, epoch: int = 0) -> tuple[_Integers, _Integers]: ...
    def knots(self, epoch: int = 0) -> _Integers: ...

class Result:
    clocks: Mapping[str, Clock]
    reference: str
    outputs: list[str]
    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def text(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def processes(self) -> list[str]: ...
    def event_arrays(self) -> dict[str, Any]: ...
    def message_arrays(self) -> dict[str, Any]: ...
    def outlier_arrays(self) -> dict[str, Any]: ...
    def events(self) -> pd.DataFrame: ...
    def messages(self) -> pd.DataFrame: ...
    def _repr_html_(self) -> str: ...

class Comparison:
    summary: dict[str, Any]
    text: str
    holds: bool
    def _repr_html_(self) -> str: ...

def sync(
    inputs: _Inputs,
    output: _Path | None = None,
    *,
    merged: _Path | None = None,
    report: _Path | None = None,
    replace: bool = False,
    rewrite_events: bool = False,
    logical: _Logical = "controlled",
    clock_per: _ClockPer = None,
    clock_by: str = "",
    match: str | Sequence[str] = (),
    progress: _Progress = None,
    method: _Method = "drift-bounded",
    reference: str = "",
    max_drift_ppm: float | None = 200.0,
    max_slew_ppm: float | None = None,
    max_wander_ppm: float | None = None,
    min_delay_ns: int = 0,
    max_outliers: float = 0.005,
) -> Result: ...
def check(
    inputs: _Inputs,
    *,
    clock_per: _ClockPer = None,
    clock_by: str = "",
    match: str | Sequence[str] = (),
    progress: _Progress = None,
    method: _Method = "drift-bounded",
    reference: str = "",
    max_drift_ppm: float | None = 200.0,
    max_slew_ppm: float | None = None,
    max_wander_ppm: float | None = None,
    min_delay_ns: int = 0,
    max_outliers: float = 0.005,
) -> Result: ...
def compare(
    inputs: _Inputs,
    *,
    methods: str | Iterable[str] = "all",
    clock_per: _ClockPer = None,
    clock_by: str = "",
    match: str | Sequence[str] = (),
    progress: _Progress = None,
    reference: str = "",
    max_drift_ppm: float | None = 200.0,
    max_slew_ppm: float | None = None,
    max_wander_ppm: float | None = None,
    min_delay_ns: int = 0,
    max_outliers: float = 0.005,
) -> Comparison: ...
def estimate(
    clocks: Iterable[str] | Mapping[str, int | tuple[int, int]],
    messages: npt.ArrayLike | Mapping[str, npt.ArrayLike] | pd.DataFrame,
    *,
    logical: _Logical = "none",
    progress: _Progress = None,
    method: _Method = "drift-bounded",
    reference: str = "",
    max_drift_ppm: float | None = 200.0,
    max_slew_ppm: float | None = None,
    max_wander_ppm: float | None = None,
    min_delay_ns: int = 0,
    max_outliers: float = 0.005,
) -> Result: ...
