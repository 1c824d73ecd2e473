"""A gate whose true worsening is exactly what it allows passes in at most 5 % of all campaigns."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from numpy.typing import NDArray

from windtunnel.comparison.gate_tests import GateOutcome, decide
from windtunnel.comparison.looks import MAX_LOOKS
from windtunnel.spec.conditions import parse_condition
from windtunnel.spec.description import Metric
from windtunnel.statistics import moments
from windtunnel.statistics.significance import ALPHA

CAMPAIGNS = 4000
# Three standard errors above 5 % of so many campaigns.
LIMIT = ALPHA + 3 * (ALPHA * (1 - ALPHA) / CAMPAIGNS) ** 0.5
METRIC = Metric("delay", "ms", "lower", "")
# The condition, the cell's true mean of a baseline of 1, and what must not happen.
BOUNDARIES = {
    "passes at +5 %": ("not worse than 5 %", 1.05, GateOutcome.PASSED),
    "fails at +5 %": ("not worse than 5 %", 1.05, GateOutcome.FAILED),
    "passes at +0.1 ms": ("not worse than 0.1 ms", 1.1, GateOutcome.PASSED),
    "is better when equal": ("better", 1.0, GateOutcome.PASSED),
    "is equivalent at +5 %": ("equivalent within 5 %", 1.05, GateOutcome.PASSED),
    "is not equivalent at +5 %": ("equivalent within 5 %", 1.05, GateOutcome.FAILED),
    "is at most its own mean": ("at most 1.05 ms", 1.05, GateOutcome.PASSED),
}

Values = NDArray[np.float64]


def draw(mean: float, n: int, rng: np.random.Generator) -> tuple[Values, Values]:
    """A cell and its baseline of mean 1: normal, coefficient of variation 0.1, correlation 0.6."""
    shared, own, other = rng.standard_normal((3, n))
    noise = [0.1 * (0.6**0.5 * shared + 0.4**0.5 * each) for each in (own, other)]
    return mean * (1 + noise[0]), 1 + noise[1]


def outcome(
    require: str, x: Values, y: Values, alpha: float = ALPHA, paired: bool = True
) -> GateOutcome:
    condition = parse_condition(require, METRIC)
    if require.startswith("at"):
        samples = moments(list(x), [0.0], paired=False, exact=(False, True))
    else:
        samples = moments(list(x), list(y), paired=paired)
    return decide(condition, METRIC.direction, samples, alpha).outcome


@pytest.mark.parametrize("n", [3, 10])
@pytest.mark.parametrize("name", BOUNDARIES)
def test_one_look_errs_in_at_most_5_percent(name: str, n: int) -> None:
    require, mean, wrong = BOUNDARIES[name]
    rng = np.random.default_rng(zlib.crc32(f"{name} {n}".encode()))
    count = sum(outcome(require, *draw(mean, n, rng)) is wrong for _ in range(CAMPAIGNS))
    assert count / CAMPAIGNS <= LIMIT
    if "equivalent" not in name:  # whose test is conservative
        assert count / CAMPAIGNS >= 2 * ALPHA - LIMIT


def test_unpaired_cells_err_in_at_most_5_percent() -> None:
    rng = np.random.default_rng(8)
    count = sum(
        outcome("not worse than 5 %", *draw(1.05, 5, rng), paired=False) is GateOutcome.PASSED
        for _ in range(CAMPAIGNS)
    )
    assert count / CAMPAIGNS <= LIMIT


def passes_at_some_look(alpha: float, initial: int, rng: np.random.Generator) -> bool:
    """Whether a gate that extends while it is undecided passes in the end."""
    x, y = draw(1.05, initial * 2 ** (MAX_LOOKS - 1), rng)
    for look in range(MAX_LOOKS):
        n = initial * 2**look
        result = outcome("not worse than 5 %", x[:n], y[:n], alpha)
        if result is not GateOutcome.INCONCLUSIVE:
            return result is GateOutcome.PASSED
    return False


@pytest.mark.parametrize("initial", [2, 3, 5, 10])
def test_four_looks_together_err_in_at_most_5_percent(initial: int) -> None:
    rng = np.random.default_rng(initial)
    share = sum(passes_at_some_look(ALPHA / MAX_LOOKS, initial, rng) for _ in range(CAMPAIGNS))
    assert share / CAMPAIGNS <= LIMIT


def test_looking_four_times_at_5_percent_each_errs_more_often() -> None:
    """The control: without the correction the error rate is exceeded."""
    rng = np.random.default_rng(1)
    share = sum(passes_at_some_look(ALPHA, 5, rng) for _ in range(CAMPAIGNS))
    assert share / CAMPAIGNS > 2 * ALPHA
