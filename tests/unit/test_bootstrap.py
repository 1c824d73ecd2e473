"""BCa intervals of paired differences."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.test_comparison import DELAY, cell
from windtunnel.comparison import Design, ResultTable, compare
from windtunnel.spec.analysis import BCA, MIN_BCA_PAIRS, Analysis
from windtunnel.statistics import Difference, paired_difference
from windtunnel.statistics.bootstrap import MIN_PAIRS, with_bca

RNG = np.random.default_rng(11)
Y = RNG.normal(10, 1, 40).tolist()
SKEWED = [y + e for y, e in zip(Y, RNG.lognormal(0, 1, 40), strict=True)]
NORMAL = [y + e for y, e in zip(Y, RNG.normal(1, 1, 40), strict=True)]


def test_intervals_of_normal_differences_are_close_to_students() -> None:
    by_t = paired_difference(NORMAL, Y)
    bca = with_bca(by_t, NORMAL, Y)
    assert by_t.ci95 is not None
    assert by_t.relative_ci95 is not None
    assert by_t.half_width is not None
    assert by_t.relative_half_width is not None
    assert bca.ci95 == pytest.approx(by_t.ci95, abs=0.2 * by_t.half_width)
    assert bca.relative_ci95 == pytest.approx(
        by_t.relative_ci95, abs=0.2 * by_t.relative_half_width
    )


def test_intervals_of_skewed_differences_reach_further_up() -> None:
    bca = with_bca(paired_difference(SKEWED, Y), SKEWED, Y)
    assert bca.ci95 is not None
    low, high = bca.ci95
    assert high - bca.mean > 1.2 * (bca.mean - low)
    assert bca.half_width == pytest.approx((high - low) / 2)


def test_the_same_values_have_the_same_interval() -> None:
    assert with_bca(paired_difference(SKEWED, Y), SKEWED, Y) == with_bca(
        paired_difference(SKEWED, Y), SKEWED, Y
    )


@pytest.mark.parametrize(
    ("x", "y"), [(SKEWED[:19], Y[:19]), ([y + 1 for y in (1.0,) * 20], [1.0] * 20)]
)
def test_few_or_constant_differences_keep_students_interval(x: list[float], y: list[float]) -> None:
    by_t = paired_difference(x, y)
    assert with_bca(by_t, x, y) == by_t


def against_baseline(interval: str, n: int) -> Difference:
    design = Design(
        "c1", ("a",), {"a": "0"}, (DELAY,), (DELAY.name,), {}, Analysis(interval=interval)
    )
    cells = cell(0, dict(enumerate(Y[:n]))), cell(1, dict(enumerate(SKEWED[:n])))
    comparison = compare(ResultTable(design, cells), (DELAY,), (DELAY,))
    assert ("BCa" in comparison.notes[0]) == (interval == BCA)
    difference = comparison.cells[1].metrics[DELAY.name].against_baseline
    assert difference is not None
    return difference


def test_a_campaign_chooses_its_intervals() -> None:
    assert MIN_PAIRS == MIN_BCA_PAIRS
    assert against_baseline("t", 40) == paired_difference(SKEWED, Y)
    assert against_baseline(BCA, 40) == with_bca(paired_difference(SKEWED, Y), SKEWED, Y)
    assert against_baseline(BCA, 19) == paired_difference(SKEWED[:19], Y[:19])
