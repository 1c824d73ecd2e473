"""Percentiles of samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def percentiles(values: NDArray[np.float64], percents: Sequence[float]) -> list[float]:
    """Nearest rank: for each, the smallest value with at least so many percent at or below it.

    ``values``: shape (n,), n >= 1; ``percents`` in (0, 100]. They are values of the sample, as the
    simulator's own percentiles are (Hyndman and Fan 1996, definition 1).
    """
    # 7 % of 100 values are 7.000000000000001 in floating point.
    ranks = [max(1, math.ceil(round(len(values) * percent / 100, 9))) for percent in percents]
    places = [rank - 1 for rank in ranks]
    chosen: list[float] = np.partition(values, sorted(set(places)))[places].tolist()
    return chosen


def flows_needed(percent: float) -> int:
    """The least number of values of which this percentile is not simply the largest or smallest."""
    if percent >= 100:
        return 1
    # Rounded for the same reason as a rank.
    below_largest = math.ceil(round(100 / (100 - percent), 9))
    above_smallest = math.floor(round(100 / percent, 9)) + 1
    return max(below_largest, above_smallest)
