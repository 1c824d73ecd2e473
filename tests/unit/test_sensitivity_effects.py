"""Elementary effects and rank regression of known functions."""

from __future__ import annotations

import math
import re
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.unit.sensitivity_cases import (
    METRIC,
    analyzed,
    cell,
    cells_of,
    designed,
    figure,
    noise,
)
from windtunnel.sensitivity import analyze
from windtunnel.sensitivity.elementary_effects import elementary_effects
from windtunnel.sensitivity.rank_regression import rank_regression
from windtunnel.sensitivity.resampling import RESAMPLES, resampled_means
from windtunnel.spec import sampling


def test_elementary_effects_of_a_known_function() -> None:
    """a is linear, b inert, c and d only interact: d(y) / dc = 8 (d - 1/2), of mean 0."""
    rows = np.array(sampling.morris(400, 4, 4)).reshape(400, 5, 4)
    a, _, c, d = (rows[:, :, i] for i in range(4))
    values = 5 * a + 8 * (c - 0.5) * (d - 0.5)
    figures = {
        e.axes[0]: e.figures for e in elementary_effects("abcd", rows, rows, values[:, :, None])
    }
    assert figures["a"]["mu"].value == pytest.approx(5)
    assert figures["a"]["sigma"].value == pytest.approx(0, abs=1e-6)
    assert figures["b"]["mu_star"].value == pytest.approx(0, abs=1e-9)
    # d - 1/2 is one of +-1/2, +-1/6, equally likely.
    assert figures["c"]["mu_star"].value == pytest.approx(8 / 3, abs=0.15)
    assert figures["c"]["mu"].value == pytest.approx(0, abs=0.35)
    assert figures["c"]["sigma"].value == pytest.approx(8 * math.sqrt(5) / 6, abs=0.15)


def test_elementary_effects_agree_with_salib() -> None:
    from SALib.analyze import morris

    rows = np.array(sampling.morris(30, 3, 4))
    values = rows[:, 0] ** 2 + rows[:, 1] * rows[:, 2]
    problem = {"num_vars": 3, "names": ["a", "b", "c"], "bounds": [[0, 1]] * 3}
    expected = morris.analyze(problem, rows, values, num_levels=4, seed=1)
    points = rows.reshape(30, 4, 3)
    effects = elementary_effects("abc", points, points, values.reshape(30, 4, 1))
    for index, effect in enumerate(effects):
        for name in ("mu", "mu_star", "sigma"):
            assert effect.figures[name].value == pytest.approx(expected[name][index], abs=1e-6)


def test_seeds_that_are_common_to_points_lift_nothing() -> None:
    """What a seed does depends on b alone: points that differ in a have the same noise."""

    def function(a: float, b: float, seed: int) -> float:
        return a + noise(seed, b)

    over = {"a": [0, 1], "b": [0, 1]}
    result = analyzed({"design": "saltelli", "n": 256, "over": over}, function, seeds=2)
    assert figure(result, "a", "noise") == pytest.approx(0, abs=1e-9)
    assert figure(result, "b", "noise") == pytest.approx(result.settings[0].noise, rel=0.2)
    assert figure(result, "b", "noise") > 0.8


def test_noise_has_an_elementary_effect_of_its_own() -> None:
    """The mean of |N(0, 1)| over the step 2/3, for means of two seeds."""
    sweep = {"design": "morris", "n": 300, "over": {"a": [0, 1], "b": [0, 1]}}
    result = analyzed(sweep, lambda a, b, seed: 8 * a + noise(seed, a, b), seeds=2)
    expected = math.sqrt(2 / math.pi) / (2 / 3)
    assert figure(result, "b", "noise") == pytest.approx(expected, rel=0.4)
    (note,) = result.settings[0].notes
    assert note.startswith("replication noise alone would give at least half of the mu*: b ")
    assert "a changes delay most: by" in result.settings[0].conclusion


@pytest.mark.parametrize(
    ("bounds", "change"),
    [
        ([0, 1, "integer"], 1),
        ([1, 3, "integer"], 2),
        ([1, 6, "integer"], 5),
        (["1p", "3p"], 2),
        (["1p", "9p", "log"], None),
        ([0, 1], 1),
    ],
)
def test_elementary_effects_are_per_range_of_the_values_in_use(
    bounds: list[Any], change: float | None
) -> None:
    """y = x, or log3 x on the log axis, whose change over the range is 2."""
    sweep = {"design": "morris", "n": 50, "over": {"x": bounds, "inert": [0, 1]}}
    design, axes = designed(sweep)
    cells = []
    for index, point in enumerate(design.points):
        x = float(point[0].label.removesuffix("p"))
        labels = {"x": point[0].label, "inert": point[1].label}
        cells.append(cell(index, labels, {1: x if change else math.log(x, 3)}, 1))
    result = analyze("1f", cells, axes, design.record(), METRIC)
    assert figure(result, "x", "mu_star") == pytest.approx(change or 2)
    assert figure(result, "x", "mu") == pytest.approx(change or 2)
    assert figure(result, "x", "sigma") == pytest.approx(0, abs=1e-6)
    assert figure(result, "inert", "mu_star") == 0
    assert result.settings[0].notes == ()


