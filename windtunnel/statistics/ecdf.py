"""Empirical cumulative distribution functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MAX_VALUES = 2**16


def ecdf(values: Floats, most_points: int) -> list[tuple[float, float]]:
    """Each distinct value with the fraction of values up to it, ascending.

    Of more than ``most_points`` distinct values, those at equally spaced fractions, with the least
    and the greatest: points of the exact function still.
    """
    distinct, counts = np.unique(values, return_counts=True)
    return weighted_ecdf(distinct, counts.astype(np.float64), most_points)


def weighted_ecdf(values: Floats, counts: Floats, most_points: int) -> list[tuple[float, float]]:
    """The same of ascending distinct values, each of which occurs ``counts`` times."""
    if not len(values):
        return []
    cumulative = np.cumsum(counts, dtype=np.float64)
    fractions = cumulative / cumulative[-1]
    chosen = _evenly(fractions, most_points)
    return list(zip(values[chosen].tolist(), fractions[chosen].tolist(), strict=True))


class PooledCounts:
    """How often each value occurs in several samples together; memory does not grow with them.

    ``values`` ascend. Of more than 65,536 distinct values some are merged: their counts go to the
    next greater value that is kept.
    """

    def __init__(self) -> None:
        self.values: Floats = np.empty(0)
        self.counts: Floats = np.empty(0)

    def add(self, values: Floats, counts: Floats) -> None:
        """Add a sample in which each of ``values`` occurs ``counts`` times."""
        distinct, places = np.unique(np.concatenate([self.values, values]), return_inverse=True)
        summed = np.bincount(places, np.concatenate([self.counts, counts]), len(distinct))
        cumulative = np.cumsum(summed, dtype=np.float64)
        chosen = _evenly(cumulative, _MAX_VALUES)
        self.values = distinct[chosen]
        self.counts = np.diff(cumulative[chosen], prepend=0.0)


def _evenly(cumulative: Floats, most: int) -> NDArray[np.intp]:
    """At most this many indices, at equal distances of an ascending function, with both ends."""
    if len(cumulative) <= most:
        return np.arange(len(cumulative))
    wanted = np.linspace(cumulative[0], cumulative[-1], most)
    places = np.searchsorted(cumulative, wanted)
    return np.unique(np.minimum(places, len(cumulative) - 1))
