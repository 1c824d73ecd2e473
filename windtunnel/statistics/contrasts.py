"""Contrasts of two samples, mean x - r * mean y - a, with their standard errors and p values.

Replications are independent by construction; under common random numbers the differences by seed
are as well, and their spread is usually far smaller (Law, *Simulation Modeling and Analysis*, 5th
ed., section 10.2). Independent samples have Welch-Satterthwaite degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from scipy import special

CACHED = 16_384  # results of a function, each about 1 KB
_ROUNDING = 1e-12  # of a variance, relative to the variances from which it is computed


@dataclass(frozen=True)
class Contrast:
    """An estimated contrast with its standard error.

    ``n`` is the number of pairs, or the size of the smaller sample. ``degrees_of_freedom`` is None
    if there is nothing to estimate a spread from: there is no inference, and p values are None.

    Without any spread the t statistic is undefined. The same value in n replications is weaker
    evidence than p = 0, so the sign test's p value is used instead (Conover, *Practical
    Nonparametric Statistics*, 3rd ed., section 3.4): 2^-n one-sided.
    """

    n: int
    value: float
    standard_error: float
    degrees_of_freedom: float | None

    @property
    def p_two_sided(self) -> float | None:
        """p of the null hypothesis that the contrast is zero."""
        if self.degrees_of_freedom is None:
            return None
        if self.value == 0:
            return 1.0
        if self.standard_error == 0:
            return min(1.0, 2.0 ** (1 - self.n))
        return 2 * _upper_tail(abs(self.value) / self.standard_error, self.degrees_of_freedom)

    @property
    def p_positive(self) -> float | None:
        """p of the null hypothesis that the contrast is at most zero."""
        if self.degrees_of_freedom is None:
            return None
        if self.standard_error == 0:
            return 2.0**-self.n if self.value > 0 else 1.0
        return _upper_tail(self.value / self.standard_error, self.degrees_of_freedom)

    @property
    def p_negative(self) -> float | None:
        """p of the null hypothesis that the contrast is at least zero."""
        return self.opposite.p_positive

    @property
    def opposite(self) -> Contrast:
        return Contrast(self.n, -self.value, self.standard_error, self.degrees_of_freedom)

    @property
    def standard_deviation(self) -> float:
        """Of one replication's contribution, for estimates of how many are needed."""
        return self.standard_error * math.sqrt(self.n)


@dataclass(frozen=True)
class Moments:
    """Sufficient statistics of two samples, paired by replication or independent.

    ``n`` are the sizes of x and y, ``covariance`` is that of the pairs; variances divide by n - 1.
    Mean and variance of the paired differences are computed from these themselves: without spread,
    the variance is exactly zero. An ``exact`` sample is a known value without sampling error.
    """

    paired: bool
    n: tuple[int, int]
    means: tuple[float, float]
    variances: tuple[float, float]
    covariance: float = 0.0
    difference_mean: float = 0.0
    difference_variance: float = 0.0
    exact: tuple[bool, bool] = (False, False)

    def contrast(self, ratio: float = 1.0, shift: float = 0.0) -> Contrast:
        """mean x - ``ratio`` * mean y - ``shift``."""
        value = self.means[0] - ratio * self.means[1] - shift
        if self.paired:
            return self._paired(self.difference_mean - shift if ratio == 1 else value, ratio)
        return self._welch(value, ratio)

    def _paired(self, value: float, ratio: float) -> Contrast:
        n = self.n[0]
        if n < 2:
            return Contrast(n, value, 0.0, None)
        variance = self.difference_variance
        if ratio != 1:
            x, y = self.variances
            variance = x - 2 * ratio * self.covariance + ratio * ratio * y
            if variance <= _ROUNDING * (x + ratio * ratio * y):
                variance = 0.0
        return Contrast(n, value, math.sqrt(variance / n), n - 1)

    def _welch(self, value: float, ratio: float) -> Contrast:
        """Welch-Satterthwaite degrees of freedom; a sample without spread does not add to them."""
        sizes = [n for n, exact in zip(self.n, self.exact, strict=True) if not exact]
        n = min(sizes, default=1)
        if n < 2:
            return Contrast(n, value, 0.0, None)
        parts = [
            0.0 if exact else variance * factor * factor / size
            for size, variance, factor, exact in zip(
                self.n, self.variances, (1.0, ratio), self.exact, strict=True
            )
        ]
        total = sum(parts)
        if total == 0:
            return Contrast(n, value, 0.0, n - 1)
        denominator = sum(
            part * part / (size - 1) for part, size in zip(parts, self.n, strict=True) if part > 0
        )
        return Contrast(n, value, math.sqrt(total), total * total / denominator)


def moments(
    x: Sequence[float],
    y: Sequence[float],
    paired: bool,
    exact: tuple[bool, bool] = (False, False),
) -> Moments:
    """Moments of two samples of at least one value each; ``paired`` ones are in the same order.

    Cached: of a large campaign few samples change between two comparisons.
    """
    return _moments(tuple(x), tuple(y), paired, exact)


@lru_cache(maxsize=CACHED)
def _moments(
    x: tuple[float, ...], y: tuple[float, ...], paired: bool, exact: tuple[bool, bool]
) -> Moments:
    if paired and len(x) != len(y):
        raise ValueError(f"{len(x)} values can't be paired with {len(y)}")
    n = len(x), len(y)
    means = mean_of(x), mean_of(y)
    deviations = [value - means[0] for value in x], [value - means[1] for value in y]
    variances = dot(deviations[0], deviations[0]), dot(deviations[1], deviations[1])
    if not paired:
        return Moments(False, n, means, variances, exact=exact)
    differences = [a - b for a, b in zip(x, y, strict=True)]
    mean = mean_of(differences)
    residuals = [difference - mean for difference in differences]
    return Moments(
        paired=True,
        n=n,
        means=means,
        variances=variances,
        covariance=dot(*deviations),
        difference_mean=mean,
        difference_variance=dot(residuals, residuals),
        exact=exact,
    )


def mean_of(values: Sequence[float]) -> float:
    """Mean; exactly the common value if all are equal."""
    first = values[0]
    if values[-1] == first and min(values) == max(values):
        return first
    return math.fsum(values) / len(values)


def dot(x: Sequence[float], y: Sequence[float]) -> float:
    """Sum of products over n - 1; 0 for a single value."""
    if len(x) < 2:
        return 0.0
    return math.fsum(map(mul, x, y)) / (len(x) - 1)


def _upper_tail(t: float, degrees_of_freedom: float) -> float:
    return float(special.stdtr(degrees_of_freedom, -t))
