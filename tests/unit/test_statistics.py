"""Intervals compared with values computed by hand."""

import math
from typing import Any

import numpy as np
import pytest

from tests.coverage import CASES, Case, coverage, fixed_denominator_coverage
from windtunnel.statistics import (
    Line,
    estimate,
    fit_line,
    paired_difference,
    unpaired_difference,
)


def test_estimate_of_three() -> None:
    # 1, 2, 3: mean 2, sd 1; t(0.975, 2) = 4.302653 (any table), so half-width 4.302653 / sqrt(3).
    result = estimate([1, 2, 3])
    assert (result.n, result.mean, result.sd) == (3, 2, 1)
    assert result.ci95 == pytest.approx((2 - 2.484138, 2 + 2.484138), abs=1e-5)
    assert result.half_width == pytest.approx(4.302653 / math.sqrt(3), abs=1e-5)


def test_one_value_has_no_interval() -> None:
    result = estimate([7])
    assert (result.mean, result.sd, result.ci95, result.half_width) == (7, None, None, None)


@pytest.mark.parametrize("values", [[0.1] * 3, [50.2] * 3, [97.31] * 7, [99.7] * 13])
def test_equal_values_have_no_spread_by_rounding(values: list[float]) -> None:
    result = estimate(values)
    assert (result.mean, result.sd, result.half_width) == (values[0], 0, 0)
    difference = paired_difference(values, [0.3] * len(values))
    assert difference.half_width == 0


def test_pairing_removes_variation_between_seeds() -> None:
    # x - y is 1, 1, 2: mean 4/3, sd sqrt(1/3), half-width 4.302653 * sqrt(1/3) / sqrt(3).
    result = paired_difference([31, 32, 34], [30, 31, 32])
    assert (result.paired, result.n) == (True, 3)
    assert result.mean == pytest.approx(4 / 3)
    assert result.half_width == pytest.approx(4.302653 / 3, abs=1e-5)
    assert result.relative_mean == pytest.approx(4 / 3 / 31)


def test_the_relative_interval_is_that_of_the_ratio_of_means() -> None:
    # R = 97/93; x - R y = -27/93, -31/93, 58/93 in 1/93: sd = sqrt((27**2+31**2+58**2)/2) / 93,
    # half-width 4.302653 sd / sqrt(3) / 31.
    result = paired_difference([31, 32, 34], [30, 31, 32])
    sd = math.sqrt((27**2 + 31**2 + 58**2) / 2) / 93
    assert result.relative_half_width == pytest.approx(4.302653 * sd / math.sqrt(3) / 31, rel=1e-5)


def test_a_constant_ratio_has_no_uncertainty() -> None:
    # x = 0.24 y: the difference varies with y, the ratio does not.
    result = paired_difference([2.4, 2.88, 1.92], [10, 12, 8])
    assert result.relative_mean == pytest.approx(-0.76)
    assert result.relative_half_width == pytest.approx(0, abs=1e-12)
    assert result.half_width is not None
    assert result.half_width > 1


def test_relative_to_a_negative_mean_keeps_its_sign() -> None:
    result = paired_difference([-5, -6, -5.5], [-10, -11, -10.5])
    assert result.relative_mean == pytest.approx(5 / 10.5)


def test_no_relative_difference_to_a_mean_that_may_be_zero() -> None:
    zero_mean = paired_difference([1, 2], [1, -1])
    assert zero_mean.relative_mean is None
    # 1, 5, 0.5: mean 2.17, half-width 6.1: zero is inside its interval.
    unclear = paired_difference([2, 6, 1], [1, 5, 0.5])
    assert (unclear.relative_mean, unclear.relative_ci95) == (None, None)
    assert unclear.ci95 is not None
    single = paired_difference([3], [2])
    assert (single.relative_mean, single.relative_ci95) == (0.5, None)


