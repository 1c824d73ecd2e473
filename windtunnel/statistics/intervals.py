"""Means and differences with confidence intervals.

Student's t intervals on replications (Law, *Simulation Modeling and Analysis*, 5th ed., sections
9.4.1 and 10.2): replications are independent by construction; under common random numbers the
differences by seed are as well, and their interval is usually far narrower.

A relative difference is the ratio of two means minus one. Its interval is that of the linearised
ratio (Cochran, *Sampling Techniques*, 3rd ed., section 6.3): the interval of the residuals x - R y,
with R the ratio of the means, divided by y's mean. Dividing the interval of x - y by y's mean
instead would treat that mean as exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

from scipy import special

from windtunnel.statistics.contrasts import CACHED, Contrast, Moments, dot, mean_of, moments

CONFIDENCE = 0.95

Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """Mean of n values with standard deviation, 95 % interval and its half-width.

    The last three are None for n = 1.
    """

    n: int
    mean: float
    sd: float | None
    half_width: float | None
    ci95: Interval | None


@dataclass(frozen=True)
class Difference:
    """x - y: ``paired`` by replication, or between independent samples (Welch).

    ``n`` is the number of pairs, or the size of the smaller sample. The relative figures are the
    ratio of the means minus one, as a fraction of |mean y|. They are None if y's own 95 % interval
    includes zero (or, for a single value, if y is zero).
    """

    paired: bool
    n: int
    mean: float
    half_width: float | None
    ci95: Interval | None
    relative_mean: float | None
    relative_half_width: float | None
    relative_ci95: Interval | None


def estimate(values: Sequence[float]) -> Estimate:
    """Mean, sample standard deviation (n - 1) and t interval. ``values``: n >= 1 numbers."""
    return _estimate(tuple(values))


@lru_cache(maxsize=CACHED)
def _estimate(values: tuple[float, ...]) -> Estimate:
    n = len(values)
    if n == 1:
        return Estimate(1, values[0], None, None, None)
    mean = mean_of(values)
    deviations = [value - mean for value in values]
    sd = math.sqrt(dot(deviations, deviations))
    half = _t_quantile(n - 1) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, half, (mean - half, mean + half))


def paired_difference(x: Sequence[float], y: Sequence[float]) -> Difference:
    """x - y pair by pair. Both have n >= 1 values in the same order.

    Raises ValueError for unequal lengths.
    """
    return difference(moments(x, y, paired=True))


def unpaired_difference(
    x: Sequence[float], y: Sequence[float], x_exact: bool = False, y_exact: bool = False
) -> Difference:
    """x - y of independent samples of at least one value each.

    An ``exact`` sample is a single known value without sampling error, such as that of a cell with
    the same records for every seed; only the other sample's spread counts then.

    Welch's interval; None if a sample that is not exact has a single value. At n = 3 the relative
    interval's coverage is 0.925 to 0.97 instead of 0.95, depending on the spread
    (tests/statistics).
    """
    return difference(moments(x, y, paired=False, exact=(x_exact, y_exact)))


@lru_cache(maxsize=CACHED)
def difference(samples: Moments) -> Difference:
    """x - y with its interval, and relative to |mean y| where that is not about zero."""
    contrast = samples.contrast()
    half = _half_width(contrast)
    scale = _scale(samples)
    relative, relative_half = None, None
    if scale is not None:
        relative = contrast.value / scale
        ratio_half = _half_width(samples.contrast(samples.means[0] / samples.means[1]))
        relative_half = None if ratio_half is None else ratio_half / scale
    return Difference(
        paired=samples.paired,
        n=contrast.n,
        mean=contrast.value,
        half_width=half,
        ci95=_around(contrast.value, half),
        relative_mean=relative,
        relative_half_width=relative_half,
        relative_ci95=None if relative is None else _around(relative, relative_half),
    )


def _half_width(contrast: Contrast) -> float | None:
    """Half-width of the interval; None if there is no spread to estimate it from."""
    if contrast.degrees_of_freedom is None:
        return None
    return _t_quantile(contrast.degrees_of_freedom) * contrast.standard_error


def _scale(samples: Moments) -> float | None:
    """|mean y|, or None if it is not significantly different from zero."""
    n, mean = samples.n[1], abs(samples.means[1])
    half = 0.0
    if n > 1:
        half = _t_quantile(n - 1) * math.sqrt(samples.variances[1] / n)
    return mean if mean > half else None


@overload
def _around(centre: float, half_width: float) -> Interval: ...


@overload
def _around(centre: float, half_width: float | None) -> Interval | None: ...


def _around(centre: float, half_width: float | None) -> Interval | None:
    return None if half_width is None else (centre - half_width, centre + half_width)


@lru_cache(maxsize=1024)  # few distinct values for t intervals, many for Welch's
def _t_quantile(degrees_of_freedom: float) -> float:
    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
