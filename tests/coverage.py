"""How often the interval of a relative difference holds the true one, by drawing samples.

Pairs are normal with a known ratio of means and a known correlation.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from windtunnel.statistics import paired_difference, unpaired_difference

Samples = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """Means ``ratio`` and 1; ``spread`` is y's standard deviation, and x's too where ``equal`` is
    ``sd``, or its coefficient of variation where that is ``cv``."""

    ratio: float
    correlation: float
    n: int
    equal: str
    spread: float

    @property
    def name(self) -> str:
        return (
            f"ratio {self.ratio:g}, correlation {self.correlation:g}, n = {self.n}, "
            f"equal {self.equal} {self.spread:g}"
        )

    @property
    def sd_of_x(self) -> float:
        return self.spread * (self.ratio if self.equal == "cv" else 1)


CASES = [
    Case(*values)
    for values in itertools.product(
        (0.1, 0.24, 1.0, 3.0, 10.0), (0.0, 0.6, 0.95), (3, 5, 30), ("cv", "sd"), (0.05, 0.3)
    )
]


def draw(case: Case, samples: int, rng: np.random.Generator) -> tuple[Samples, Samples]:
    """x and y, each of shape (samples, n)."""
    return _pairs(case.ratio, case.spread, case.sd_of_x, case.correlation, case.n, samples, rng)


def coverage(case: Case, samples: int, rng: np.random.Generator, paired: bool = True) -> float:
    """Share of samples whose 95 % interval of the relative difference holds the true one.

    Of those that have one: a baseline that can't be told from zero has none.
    """
    x, y = draw(case, samples, rng)
    compare = paired_difference if paired else unpaired_difference
    differences = [compare(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    intervals = [one.relative_ci95 for one in differences if one.relative_ci95]
    return sum(low <= case.ratio - 1 <= high for low, high in intervals) / len(intervals)


def fixed_denominator_coverage(
    ratio: float,
    sd_of_y: float,
    sd_of_x: float,
    correlation: float,
    n: int,
    samples: int,
    rng: np.random.Generator,
) -> float:
    """The same of the interval of x - y divided by y's mean as if that were exact."""
    x, y = _pairs(ratio, sd_of_y, sd_of_x, correlation, n, samples, rng)
    scale = y.mean(axis=1)
    difference = x - y
    half = stats.t.ppf(0.975, n - 1) * difference.std(axis=1, ddof=1) / np.sqrt(n) / scale
    return float((np.abs(difference.mean(axis=1) / scale - (ratio - 1)) <= half).mean())


def _pairs(
    ratio: float,
    sd_of_y: float,
    sd_of_x: float,
    correlation: float,
    n: int,
    samples: int,
    rng: np.random.Generator,
) -> tuple[Samples, Samples]:
    shared, own = rng.standard_normal((2, samples, n))
    x = ratio + sd_of_x * (correlation * shared + np.sqrt(1 - correlation**2) * own)
    return x, 1 + sd_of_y * shared
