"""Tests, corrections and sample sizes against scipy, statsmodels and values by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import multitest, power, weightstats

from windtunnel.statistics import Contrast, difference, moments
from windtunnel.statistics.significance import (
    detectable_effect,
    equivalence_p,
    holm,
    replications_needed,
)

RNG = np.random.default_rng(7)
SAMPLES = [
    (RNG.normal(mean, sd, n).tolist(), RNG.normal(10, 1, n).tolist())
    for mean in (9.0, 10.0, 10.2, 30.0)
    for sd in (0.1, 1.0)
    for n in (2, 3, 5, 10, 30)
]


@pytest.mark.parametrize(("x", "y"), SAMPLES)
def test_differences_have_scipys_p_values(x: list[float], y: list[float]) -> None:
    paired = moments(x, y, paired=True).contrast().p_two_sided
    assert paired == pytest.approx(stats.ttest_rel(x, y).pvalue, rel=1e-9)
    welch = moments(x, y, paired=False).contrast().p_two_sided
    assert welch == pytest.approx(stats.ttest_ind(x, y, equal_var=False).pvalue, rel=1e-9)


@pytest.mark.parametrize(("x", "y"), SAMPLES)
def test_equivalence_in_absolute_terms_has_statsmodels_p_values(
    x: list[float], y: list[float]
) -> None:
    paired = equivalence_p(moments(x, y, paired=True), 0.5, relative=False)
    expected, *_ = weightstats.ttost_paired(np.array(x), np.array(y), -0.5, 0.5)
    assert paired == pytest.approx(expected, rel=1e-9)
    welch = equivalence_p(moments(x, y, paired=False), 0.5, relative=False)
    expected, *_ = weightstats.ttost_ind(x, y, -0.5, 0.5, usevar="unequal")
    assert welch == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("x", "y"), SAMPLES)
def test_equivalence_in_relative_terms_tests_the_ratio_of_means(
    x: list[float], y: list[float]
) -> None:
    """Within 5 %: x - 0.95 y is above and x - 1.05 y below zero, each by scipy's one-sided test."""
    a, b = np.array(x), np.array(y)
    expected = max(
        stats.ttest_1samp(a - 0.95 * b, 0, alternative="greater").pvalue,
        stats.ttest_1samp(a - 1.05 * b, 0, alternative="less").pvalue,
    )
    assert equivalence_p(moments(x, y, paired=True), 0.05, relative=True) == pytest.approx(
        expected, rel=1e-6
    )


def test_a_relative_margin_around_a_negative_mean() -> None:
    x, y = [-10.1, -10.0, -9.9], [-10.0, -10.1, -9.9]
    mirrored = [-value for value in x], [-value for value in y]
    assert equivalence_p(moments(x, y, paired=True), 0.05, relative=True) == pytest.approx(
        equivalence_p(moments(*mirrored, paired=True), 0.05, relative=True)
    )


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_holm_agrees_with_statsmodels(count: int) -> None:
    p_values = np.random.default_rng(count).uniform(0, 0.1, count).tolist()
    expected = multitest.multipletests(p_values, method="holm")[1]
    assert holm(p_values, count) == pytest.approx(expected.tolist())


def test_the_familys_other_hypotheses_count_as_one() -> None:
    """By hand: 3 x 0.01, 2 x 0.02 = 0.04; the missing one changes nothing but the size."""
    assert holm([0.02, None, 0.01], 3) == [pytest.approx(0.04), None, pytest.approx(0.03)]
    expected = multitest.multipletests([0.02, 1.0, 0.01], method="holm")[1]
    assert holm([0.02, None, 0.01], 3)[::2] == pytest.approx([expected[0], expected[2]])


def test_adjusted_values_never_fall_nor_exceed_one() -> None:
    assert holm([0.01, 0.011, 0.6], 3) == pytest.approx([0.03, 0.03, 0.6])
    assert holm([0.9, 0.8], 2) == [1.0, 1.0]


@pytest.mark.parametrize("paired", [True, False])
def test_values_without_spread_use_the_sign_tests_p(paired: bool) -> None:
    """The same difference in 5 replications: 2^-4 two-sided, 2^-5 one-sided."""
    contrast = moments([3.0] * 5, [2.0] * 5, paired).contrast()
    assert (contrast.p_two_sided, contrast.p_positive, contrast.p_negative) == (1 / 16, 1 / 32, 1)
    equal = moments([2.0] * 5, [2.0] * 5, paired).contrast()
    assert (equal.p_two_sided, equal.p_positive, equal.p_negative) == (1, 1, 1)


