"""Digits in figures, as on the pages: an interval rules a mean's digits, a step a tick's."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

MINUS = "\N{MINUS SIGN}"
# A half-width below this share of the value is a rounding error of equal values.
_ROUNDING = 1e-9
_MAX_DECIMALS = 12


def fixed(value: float, decimals: int) -> str:
    """``1,234.5``, with a minus sign and without a negative zero."""
    rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{abs(rounded) if rounded == 0 else rounded:,f}".replace("-", MINUS)


def decimals_for(value: float, half: float | None) -> int:
    """Decimals that a half-width leaves: two digits of one that begins with 1 or 2, else one."""
    if half is not None and half > _ROUNDING * abs(value):
        exponent = math.floor(math.log10(half))
        return _clamped((1 if half / 10**exponent < 2.95 else 0) - exponent)
    if float(value).is_integer():
        return 0
    return _clamped(2 - math.floor(math.log10(abs(value))))


def format_value(value: float, half: float | None = None) -> str:
    """``782.2`` of 782.19 with half-width 0.84; three significant digits without one."""
    return fixed(value, decimals_for(value, half))


def format_interval(mean: float, low: float, high: float) -> str:
    """``782.2 ± 0.8``, ``42 (31 to 55)`` if the interval is not symmetric, or the mean alone."""
    above, below = high - mean, mean - low
    if max(above, below) <= _ROUNDING * abs(mean):
        return format_value(mean)
    if abs(above - below) <= 0.02 * (above + below) or low == 0:
        return f"{format_value(mean, above)} ± {format_value(above, above)}"
    half = (high - low) / 2
    ends = f"{format_value(low, half)} to {format_value(high, half)}"
    return f"{format_value(mean, half)} ({ends})"


def format_compact(value: float) -> str:
    """``12.3k``, for places with room for few characters."""
    size = abs(value)
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if size >= factor:
            return fixed(value / factor, 1 if size / factor < 9.95 else 0) + unit
    if size >= 100 or float(value).is_integer():
        return fixed(value, 0)
    return fixed(value, 1 if size >= 10 else 2 if size >= 0.995 else 3)


def format_tick(value: float, step: float) -> str:
    """A tick's label: the decimals that tell it from its neighbours at distance ``step``."""
    if value == 0:
        return "0"
    size = max(abs(value), step)
    if size < 1e-4:
        digits, _, exponent = f"{value:.0e}".partition("e")
        return f"{digits}e{int(exponent)}".replace("-", MINUS)
    if size >= 1e6:
        unit, factor = ("G", 1e9) if size >= 1e9 else ("M", 1e6)
        return fixed(value / factor, _step_decimals(step / factor)) + unit
    return fixed(value, _step_decimals(step))


def format_place(value: float) -> str:
    """A measured place on an axis: at most six significant digits."""
    if value == 0:
        return "0"
    shown = float(f"{value:.6g}")
    exponent = math.floor(math.log10(abs(shown)))
    text = fixed(shown, max(0, 5 - exponent))
    return text.rstrip("0").rstrip(".") if "." in text else text


def _clamped(decimals: int) -> int:
    return max(0, min(_MAX_DECIMALS, decimals))


def _step_decimals(step: float) -> int:
    """Decimals of a step of 1, 2, 2.5 or 5 times a power of ten."""
    for decimals in range(6):
        scaled = abs(step) * 10**decimals
        if scaled > 0.5 and abs(scaled - round(scaled)) < 1e-6 * scaled:
            return decimals
    return 6
