"""Relevance thresholds: the smallest difference of a metric that matters.

Written as ``5 %`` (of the baseline's mean), ``1 ms`` (in the metric's unit; ``1 pp`` for one in %),
a plain number for a metric without unit, or ``none``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from windtunnel.errors import quoted

NONE = "none"
DEFAULT = "5 %"
POINTS = "pp"  # percentage points
_FORM = re.compile(r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,15})?)\s?(?P<unit>\S{0,20})", re.ASCII)


@dataclass(frozen=True)
class Threshold:
    """``value`` > 0 is a fraction of the baseline's mean if ``relative``, else in the unit."""

    value: float
    relative: bool
    text: str


def parse_threshold(text: str, unit: str) -> Threshold | None:
    """The threshold of a metric in ``unit``; None for ``none``.

    Raises ValueError with what is allowed.
    """
    return None if text == NONE else _parse(text, unit, ", or 'none'")


def parse_margin(text: str, unit: str) -> Threshold:
    """As `parse_threshold`, of what can't be ``none``."""
    return _parse(text, unit, "")


def parse_limit(text: str, unit: str) -> Threshold:
    """A value above 0 of a metric, in its unit: ``12 ms``, ``90 %``. Raises ValueError."""
    written = {"1": ""}.get(unit, unit)
    example = f"1 {written}".strip()
    match = _FORM.fullmatch(text.strip())
    if match is None or match["unit"] != written:
        raise ValueError(f"{quoted(text)} is not a value of the metric; write it as '{example}'")
    if float(match["number"]) == 0:
        raise ValueError(f"{text!r} is not above 0; no mean can be shown to be exactly 0")
    return Threshold(float(match["number"]), False, f"{match['number']} {written}".strip())


def _parse(text: str, unit: str, alternative: str) -> Threshold:
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{quoted(text)} is not a threshold; {_allowed(unit, alternative)}")
    number = float(match["number"])
    if number == 0:
        hint = "; use 'none' to have no threshold" if alternative else ""
        raise ValueError(f"{text!r} is not above 0{hint}")
    if match["unit"] == "%":
        return Threshold(number / 100, True, f"{match['number']} %")
    written = _unit(unit)
    if match["unit"] != written:
        named = repr(match["unit"]) if match["unit"] else "no unit"
        raise ValueError(f"{text!r} has {named}; {_allowed(unit, alternative)}")
    return Threshold(number, False, f"{match['number']} {written}".strip())


def _unit(unit: str) -> str:
    """How the unit of a difference is written."""
    return {"%": POINTS, "1": ""}.get(unit, unit)


def _allowed(unit: str, alternative: str) -> str:
    amount = f"an amount such as '{f'1 {_unit(unit)}'.strip()}'"
    joined = f", {amount}{alternative}" if alternative else f" or {amount}"
    return f"use a percentage of the baseline such as '5 %'{joined}"