def test_unpaired_samples_have_welchs_interval() -> None:
    # x: mean 2, var 1, n 3; y: mean 10, var 4, n 3. se^2 = 1/3 + 4/3 = 5/3;
    # df = (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 2.941176; t(0.975, 2.941176) = 3.218759.
    result = unpaired_difference([1, 2, 3], [8, 10, 12])
    assert (result.paired, result.mean) == (False, -8)
    assert result.half_width == pytest.approx(3.218759 * math.sqrt(5 / 3), rel=1e-4)
    # Of x - R y with R = 0.2: variances 1/3 and 0.04 * 4/3.
    of_x, of_y = 1 / 3, 0.04 * 4 / 3
    freedom = (of_x + of_y) ** 2 / (of_x**2 / 2 + of_y**2 / 2)
    assert freedom == pytest.approx(2.6238, abs=1e-3)
    assert result.relative_mean == pytest.approx(-0.8)
    assert result.relative_half_width == pytest.approx(
        _t(freedom) * math.sqrt(of_x + of_y) / 10, rel=1e-9
    )


def _t(freedom: float) -> float:
    from scipy import stats

    return float(stats.t.ppf(0.975, freedom))


def test_unpaired_constants_have_no_width() -> None:
    result = unpaired_difference([3, 3], [2, 2])
    assert (result.mean, result.half_width, result.relative_half_width) == (1, 0, 0)


def test_samples_of_unequal_length_are_rejected() -> None:
    with pytest.raises(ValueError, match="can't be paired"):
        paired_difference([1], [1, 2])


@pytest.mark.parametrize(
    "case", [CASES[0], CASES[-1], CASES[len(CASES) // 2]], ids=lambda case: case.name
)
def test_the_relative_interval_has_its_nominal_coverage(case: Any) -> None:
    """A quick check; `tests/statistics` draws 20,000 samples of every case."""
    rng = np.random.default_rng(20261122)
    # 2,000 samples: standard error 0.005.
    assert coverage(case, 2_000, rng) == pytest.approx(0.95, abs=0.02)


def test_treating_the_baseline_mean_as_exact_loses_coverage() -> None:
    """The control: ratio 3, CVs 0.1 and 0.3, independent, n = 5."""
    case, rng = Case(3, 0, 5, "sd", 0.3), np.random.default_rng(20261122)
    assert fixed_denominator_coverage(case, 4_000, rng) < 0.78
    assert coverage(case, 2_000, rng) == pytest.approx(0.95, abs=0.02)


EXPECTED = Line(0.03, 1e-6)


def test_a_line_through_exact_values_is_found() -> None:
    x = np.array([1e3, 1e4, 1e5, 1e6])
    line = fit_line(x, 0.2 + 3e-6 * x, EXPECTED)
    assert (line.intercept, line.slope) == pytest.approx((0.2, 3e-6))


def test_outliers_hardly_move_a_line() -> None:
    generator = np.random.default_rng(1)
    x = 10 ** generator.uniform(3, 7, 2000)
    y = (0.2 + 3e-6 * x) * generator.lognormal(0, 0.1, 2000)
    y[:200] *= 8
    line = fit_line(x, y, EXPECTED)
    assert line.intercept == pytest.approx(0.2, rel=0.1)
    assert line.slope == pytest.approx(3e-6, rel=0.1)


@pytest.mark.parametrize(("ratio", "factor"), [(1.4, 1), (0.7, 1), (3, 2), (0.1, 0.15)])
def test_values_close_together_scale_the_expected_line(ratio: float, factor: float) -> None:
    x = np.array([1000.0, 2000.0, 2000.0])
    line = fit_line(x, ratio * (0.03 + 1e-6 * x), EXPECTED)
    assert (line.intercept, line.slope) == pytest.approx((0.03 * factor, 1e-6 * factor))


@pytest.mark.parametrize(
    ("y", "intercept", "slope"), [([5.0, 5.0, 4.9], 4.97, 0.0), ([0.001, 1.0, 10.0], 0.0, 1e-6)]
)
def test_a_line_has_no_negative_part(y: list[float], intercept: float, slope: float) -> None:
    line = fit_line(np.array([1e5, 1e6, 1e7]), np.array(y), EXPECTED)
    assert min(line.intercept, line.slope) >= 0
    assert line.intercept == pytest.approx(intercept, abs=0.05)
    assert line.slope == pytest.approx(slope, rel=0.5, abs=2e-8)
