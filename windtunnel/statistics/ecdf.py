"""Empirical cumulative distribution functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ecdf(values: NDArray[np.float64], most_points: int) -> list[tuple[float, float]]:
    """Each distinct value with the fraction of values up to it, ascending.

    Of more than ``most_points`` distinct values, those at equally spaced fractions, with the least
    and the greatest: points of the exact function still.
    """
    if not len(values):
        return []
    distinct, counts = np.unique(values, return_counts=True)
    fractions = np.cumsum(counts) / len(values)
    if len(distinct) > most_points:
        wanted = np.linspace(fractions[0], 1.0, most_points)
        chosen = np.unique(np.minimum(np.searchsorted(fractions, wanted), len(distinct) - 1))
        distinct, fractions = distinct[chosen], fractions[chosen]
    return list(zip(distinct.tolist(), fractions.tolist(), strict=True))
