"""Numbers as text, with the digits that their uncertainty leaves.

The web pages follow the same rules (web/src/figures/numbers.ts).
"""

from __future__ import annotations


def number(value: float, resolution: float | None = None) -> str:
    """Format a number with its significant digits, given the half-width of its interval.

    Two digits of a half-width that begins with 1 or 2, one digit of any other (Particle Data Group,
    Review of Particle Physics, 5.3); three significant digits without a half-width.
    """
    if not resolution or abs(resolution) < _ROUNDING * abs(value):
        if value == round(value):
            return f"{value:,.0f}"
        return f"{value:,.{max(0, 2 - _exponent(value))}f}"
    exponent = _exponent(resolution)
    digits = 2 if abs(resolution) / 10.0**exponent < _TWO_DIGITS_BELOW else 1
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


_TWO_DIGITS_BELOW = 2.95
# A half-width below this share of the value is a rounding error of equal values.
_ROUNDING = 1e-9


def _exponent(value: float) -> int:
    return int(f"{value:e}".split("e")[1])
