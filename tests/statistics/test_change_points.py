"""Change points: false alarms of histories without a change, and the power to find a step.

A history is a number of cells that are corrected together. Its false alarm is any change in any
cell.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from windtunnel.statistics.change_points import candidates, change_points

HISTORIES = 1000
CELLS = 8
COMMITS = 20
Values = NDArray[np.float64]  # (cells, commits, seeds)


def independent(rng: np.random.Generator, n: int) -> Values:
    """Normal values, independent of each other."""
    return rng.standard_normal((CELLS, COMMITS, n))


def common_traffic(rng: np.random.Generator, n: int) -> Values:
    """As `independent`, with a part that all commits share under a seed: correlation 0.6."""
    shared = rng.standard_normal((CELLS, 1, n))
    values: Values = np.sqrt(0.6) * shared + np.sqrt(0.4) * independent(rng, n)
    return values


def repeated(rng: np.random.Generator, n: int) -> Values:
    """Most commits leave every value as it was; the others give new ones with the same mean."""
    return _mostly_repeated(rng, common_traffic(rng, n))


def log_normal(rng: np.random.Generator, n: int) -> Values:
    """With a coefficient of variation of 0.5."""
    sigma = np.sqrt(np.log1p(0.5**2))
    values: Values = np.exp(sigma * common_traffic(rng, n))
    return values


def heavy_tailed(rng: np.random.Generator, n: int) -> Values:
    """Student's t with 3 degrees of freedom."""
    values: Values = rng.standard_t(3, (CELLS, COMMITS, n))
    return values


def counts(rng: np.random.Generator, n: int) -> Values:
    """Drops: mostly 0, sometimes 1."""
    return rng.poisson(0.1, (CELLS, COMMITS, n)).astype(float)


def repeated_counts(rng: np.random.Generator, n: int) -> Values:
    return _mostly_repeated(rng, counts(rng, n))


def _mostly_repeated(rng: np.random.Generator, values: Values) -> Values:
    for commit in range(1, COMMITS):
        if rng.random() < 0.8:
            values[:, commit] = values[:, commit - 1]
    return values


NO_CHANGE: dict[str, Callable[[np.random.Generator, int], Values]] = {
    function.__name__: function
    for function in (
        independent,
        common_traffic,
        repeated,
        log_normal,
        heavy_tailed,
        counts,
        repeated_counts,
    )
}


@dataclass(frozen=True)
class Case:
    """``seeds`` for each commit, ``step`` in standard deviations of a run before ``at``."""

    kind: str
    seeds: int
    step: float = 0.0
    at: int = COMMITS

    def changes(self) -> list[list[list[int]]]:
        """The changes found in each cell of each history."""
        rng = np.random.default_rng(zlib.crc32(repr(self).encode()))
        found = []
        for _ in range(HISTORIES):
            values = NO_CHANGE[self.kind](rng, self.seeds)
            values[0, self.at :] += self.step
            series = values.tolist()
            tests = sum(len(candidates(cell)) for cell in series)
            found.append([[p.index for p in change_points(cell, tests)] for cell in series])
        return found

    def alarms(self) -> int:
        """Histories in which some change was found."""
        return sum(any(cells) for cells in self.changes())

    def hits(self) -> tuple[float, float]:
        """Shares of histories whose first cell has its change, and that have any other."""
        found = self.changes()
        hit = sum(self.at in cells[0] for cells in found)
        others = sum(any(set(cell) - {self.at} for cell in cells) for cells in found)
        return hit / HISTORIES, others / HISTORIES


ALARM_CASES = [Case(kind, seeds) for kind, seeds in product(NO_CHANGE, (3, 5, 10))]


def test_false_alarms_of_a_history_are_at_most_5_percent() -> None:
    """The lower 99 % limit of their share, after Clopper and Pearson."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        alarms = dict(zip(ALARM_CASES, pool.map(Case.alarms, ALARM_CASES), strict=True))
    limits = {case: float(stats.beta.ppf(0.01, k, HISTORIES - k + 1)) for case, k in alarms.items()}
    assert {case: limit for case, limit in limits.items() if limit > 0.05} == {}


# Shares of histories in which a step of 3 sd is found at its place (docs/comparison.md).
POWER = {
    Case("independent", 5, 3, COMMITS // 2): 0.8,
    Case("independent", 10, 3, COMMITS // 2): 0.99,
    Case("independent", 10, 3, COMMITS - 1): 0.95,
    Case("repeated", 5, 3, COMMITS // 2): 0.9,
    Case("repeated", 5, 3, COMMITS - 1): 0.8,
    Case("repeated", 10, 3, COMMITS - 1): 0.99,
}


@pytest.mark.parametrize("case", POWER, ids=str)
def test_a_step_of_three_standard_deviations_is_found(case: Case) -> None:
    hits, others = case.hits()
    assert hits >= POWER[case]
    assert others <= 0.07