@pytest.mark.parametrize("paired", [True, False])
def test_a_single_replication_allows_no_inference(paired: bool) -> None:
    samples = moments([3.0], [2.0], paired)
    assert samples.contrast().p_two_sided is None
    assert equivalence_p(samples, 0.05, relative=True) is None


def test_a_constant_ratio_has_no_spread_in_spite_of_rounding() -> None:
    """x = 3 y: the contrast with ratio 3 is a difference of numbers that cancel."""
    y = [0.1, 0.7, 1.3, 2.9]
    assert moments([3 * value for value in y], y, paired=True).contrast(3).standard_error == 0


def test_no_relative_margin_around_zero() -> None:
    assert equivalence_p(moments([1, 2, 3], [-1, 0, 1], True), 0.05, relative=True) is None


@pytest.mark.parametrize(("n", "size", "expected"), [(3, 28, 23.6), (5, 28, 7.4), (10, 28, 4.4)])
def test_the_smallest_significant_t_of_a_family_of_28(n: int, size: int, expected: float) -> None:
    """t(1 - 0.05 / 56, n - 1), and 0.84 more for a power of 80 %, over sqrt(n)."""
    effect = detectable_effect(n, size)
    assert effect is not None
    critical = effect * math.sqrt(n) - stats.norm.ppf(0.8)
    assert critical == pytest.approx(stats.t.ppf(1 - 0.05 / (2 * size), n - 1))
    assert critical == pytest.approx(expected, abs=0.1)


def test_a_single_replication_detects_nothing() -> None:
    assert detectable_effect(1, 1) is None


@pytest.mark.parametrize("effect", [0.3, 0.5, 1.0])
def test_the_replications_needed_have_about_the_power_asked_for(effect: float) -> None:
    """statsmodels' exact power of the t test at the number returned is 80 %, within 3 points."""
    n = 3
    contrast = Contrast(n, effect, 1 / math.sqrt(n), n - 1)
    needed = replications_needed(contrast, 1, [], 1)
    assert needed is not None
    assert power.TTestPower().power(effect, needed, 0.05) == pytest.approx(0.8, abs=0.03)


def simulated_equivalence(n: int, distance: float, samples: int = 4000) -> float:
    draws = np.random.default_rng(3).normal(0, 1, (samples, n))
    margin = distance
    return float(np.mean([_equivalent(draw.tolist(), margin) for draw in draws]))


def _equivalent(values: Sequence[float], margin: float) -> bool:
    p = equivalence_p(moments(values, [0.0] * len(values), paired=True), margin, relative=False)
    return p is not None and p <= 0.05


def test_the_replications_needed_for_equivalence_have_the_power_asked_for() -> None:
    """Both ends of the margin must be excluded: simulated, without a true difference."""
    contrast = Contrast(5, 0.0, 1 / math.sqrt(5), 4)
    needed = replications_needed(contrast, 1, [0.5, 0.5], 1)
    assert needed is not None
    assert 0.77 <= simulated_equivalence(needed, 0.5) <= 0.85


def test_needed_replications_are_unknown_without_an_effect() -> None:
    assert replications_needed(Contrast(5, 0.0, 1.0, 4), 1, [], 1) is None
    assert replications_needed(Contrast(5, 1.0, 0.0, 4), 1, [], 1) is None


def test_the_example_in_comparison_md() -> None:
    samples = moments([9.1, 9.6, 8.9, 9.2, 8.7], [10.0, 10.4, 9.8, 10.2, 9.6], paired=True)
    result = difference(samples)
    assert (result.mean, result.half_width) == pytest.approx((-0.9, 0.088), abs=5e-4)
    assert (result.relative_mean, result.relative_half_width) == pytest.approx(
        (-0.09, 0.010), abs=5e-4
    )
    assert samples.contrast().p_two_sided == pytest.approx(9.1e-6, rel=0.01)
    assert equivalence_p(samples, 0.05, relative=True) == pytest.approx(1, abs=1e-3)
