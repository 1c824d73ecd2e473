"""Means and differences with confidence intervals.

Student's t intervals on replications (Law, *Simulation Modeling and Analysis*, 5th ed., sections
9.4.1 and 10.2): replications are independent by construction; under common random numbers the
differences by seed are as well, and their interval is usually far narrower.

A relative difference is the ratio of two means less one. Its interval is that of the linearised
ratio (Cochran, *Sampling Techniques*, 3rd ed., section 6.3): of the residuals x - R y, with R the
ratio of the means, divided by y's mean. Dividing the interval of x - y by y's mean instead would
treat that mean as exact.
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
    """Mean of n values, standard deviation, 95 % interval and half its width.

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

    ``n`` counts pairs, or is the smaller sample's size. The relative figures are the ratio of the
    means less one, as a fraction of |mean y|. They are None where y's own 95 % interval includes
    zero (or, for one value, y is zero): nothing can be relative to what may be nothing.
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

    A sample is ``exact`` if its one value is no observation but known, as that of a cell whose
    records are equal under every seed; the other one's spread is then all there is.

    Welch's interval with the degrees of freedom of Welch and Satterthwaite (Law, section 10.2.2);
    none where a sample has a single value. At n = 3 the relative one covers 0.925 to 0.97
    instead of 0.95, depending on the spread (tests/statistics).
    """
    of_x, of_y = estimate(x), estimate(y)
    scale, half, ratio_half = _scale(of_y), None, None
    sampled = [one for one, exact in ((of_x, x_exact), (of_y, y_exact)) if not exact]
    if sampled and all(one.n > 1 for one in sampled):
        half = _welch_half_width(of_x, of_y, 1)
        if scale is not None:
            ratio_half = _welch_half_width(of_x, of_y, of_x.mean / of_y.mean)
    n = min((one.n for one in sampled), default=1)
    return _difference(False, n, of_x.mean - of_y.mean, half, scale, ratio_half)


def _difference(
    paired: bool,
    n: int,
    mean: float,
    half_width: float | None,
    scale: float | None,
    ratio_half_width: float | None,
) -> Difference:
    """With the relative figures, where there is a scale that they can be relative to."""
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
    """Exactly the value where all are equal: rounding must not give them a spread."""
    first = values[0]
    if values[-1] == first and min(values) == max(values):
        return first
    return math.fsum(values) / len(values)


def _sd(values: Sequence[float], mean: float) -> float:
    """Sample standard deviation of n >= 2 values around their mean."""
    deviations = [value - mean for value in values]
    return math.sqrt(math.fsum([one * one for one in deviations]) / (len(values) - 1))


def _half_width(values: Sequence[float], mean: float) -> float:
    """Of the t interval of n >= 2 values around their mean."""
    n = len(values)
    return _t_quantile(n - 1) * _sd(values, mean) / math.sqrt(n)


def _welch_half_width(x: Estimate, y: Estimate, ratio: float) -> float:
    """Half-width of the interval of mean x - ratio * mean y; a sample of one has no spread."""
    parts = [
        (one.sd * factor) ** 2 / one.n if one.sd else 0.0 for one, factor in ((x, 1), (y, ratio))
    ]
    total = sum(parts)
    if total == 0:
        return 0.0
    spread = sum(part**2 / (one.n - 1) for part, one in zip(parts, (x, y), strict=True) if part > 0)
    return _t_quantile(total**2 / spread) * math.sqrt(total)


@lru_cache(maxsize=1024)
def _scale_of(y: tuple[float, ...]) -> float | None:
    """The same of values. Cached: many cells are set against one baseline."""
    return _scale(estimate(y))


def _scale(y: Estimate) -> float | None:
    """|mean y|, or None where it can't be told from zero."""
    if y.mean == 0 or (y.half_width is not None and abs(y.mean) <= y.half_width):
        return None
    return abs(y.mean)


@overload
def _around(centre: float, half_width: float) -> Interval: ...


@overload
def _around(centre: float, half_width: float | None) -> Interval | None: ...


def _around(centre: float, half_width: float | None) -> Interval | None:
    return None if half_width is None else (centre - half_width, centre + half_width)


@lru_cache(maxsize=1024)  # replications are few different numbers, Welch's degrees of freedom many
def _t_quantile(degrees_of_freedom: float) -> float:
    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
