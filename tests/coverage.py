"""Coverage of the interval of a relative difference, estimated by drawing samples.

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
    shared, independent = rng.standard_normal((2, samples, case.n))
    mixed = case.correlation * shared + np.sqrt(1 - case.correlation**2) * independent
    return case.ratio + case.sd_of_x * mixed, 1 + case.spread * shared


def coverage(case: Case, samples: int, rng: np.random.Generator, paired: bool = True) -> float:
    """Share of samples whose 95 % interval of the relative difference contains the true one.

    Among samples with an interval: a baseline indistinguishable from zero has none.
    """
    x, y = draw(case, samples, rng)
    compare = paired_difference if paired else unpaired_difference
    differences = [compare(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    intervals = [difference.relative_ci95 for difference in differences if difference.relative_ci95]
    return sum(low <= case.ratio - 1 <= high for low, high in intervals) / len(intervals)


def fixed_denominator_coverage(case: Case, samples: int, rng: np.random.Generator) -> float:
    """Coverage if the interval of x - y is divided by y's mean as if that were exact."""
    x, y = draw(case, samples, rng)
    scale = y.mean(axis=1)
    difference = x - y
    spread = difference.std(axis=1, ddof=1) / np.sqrt(case.n)
    half = stats.t.ppf(0.975, case.n - 1) * spread / scale
    error = np.abs(difference.mean(axis=1) / scale - (case.ratio - 1))
    return float((error <= half).mean())
