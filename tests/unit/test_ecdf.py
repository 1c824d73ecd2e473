"""Empirical distribution functions, exact and thinned out."""

from __future__ import annotations

import numpy as np
import pytest

from windtunnel.statistics.ecdf import ecdf


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
