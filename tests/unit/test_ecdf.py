"""Empirical distribution functions, exact and thinned out, also of counts pooled over samples."""

from __future__ import annotations

import numpy as np
import pytest

from windtunnel.statistics.ecdf import PooledCounts, ecdf, weighted_ecdf


def test_few_values_are_exact() -> None:
    assert ecdf(np.array([]), 400) == []
    assert ecdf(np.array([3.0, 1.0, 1.0, 2.0]), 3) == [(1.0, 0.5), (2.0, 0.75), (3.0, 1.0)]


def test_many_values_are_points_of_the_exact_function() -> None:
    points = ecdf(np.arange(1.0, 10_001.0), 400)
    assert 390 <= len(points) <= 400
    assert (points[0], points[-1]) == ((1.0, 0.0001), (10_000.0, 1.0))
    assert all(fraction == pytest.approx(value / 10_000) for value, fraction in points)
    steps = np.diff([fraction for _, fraction in points])
    assert steps.max() < 2 / 399


def test_counts_weigh_values() -> None:
    values, counts = np.array([1.0, 2.0, 5.0]), np.array([2.0, 1.0, 1.0])
    assert weighted_ecdf(values, counts, 3) == [(1.0, 0.5), (2.0, 0.75), (5.0, 1.0)]
    assert weighted_ecdf(values, counts, 3) == ecdf(np.repeat(values, counts.astype(int)), 3)
    assert weighted_ecdf(np.array([]), np.array([]), 3) == []


def test_many_counts_are_points_of_the_exact_function() -> None:
    values, counts = np.arange(1.0, 1001.0), np.arange(1.0, 1001.0)
    points = weighted_ecdf(values, counts, 400)
    assert len(points) <= 400
    assert points[-1] == (1000.0, 1.0)
    for value, fraction in points:  # 1 + 2 + ... + n
        assert fraction == pytest.approx(value * (value + 1) / (1000 * 1001))


def test_pooled_counts_are_sums_over_samples() -> None:
    pooled = PooledCounts()
    pooled.add(np.array([1.0, 3.0]), np.array([10.0, 1.0]))
    pooled.add(np.array([2.0, 3.0, 4.0]), np.array([5.0, 2.0, 1.0]))
    assert (pooled.values.tolist(), pooled.counts.tolist()) == ([1, 2, 3, 4], [10, 5, 3, 1])


def test_the_memory_of_pooled_counts_is_bounded() -> None:
    pooled = PooledCounts()
    for sample in range(40):  # 160,000 distinct values in 40 interleaved samples
        pooled.add(np.arange(4000.0) * 40 + sample, np.ones(4000))
    assert len(pooled.values) <= 2**16
    assert pooled.counts.sum() == 160_000
    points = weighted_ecdf(pooled.values, pooled.counts, 400)
    assert points[-1] == (159_999.0, 1.0)
    assert all(fraction == pytest.approx(value / 160_000, abs=1e-3) for value, fraction in points)
