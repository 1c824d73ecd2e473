"""Percentiles of samples, and fairness over time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.statistics.fairness import in_windows, jain_over_time
from windtunnel.statistics.percentiles import flows_needed, percentiles


def test_nearest_rank() -> None:
    # The example of https://en.wikipedia.org/wiki/Percentile, by hand.
    values = np.array([15.0, 20, 35, 40, 50])
    assert percentiles(values, (5, 30, 40, 50, 100)) == [15, 20, 20, 35, 50]
    assert percentiles(values, (50, 5, 50)) == [35, 15, 35]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=200), st.integers(1, 100))
def test_a_percentile_is_the_inverse_of_the_distribution(values: list[float], p: int) -> None:
    sample = np.array(values)
    (found,) = percentiles(sample, [p])
    assert found in values
    assert 100 * np.count_nonzero(sample <= found) >= p * len(sample)
    assert 100 * np.count_nonzero(sample < found) < p * len(sample)


@pytest.mark.parametrize(
    ("percent", "needed"), [(50, 3), (90, 10), (99, 100), (99.9, 1000), (1, 101), (10, 11)]
)
def test_with_enough_flows_a_percentile_is_neither_end(percent: float, needed: int) -> None:
    assert flows_needed(percent) == needed
    (value,) = percentiles(np.arange(1.0, needed + 1), [percent])
    assert 1 < value < needed
    assert percentiles(np.arange(1.0, needed), [percent])[0] in (1, needed - 1)


def test_fairness_of_shares_known_by_hand() -> None:
    rates = np.array([[4.0, 1, 0, 5], [4, 0, 0, 5], [4, 0, 0, 5]])
    active = np.ones_like(rates, dtype=bool)
    assert jain_over_time(rates, active).tolist() == [1, pytest.approx(1 / 3), 1, 1]


def test_fairness_counts_active_flows_only() -> None:
    rates = np.array([[6.0, 6, 3], [0, 2, 3]])
    active = np.array([[True, True, True], [False, True, True]])
    alone, sharing, equal = jain_over_time(rates, active)
    assert np.isnan(alone)
    assert (sharing, equal) == (pytest.approx(64 / (2 * 40)), 1)


def test_windows_are_means() -> None:
    assert in_windows(np.array([[1.0, 3, 5, 7, 100]]), 2).tolist() == [[2, 6]]
