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
    n = len(values)
    if n == 1:
        return Estimate(1, values[0], None, None, None)
    mean = _mean(values)
    sd = _sd(values, mean)
    half = _t_quantile(n - 1) * sd / math.sqrt(n)
    return Estimate(n, mean, sd, half, (mean - half, mean + half))


def paired_difference(x: Sequence[float], y: Sequence[float]) -> Difference:
    """x - y pair by pair. Both have n >= 1 values in the same order.

    Raises ValueError for unequal lengths.
    """
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values can't be paired with {len(y)}")
    n = len(x)
    differences = [a - b for a, b in zip(x, y, strict=True)]
    mean = _mean(differences)
    scale, half, ratio_half = _scale_of(tuple(y)), None, None
    if n > 1:
        half = _half_width(differences, mean)
        if scale is not None:
            ratio = math.fsum(x) / math.fsum(y)
            residuals = [a - ratio * b for a, b in zip(x, y, strict=True)]
            ratio_half = _half_width(residuals, 0.0)
    return _difference(True, n, mean, half, scale, ratio_half)


def unpaired_difference(
    x: Sequence[float], y: Sequence[float], x_exact: bool = False, y_exact: bool = False
) -> Difference:
    """x - y of independent samples of at least one value each.

    An ``exact`` sample is a single known value without sampling error, such as that of a cell with
    the same records for every seed; only the other sample's spread counts then.

    Welch's interval with Welch-Satterthwaite degrees of freedom (Law, section 10.2.2); None if a
    sample that is not exact has a single value. At n = 3 the relative interval's coverage is 0.925
    to 0.97 instead of 0.95, depending on the spread (tests/statistics).
    """
    x_estimate, y_estimate = estimate(x), estimate(y)
    scale, half, ratio_half = _scale(y_estimate), None, None
    samples = ((x_estimate, x_exact), (y_estimate, y_exact))
    sizes = [sample.n for sample, exact in samples if not exact]
    if sizes and min(sizes) > 1:
        half = _welch_half_width(x_estimate, y_estimate, 1)
        if scale is not None:
            ratio = x_estimate.mean / y_estimate.mean
            ratio_half = _welch_half_width(x_estimate, y_estimate, ratio)
    n = min(sizes, default=1)
    mean = x_estimate.mean - y_estimate.mean
    return _difference(False, n, mean, half, scale, ratio_half)


def _difference(
    paired: bool,
    n: int,
    mean: float,
    half_width: float | None,
    scale: float | None,
    ratio_half_width: float | None,
) -> Difference:
    """Build a Difference, with relative figures if there is a ``scale``."""
    relative = None if scale is None else mean / scale
    relative_half = None
    if scale is not None and ratio_half_width is not None:
        relative_half = ratio_half_width / scale
    return Difference(
        paired=paired,
        n=n,
        mean=mean,
        half_width=half_width,
        ci95=_around(mean, half_width),
        relative_mean=relative,
        relative_half_width=relative_half,
        relative_ci95=None if relative is None else _around(relative, relative_half),
    )


def _mean(values: Sequence[float]) -> float:
    """Mean; exactly the common value if all are equal, so that rounding adds no spread."""
    first = values[0]
    if values[-1] == first and min(values) == max(values):
        return first
    return math.fsum(values) / len(values)


def _sd(values: Sequence[float], mean: float) -> float:
    """Sample standard deviation of n >= 2 values around their mean."""
    deviations = [value - mean for value in values]
    return math.sqrt(
        math.fsum([deviation * deviation for deviation in deviations]) / (len(values) - 1)
    )


def _half_width(values: Sequence[float], mean: float) -> float:
    """Half-width of the t interval of n >= 2 values around their mean."""
    n = len(values)
    return _t_quantile(n - 1) * _sd(values, mean) / math.sqrt(n)


def _welch_half_width(x: Estimate, y: Estimate, ratio: float) -> float:
    """Half-width of the interval of mean x - ratio * mean y; a single value has no variance."""
    variances = [
        (sample.sd * factor) ** 2 / sample.n if sample.sd else 0.0
        for sample, factor in ((x, 1), (y, ratio))
    ]
    total = sum(variances)
    if total == 0:
        return 0.0
    denominator = sum(
        variance**2 / (sample.n - 1)
        for variance, sample in zip(variances, (x, y), strict=True)
        if variance > 0
    )
    return _t_quantile(total**2 / denominator) * math.sqrt(total)


@lru_cache(maxsize=1024)
def _scale_of(y: tuple[float, ...]) -> float | None:
    """`_scale` of a sample. Cached, because many cells share one baseline."""
    return _scale(estimate(y))


def _scale(y: Estimate) -> float | None:
    """|mean y|, or None if it is not significantly different from zero."""
    if y.mean == 0 or (y.half_width is not None and abs(y.mean) <= y.half_width):
        return None
    return abs(y.mean)


@overload
def _around(centre: float, half_width: float) -> Interval: ...


@overload
def _around(centre: float, half_width: float | None) -> Interval | None: ...


def _around(centre: float, half_width: float | None) -> Interval | None:
    return None if half_width is None else (centre - half_width, centre + half_width)


@lru_cache(maxsize=1024)  # few distinct values for t intervals, many for Welch's
def _t_quantile(degrees_of_freedom: float) -> float:
    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
