"""Change points with values by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from windtunnel.statistics.change_points import candidates, change_points

SEEDS = [10.0, 10.4, 9.8, 10.2, 9.6]


def shifted(*by: float) -> list[float]:
    return [value + shift for value, shift in zip(SEEDS, by, strict=True)]


STEP = shifted(2.0, 2.1, 1.9, 2.2, 1.8)


def test_a_step_is_found_where_it_is() -> None:
    """By seed +2.0, +2.1, +1.9, +2.2, +1.8: mean 2, sd 0.158, t = 2 / (0.158 / sqrt 5) = 28.3."""
    (change,) = change_points([SEEDS, SEEDS, SEEDS, STEP, STEP], tests=3)
    assert change.index == 3
    assert change.difference.mean == pytest.approx(2)
    assert change.difference.relative_mean == pytest.approx(0.2)
    t = 2 / (0.025**0.5 / 5**0.5)
    assert t == pytest.approx(28.28, abs=0.01)
    assert change.p == pytest.approx(3 * 2 * stats.t.sf(t, 4))


def test_repetitions_of_a_value_are_no_evidence() -> None:
    """Five commits with one set of values, five with another: five seeds differ by chance."""
    other = shifted(0.3, -0.2, 0.1, -0.3, 0.2)
    series = [SEEDS] * 5 + [other] * 5
    assert candidates(series) == [5]
    assert change_points(series, tests=1) == []


def test_two_steps_are_two_changes() -> None:
    changes = change_points([SEEDS] * 4 + [STEP] * 4 + [SEEDS] * 4, tests=2)
    assert [change.index for change in changes] == [4, 8]
    assert [round(change.difference.mean, 6) for change in changes] == [2, -2]


def test_more_positions_need_more_evidence() -> None:
    series = [SEEDS, shifted(0.2, 0.5, 0.1, 0.4, 0.3)]  # t = 0.3 / (0.158 / sqrt 5) = 4.24
    assert change_points(series, tests=1)
    assert change_points(series, tests=10) == []


def test_rare_events_that_are_absent_by_chance_are_no_change() -> None:
    """Seeds alone would see 0 before and more after in nine of ten: t = 9."""
    zeros = [0.0] * 10
    ones = [
        [float(seed == commit or seed == commit + 1) for seed in range(10)] for commit in range(9)
    ]
    assert change_points([zeros, *ones], tests=9) == []


def test_the_same_shift_under_every_seed_has_the_p_of_the_sign_test() -> None:
    series = [[0.0] * 5, [3.0] * 5]
    assert change_points(series, tests=1) == []  # 2 ** -4 = 0.06
    (change,) = change_points([[0.0] * 8, [3.0] * 8], tests=1)
    assert change.p == 2**-7


def test_exact_values_change_wherever_they_differ() -> None:
    changes = change_points([[5.0, 5.0], [5.0, 5.0], [6.0, 6.0], [7.0, 7.0]], 0, exact=True)
    assert [(change.index, change.p) for change in changes] == [(2, None), (3, None)]
    assert [(c.difference.n, c.difference.half_width) for c in changes] == [(1, None), (1, None)]


@pytest.mark.parametrize("series", [[], [SEEDS], [SEEDS, SEEDS], [[1.0], [9.0]], [[], []]])
def test_nothing_to_test_is_no_change(series: list[list[float]]) -> None:
    assert change_points(series, tests=1) == []