def test_the_noise_of_an_integer_axis_is_per_range_too() -> None:
    """Every step of 0..1 is the whole range, for means of eight seeds."""
    over = {"a": [0, 1, "integer"], "b": [0, 1], "c": [0, 1]}
    sweep = {"design": "morris", "n": 300, "over": over}
    result = analyzed(sweep, lambda a, b, c, seed: noise(seed, a, b, c), seeds=8)
    expected = math.sqrt(2 / math.pi * 2 / 8)
    assert figure(result, "a", "noise") == pytest.approx(expected, rel=0.2)


def test_steps_that_rounding_leaves_without_change_are_left_out_and_counted() -> None:
    """Six digits of 1000004 to 1000012 are 1000004 (the bound) or 1000010."""
    over = {"a": [1000004, 1000012], "b": [0, 1], "c": [1000000, 1000001]}
    sweep = {"design": "morris", "n": 40, "over": over}
    result = analyzed(sweep, lambda a, b, c, seed: a + b, seeds=2)
    (analysis,) = result.settings
    assert [effect.axes for effect in analysis.effects] == [("a",), ("b",)]
    assert figure(result, "a", "mu_star") == pytest.approx(8)
    assert figure(result, "a", "sigma") == pytest.approx(0, abs=1e-6)
    assert figure(result, "a", "noise") == 0
    (note,) = analysis.notes
    assert re.match(r"elementary effects left out: \d+ of 40 of a, 40 of 40 of c; round", note)
    for effect in analysis.effects:
        for value in effect.figures.values():
            assert all(math.isfinite(x) for x in (value.value, value.low or 0, value.high or 0))


def test_rank_regression_of_monotonic_functions() -> None:
    over = {"a": [1, 10], "b": [1, 10], "c": [1, 10]}
    result = analyzed(
        {"design": "lhs", "n": 200, "over": over}, lambda a, b, c, seed: math.exp(a) / b**0.1
    )
    analysis = result.settings[0]
    assert analysis.r_squared is not None
    assert analysis.r_squared > 0.95
    assert figure(result, "a", "coefficient") > 0.95
    assert -0.2 < figure(result, "b", "coefficient") < 0
    assert abs(figure(result, "c", "coefficient")) < 0.05
    assert "a raises delay most" in analysis.conclusion


def test_rank_regression_is_least_squares_on_standardized_ranks() -> None:
    from scipy import stats

    rng = np.random.default_rng(3)
    points = rng.random((80, 2))
    values = points @ [1, -2] + 0.3 * rng.random(80)
    ranks = stats.zscore(stats.rankdata(np.column_stack([points, values]), axis=0))
    expected, *_ = np.linalg.lstsq(ranks[:, :2], ranks[:, 2], rcond=None)
    effects, r_squared = rank_regression(["a", "b"], points, values)
    assert [e.figures["coefficient"].value for e in effects] == pytest.approx(list(expected))
    residuals = ranks[:, 2] - ranks[:, :2] @ expected
    assert r_squared == pytest.approx(1 - (residuals**2).sum() / (ranks[:, 2] ** 2).sum())


def test_rank_regression_says_what_it_cannot_tell() -> None:
    result = analyzed(
        {"design": "lhs", "n": 100, "over": {"a": [-1, 1], "b": [-1, 1]}},
        lambda a, b, seed: a * b,
    )
    assert "too little to rank the axes by it" in result.settings[0].conclusion


def test_resamples_of_many_blocks_need_little_memory() -> None:
    """All weights at once would be 40 MB for 5,000 blocks."""
    columns = np.arange(5_000.0)[:, None]
    tracemalloc.start()
    means = resampled_means(columns)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8e6
    assert means.shape == (RESAMPLES, 1)
    assert np.array_equal(means, resampled_means(columns))
    assert means.std() == pytest.approx(columns.std() / math.sqrt(5_000), rel=0.1)


def test_many_settings_take_little_longer_than_few() -> None:
    """500 settings of 10 points each; cells are not searched for every setting."""
    labels = [str(number) for number in range(500)]
    sweep = {"design": "lhs", "n": 10, "over": {"a": [0, 1]}, "x": labels}
    design, axes = designed(sweep)
    cells = [
        replace(cell, coordinates=Counted(cell.coordinates))
        for cell in cells_of(design, axes, lambda x, a, seed: a * float(x))
    ]
    Counted.reads = 0
    result = analyze("1f", cells, axes, design.record(), METRIC)
    assert len(result.settings) == 500
    assert Counted.reads <= 3 * len(cells)


class Counted(dict[str, str]):
    """Coordinates that count how often they are read."""

    reads = 0

    def __getitem__(self, axis: str) -> str:
        Counted.reads += 1
        return super().__getitem__(axis)
