"""Intervals against values worked out by hand."""

import math

import pytest

from windtunnel.statistics import estimate, paired_difference


def test_estimate_of_three() -> None:
    # 1, 2, 3: mean 2, sd 1; t(0.975, 2) = 4.302653 (any table), so half-width 4.302653 / sqrt(3).
    result = estimate([1, 2, 3])
    assert (result.n, result.mean, result.sd) == (3, 2, 1)
    assert result.ci95 == pytest.approx((2 - 2.484138, 2 + 2.484138), abs=1e-5)
    assert result.half_width == pytest.approx(4.302653 / math.sqrt(3), abs=1e-5)


def test_one_value_has_no_interval() -> None:
    result = estimate([7])
    assert (result.mean, result.sd, result.ci95, result.half_width) == (7, None, None, None)


def test_pairing_removes_what_seeds_share() -> None:
    # x - y is 1, 1, 2: mean 4/3, sd sqrt(1/3), half-width 4.302653 * sqrt(1/3) / sqrt(3).
    result = paired_difference([11, 21, 32], [10, 20, 30])
    assert result.difference.mean == pytest.approx(4 / 3)
    assert result.difference.half_width == pytest.approx(4.302653 / 3, abs=1e-5)
    assert result.relative_mean == pytest.approx(4 / 3 / 20)


def test_nothing_is_relative_to_zero() -> None:
    result = paired_difference([1, 2], [1, -1])
    assert result.relative_mean is None
    assert result.relative_ci95 is None


def test_unequal_lengths_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="can't be paired"):
        paired_difference([1], [1, 2])
