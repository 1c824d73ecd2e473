"""Synthetic campaigns whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from windtunnel.spec.description import Metric

CAMPAIGNS = 2000
CELLS = 8
DISTRIBUTIONS = ("normal", "log-normal", "heavy-tailed")
CORRELATION = 0.6
CV = 0.1  # of one cell's values
MARGIN = 0.05
METRIC = Metric("delay_ms", "ms", "lower", "")

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """Cells whose mean is ``ratio`` times the baseline's; the values' coefficient of variation is
    CV (log-normal values: 0.5), and their correlation with the baseline's by seed CORRELATION."""

    distribution: str
    n: int
    ratio: float

    def draw(self, rng: np.random.Generator) -> Values:
        """One campaign's values, of shape (CELLS, n): the baseline's mean is 1."""
        shared, own = rng.standard_normal(self.n), rng.standard_normal((CELLS, self.n))
        normal = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
        if self.distribution == "normal":
            noise = 1 + CV * normal
        elif self.distribution == "log-normal":
            sigma = np.sqrt(np.log1p(0.5**2))
            noise = np.exp(sigma * normal - sigma**2 / 2)
        else:  # Student's t with 3 degrees of freedom, scaled to CV
            common = np.sqrt(rng.chisquare(3, self.n) / 3)
            noise = 1 + CV * normal / common / np.sqrt(3)
        means = np.full((CELLS, 1), self.ratio)
        means[0] = 1
        values: Values = means * noise
        return values


def lower_limit(count: int) -> float:
    """Lower 99 % limit of a share of CAMPAIGNS (Clopper and Pearson 1934)."""
    return float(stats.beta.ppf(0.01, count, CAMPAIGNS - count + 1)) if count else 0.0
