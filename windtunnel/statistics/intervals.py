"""Means and differences with confidence intervals.

Student's t intervals on replications (Law, *Simulation Modeling and Analysis*, 5th ed., sections
9.4.1 and 10.2.1): replications are independent by construction; under common random numbers the
differences by seed are as well, and their interval is usually far narrower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """Mean of n values; ``sd`` and ``ci95`` are None for n = 1, where nothing is known of them."""

    n: int
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None

    @property
    def half_width(self) -> float | None:
        return None if self.ci95 is None else (self.ci95[1] - self.ci95[0]) / 2


@dataclass(frozen=True)
class PairedDifference:
    """Estimate of x - y over pairs, and the same relative to y's mean (None where that is 0)."""

    difference: Estimate
    relative_mean: float | None
    relative_ci95: tuple[float, float] | None


@cache
def _t_quantile(degrees_of_freedom: int) -> float:
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, degrees_of_freedom))


def estimate(values: Sequence[float]) -> Estimate:
    """Mean, sample standard deviation (n - 1) and 95 % t interval. ``values``: n >= 1 numbers."""
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(1, mean, None, None)
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = _t_quantile(n - 1) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, (mean - half, mean + half))


def paired_difference(x: Sequence[float], y: Sequence[float]) -> PairedDifference:
    """x - y pair by pair. Both have n >= 1 values in the same order.

    The relative figures divide by y's mean as if it were exact: they are a reading aid.
    """
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values can't be paired with {len(y)}")
    difference = estimate([a - b for a, b in zip(x, y, strict=True)])
    scale = abs(math.fsum(y) / len(y))
    if scale == 0:
        return PairedDifference(difference, None, None)
    relative_ci95 = (
        None
        if difference.ci95 is None
        else (difference.ci95[0] / scale, difference.ci95[1] / scale)
    )
    return PairedDifference(difference, difference.mean / scale, relative_ci95)
