"""The bounds of an axis that a design samples: ``[10us, 1ms, log]``, ``[1, 32, integer]``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import Problem, QuantityError, quoted
from windtunnel.quantities import Dimension, Quantity, parse
from windtunnel.spec.document import join_path, split_path
from windtunnel.spec.limits import MAX_DEPTH, MAX_LABEL
from windtunnel.suggestions import nearest

SCALES = ("linear", "log", "integer")
_KINDS = ("rate", "time", "bytes", "queue-packets")
_DIGITS = 6  # of sampled numbers without a unit
_LARGEST = 2**53 - 1
# Coordinates have 9 digits: 0.333333333 is the first of three integers' upper end, not below it.
_TOLERANCE = 1e-6
_FORM = "expected [low, high] or [low, high, linear|log|integer]"


@dataclass(frozen=True)
class Input:
    """An axis to sample between ``low`` and ``high``, in units of ``unit``; empty for numbers.

    Values on the scales ``linear`` and ``log`` are uniform in themselves or their logarithm, those
    of ``integer`` are whole numbers, all equally likely.
    """

    name: str
    low: float
    high: float
    scale: str
    unit: str = ""

    def value(self, coordinate: float) -> float:
        """The value at a coordinate in [0, 1]: a whole number of units, or rounded to 6 digits."""
        if self.scale == "integer":
            place = math.floor(coordinate * (self.high - self.low + 1) + _TOLERANCE)
            return min(self.high, self.low + place)
        if self.scale == "log":
            value = self.low * math.exp(coordinate * math.log(self.high / self.low))
        else:
            value = self.low + coordinate * (self.high - self.low)
        value = float(round(value)) if self.unit else float(f"{value:.{_DIGITS}g}")
        return min(max(value, self.low), self.high)

    def coordinate(self, value: float) -> float:
        """Where a value is between the bounds, from 0 to 1; on a log scale by its logarithm."""
        if self.scale == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def setting(self, value: float) -> Any:
        """A value as a scenario has it: ``131072B``, ``12``, ``0.125``."""
        if self.unit:
            return f"{round(value)}{self.unit}"
        return round(value) if self.scale == "integer" else float(value)

    def label(self, value: float) -> str:
        return str(self.setting(value))

    def from_label(self, label: str) -> float:
        """The value that has this label."""
        return float(label.removesuffix(self.unit))


def readable(value: float, unit: str) -> str:
    """A bound in a handy unit: ``1ms`` for 1,000,000 ``ns``, ``0.5`` without a unit."""
    for kind in _KINDS if unit else ():
        try:
            return parse(f"{round(value)}{unit}", kind).readable()
        except QuantityError:
            continue
    return f"{value:.12g}"


def read_input(name: str, bounds: Any, path: str, problems: list[Problem]) -> Input | None:
    """An entry of ``over``. Adds to ``problems``, of which any leaves no input."""
    input_problems: list[Problem] = []
    if len(name) > MAX_LABEL or len(split_path(name)) > MAX_DEPTH:
        message = f"a path has at most {MAX_LABEL} characters and {MAX_DEPTH} levels"
        input_problems.append(Problem(path, message))
    if not isinstance(bounds, list) or len(bounds) not in (2, 3):
        input_problems.append(Problem(path, f"{quoted(bounds)} is not a range; {_FORM}"))
        problems += input_problems
        return None
    scale = _read_scale(
        bounds[2] if len(bounds) > 2 else "linear", join_path(path, 2), input_problems
    )
    ends = [_read_bound(bounds[index], join_path(path, index), input_problems) for index in (0, 1)]
    low, high = ends
    if not input_problems and low is not None and high is not None:
        _check(low, high, scale, path, bounds, input_problems)
    problems += input_problems
    if input_problems or low is None or high is None:
        return None
    return Input(name, low.value, high.value, scale, low.unit)


@dataclass(frozen=True)
class _Bound:
    value: float
    dimension: Dimension | None = None

    @property
    def unit(self) -> str:
        return self.dimension.base if self.dimension else ""


def _read_scale(scale: Any, path: str, problems: list[Problem]) -> str:
    if scale in SCALES:
        return str(scale)
    hint = nearest(scale, SCALES) if isinstance(scale, str) else ""
    hint = hint or f"; known: {', '.join(SCALES)}"
    message = f"{quoted(scale)} is not a scale{hint}"
    problems.append(Problem(path, message))
    return "linear"


def _read_bound(bound: Any, path: str, problems: list[Problem]) -> _Bound | None:
    if type(bound) in (int, float) and abs(bound) <= _LARGEST:
        return _Bound(bound)
    try:
        quantity = _quantity(bound)
    except QuantityError as error:
        problems.append(Problem(path, str(error)))
        return None
    if quantity.value > _LARGEST:
        message = f"{quoted(bound)} is too large; at most {_LARGEST}{quantity.dimension.base}"
        problems.append(Problem(path, message))
        return None
    return _Bound(quantity.value, quantity.dimension)


def _quantity(text: Any) -> Quantity:
    """A quantity of any dimension. Raises QuantityError."""
    expected = "a number or a quantity such as 10ms, 100Mbps, 150KB or 100p"
    if not isinstance(text, str):
        raise QuantityError(f"{quoted(text)} is not {expected}")
    for kind in _KINDS:
        try:
            return parse(text, kind)
        except QuantityError as error:
            if any(words in str(error) for words in ("whole number", "negative", "too large")):
                raise  # the unit is known
    raise QuantityError(f"{quoted(text)} is not {expected}")


def _check(
    low: _Bound, high: _Bound, scale: str, path: str, bounds: list[Any], problems: list[Problem]
) -> None:
    """Problems of two bounds that are valid by themselves."""
    message = None
    where = path
    if low.dimension is not high.dimension:
        names = " and ".join(
            f"{quoted(bound)} is {end.dimension.name if end.dimension else 'a number'}"
            for bound, end in zip(bounds[:2], (low, high), strict=True)
        )
        message = f"{names}; both bounds must have units of one dimension, or none"
    elif low.value >= high.value:
        message = f"low {quoted(bounds[0])} is not below high {quoted(bounds[1])}; {_FORM}"
    elif scale == "log" and low.value <= 0:
        where = join_path(path, 0)
        message = f"a log scale begins above 0, not at {quoted(bounds[0])}; raise it or use linear"
    elif scale == "integer":
        part = [bound for bound in (low, high) if bound.value != int(bound.value)]
        if part:
            message = f"bounds of the scale integer are whole numbers, not {part[0].value:g}"
    if message:
        problems.append(Problem(where, message))
