"""Percentiles of samples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def percentile(values: NDArray[np.float64], percent: float) -> float:
    """Nearest rank: the smallest value with at least ``percent`` % of all at or below it.

    ``values``: shape (n,), n >= 1; ``percent`` in (0, 100]. It is a value of the sample, as the
    simulator's own percentiles are (Hyndman and Fan 1996, definition 1).
    """
    # 7 % of 100 values are 7.000000000000001 in floating point.
    rank = max(1, math.ceil(round(len(values) * percent / 100, 9)))
    return float(np.partition(values, rank - 1)[rank - 1])


def flows_needed(percent: float) -> int:
    """The least number of values of which this percentile is not simply the largest or smallest."""
    if percent >= 100:
        return 1
    # Rounded for the same reason as a rank.
    below_largest = math.ceil(round(100 / (100 - percent), 9))
    above_smallest = math.floor(round(100 / percent, 9)) + 1
    return max(below_largest, above_smallest)
