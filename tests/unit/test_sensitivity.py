"""Sensitivity analyses, on functions whose indices are known."""

from __future__ import annotations

import itertools
import math
import re
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.comparison import CellResults, SimulatorBuild
from windtunnel.comparison.table import CellRun
from windtunnel.errors import ConflictError, InvalidRequestError
from windtunnel.run import RunState
from windtunnel.sensitivity import EffectKind, Method, Sensitivity, analyze
from windtunnel.sensitivity.anova import variance_shares
from windtunnel.sensitivity.elementary_effects import elementary_effects
from windtunnel.sensitivity.rank_regression import rank_regression
from windtunnel.sensitivity.resampling import RESAMPLES, resampled_means
from windtunnel.sensitivity.sobol import sobol_indices
from windtunnel.spec import sampling
from windtunnel.spec.description import Metric
from windtunnel.spec.designs import Design, read_design

METRIC = Metric("delay", "ms", "lower", "A delay.", "delay")
BUILD = SimulatorBuild("tiny", "0" * 64)
Function = Callable[..., float]


def designed(sweep: dict[str, Any]) -> tuple[Design, dict[str, list[str]]]:
    """A design and the labels of all axes."""
    problems: list[Any] = []
    design, axes = read_design(sweep, problems)
    assert not problems
    assert design is not None
    return design, {axis.name: [value.label for value in axis.values] for axis in axes}


def cell(
    index: int, coordinates: Mapping[str, str], values: dict[int, float], seeds: int
) -> CellResults:
    """A cell whose runs without a value have failed."""
    runs = {
        seed: CellRun(str(seed), RunState.SUCCEEDED if seed in values else RunState.FAILED)
        for seed in range(1, seeds + 1)
    }
    return CellResults(index, coordinates, BUILD, None, runs, {"delay": values}, {"delay": "ms"})


def cells_of(
    design: Design, axes: dict[str, list[str]], function: Function, seeds: int = 1
) -> list[CellResults]:
    """Cells of a design over plain numbers: ``function(facets.., inputs.., seed=)``."""
    sampled = [entry.name for entry in design.inputs]
    facets = {name: labels for name, labels in axes.items() if name not in sampled}
    cells: list[CellResults] = []
    for setting in itertools.product(*facets.values()):
        for point in design.points:
            labels = [value.label for value in point]
            numbers = [float(label) for label in labels]
            values = {s: function(*setting, *numbers, seed=s) for s in range(1, seeds + 1)}
            coordinates = dict(zip([*facets, *sampled], [*setting, *labels], strict=True))
            cells.append(cell(len(cells), coordinates, values, seeds))
    return cells


def analyzed(
    sweep: dict[str, Any], function: Function, seeds: int = 1, **where: Sequence[str]
) -> Sensitivity:
    design, axes = designed(sweep)
    return analyze(
        "1f", cells_of(design, axes, function, seeds), axes, design.record(), METRIC, where
    )


def figure(result: Sensitivity, axis: str, name: str, setting: int = 0) -> float:
    effects = result.settings[setting].effects
    return next(e.figures[name].value for e in effects if e.axes == (axis,))


def noise(seed: int, *numbers: float) -> float:
    """Standard normal, the same for the same arguments."""
    key = [seed, *(int.from_bytes(np.float64(x).tobytes(), "big") for x in numbers)]
    return float(np.random.default_rng(key).standard_normal())


# ------------------------------------------------------------------ Sobol' indices


def ishigami(x1: float, x2: float, x3: float, seed: int = 1) -> float:
    """Ishigami and Homma (1990), a = 7, b = 0.1."""
    return math.sin(x1) + 7 * math.sin(x2) ** 2 + 0.1 * x3**4 * math.sin(x1)


def test_sobol_indices_of_the_ishigami_function() -> None:
    """Analytic: V1 = (1 + b pi^4 / 5)^2 / 2, V2 = a^2 / 8, V13 = b^2 pi^8 (1/18 - 1/50)."""
    pi = math.pi
    v1 = 0.5 * (1 + 0.1 * pi**4 / 5) ** 2
    v2, v13 = 49 / 8, 0.01 * pi**8 * (1 / 18 - 1 / 50)
    total = v1 + v2 + v13
    over = {name: [-pi, pi] for name in ("x1", "x2", "x3")}
    result = analyzed({"design": "saltelli", "n": 2048, "over": over}, ishigami)
    assert result.method is Method.SOBOL
    expected = {
        ("x1", "first"): v1 / total, ("x2", "first"): v2 / total, ("x3", "first"): 0,
        ("x1", "total"): (v1 + v13) / total, ("x2", "total"): v2 / total,
        ("x3", "total"): v13 / total,
    }  # fmt: skip
    for (axis, name), value in expected.items():
        assert figure(result, axis, name) == pytest.approx(value, abs=0.02)
        figures = next(e for e in result.settings[0].effects if e.axes == (axis,)).figures[name]
        assert figures.low is not None
        assert figures.high is not None
        assert figures.low - 0.01 <= value <= figures.high + 0.01
    assert result.settings[0].variance == pytest.approx(total, rel=0.02)
    assert "x2 explains 44 %" in result.settings[0].conclusion
    assert any("one seed" in note for note in result.notes)


def test_sobol_indices_agree_with_salib() -> None:
    from SALib.analyze import sobol

    rng = np.random.default_rng(1)
    n, names = 64, ["a", "b", "c"]
    rows = np.array(sampling.saltelli(n, 3))
    values = rows[:, 0] + rows[:, 1] * rows[:, 2] * 3 + 0.1 * rng.standard_normal(len(rows))
    problem = {"num_vars": 3, "names": names, "bounds": [[0, 1]] * 3}
    expected = sobol.analyze(problem, values, calc_second_order=False, seed=1)
    effects = sobol_indices(names, values.reshape(n, 5, 1))
    # SALib centers by the mean of all rows, not by that of the independent ones.
    for index, effect in enumerate(effects):
        assert effect.figures["first"].value == pytest.approx(expected["S1"][index], abs=0.02)
        assert effect.figures["total"].value == pytest.approx(expected["ST"][index], abs=1e-9)
        width = (effect.figures["total"].high or 0) - (effect.figures["total"].low or 0)
        assert width / 2 == pytest.approx(expected["ST_conf"][index], rel=0.35)


def test_shares_of_a_linear_function_and_the_noise_that_lifts_totals() -> None:
    """y = 3 a + b + 0 c: shares 9 : 1 : 0; noise of s^2 / seeds adds to every total index."""
    sd = 0.6

    def linear(a: float, b: float, c: float, seed: int) -> float:
        return 3 * a + b + 10 * seed + sd * noise(seed, a, b, c)  # the seed is a block

    over = {name: [0, 1] for name in "abc"}
    result = analyzed({"design": "saltelli", "n": 1024, "over": over}, linear, seeds=2)
    signal, random = 10 / 12, sd**2 / 2
    share = random / (signal + random)
    analysis = result.settings[0]
    assert analysis.noise == pytest.approx(share, abs=0.02)
    assert figure(result, "a", "first") == pytest.approx(0.9 * (1 - share), abs=0.04)
    assert figure(result, "b", "first") == pytest.approx(0.1 * (1 - share), abs=0.04)
    assert figure(result, "c", "total") == pytest.approx(share, abs=0.03)
    assert figure(result, "b", "total") == pytest.approx(0.1 * (1 - share) + share, abs=0.03)
    for axis in "abc":
        assert figure(result, axis, "noise") == pytest.approx(share, abs=0.03)
    assert any(
        "replication noise is a part of total indices: a " in note for note in analysis.notes
    )
    assert "a explains" in analysis.conclusion


def test_intervals_cover_the_true_index_as_often_as_they_say() -> None:
    """Of 60 independent samples of n = 64, 95 % intervals miss the share of a few."""
    rng = np.random.default_rng(7)
    missed = 0
    for _ in range(60):
        a, b = rng.random((64, 2)), rng.random((64, 2))
        rows = [a, np.column_stack([b[:, 0], a[:, 1]]), np.column_stack([a[:, 0], b[:, 1]]), b]
        values = np.column_stack([2 * row[:, 0] + row[:, 1] for row in rows])
        effect = sobol_indices(["x", "y"], values[:, :, None])[0]
        low, high = effect.figures["total"].low, effect.figures["total"].high
        assert low is not None
        assert high is not None
        missed += not low <= 0.8 <= high
    assert missed <= 8


def test_integer_axes_with_coinciding_points() -> None:
    """y = k + 2 m, k of 1..2 and m of 1..3: variances 1/4 and 4 x 2/3."""
    over = {"k": [1, 2, "integer"], "m": [1, 3, "integer"]}
    sweep = {"design": "saltelli", "n": 512, "over": over}
    design, _ = designed(sweep)
    assert len(design.points) == 6
    result = analyzed(sweep, lambda k, m, seed: k + 2 * m)
    total = 0.25 + 8 / 3
    assert figure(result, "k", "first") == pytest.approx(0.25 / total, abs=0.01)
    assert figure(result, "m", "total") == pytest.approx(8 / 3 / total, abs=0.01)


def test_axes_whose_total_is_zero_are_named_as_inert() -> None:
    over = {"a": [0, 1], "b": [0, 1], "c": [0, 1]}
    result = analyzed({"design": "saltelli", "n": 64, "over": over}, lambda a, b, c, seed: a)
    assert result.settings[0].conclusion.endswith("b, c hardly matter (total below 5 %)")


def test_each_setting_of_a_facet_has_an_analysis() -> None:
    over = {"a": [0, 1], "b": [0, 1]}
    sweep = {"design": "saltelli", "n": 256, "over": over, "algorithm": ["x", "y"]}

    def function(algorithm: str, a: float, b: float, seed: int) -> float:
        return a if algorithm == "x" else 4.0 * b

    result = analyzed(sweep, function)
    assert [analysis.setting for analysis in result.settings] == [
        {"algorithm": "x"}, {"algorithm": "y"},
    ]  # fmt: skip
    assert figure(result, "a", "total", 0) == pytest.approx(1, abs=0.01)
    assert figure(result, "a", "total", 1) == 0
    assert figure(result, "b", "first", 1) == pytest.approx(1, abs=0.01)
    only = analyzed(sweep, function, algorithm=["y"])
    assert [analysis.setting for analysis in only.settings] == [{"algorithm": "y"}]
    with pytest.raises(InvalidRequestError, match="a is sampled by the design"):
        analyzed(sweep, function, a=["0.5"])
    with pytest.raises(InvalidRequestError, match="'z' is not on the axis algorithm"):
        analyzed(sweep, function, algorithm=["z"])
    with pytest.raises(InvalidRequestError, match="'algo' is not an axis"):
        analyzed(sweep, function, algo=["x"])


# ------------------------------------------------------------------ Morris, LHS


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


# ------------------------------------------------------------------ analysis of variance


def grid(function: Function, seeds: int, **axes: list[Any]) -> tuple[Any, dict[str, list[str]]]:
    labels = {name: [str(value) for value in values] for name, values in axes.items()}
    cells: list[CellResults] = []
    for point in itertools.product(*axes.values()):
        values = {seed: function(*point, seed=seed) for seed in range(1, seeds + 1)}
        coordinates = dict(zip(axes, map(str, point), strict=True))
        cells.append(cell(len(cells), coordinates, values, seeds))
    return cells, labels


def test_variance_shares_agree_with_statsmodels() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(5)
    values = rng.standard_normal((3, 2, 4, 5))
    values += np.arange(3)[:, None, None, None] + 0.5 * np.arange(5)
    values[2, 1] += 2
    frame = pd.DataFrame(
        [(*place, float(value)) for place, value in np.ndenumerate(values)],
        columns=["a", "b", "c", "seed", "y"],
    )
    table = anova_lm(ols("y ~ C(a) * C(b) * C(c) + C(seed)", frame).fit())
    total = table["sum_sq"].sum()
    effects = variance_shares(["a", "b", "c"], values)
    names = {
        ("a",): "C(a)", ("b",): "C(b)", ("c",): "C(c)", ("a", "b"): "C(a):C(b)",
        ("a", "c"): "C(a):C(c)", ("b", "c"): "C(b):C(c)",
    }  # fmt: skip
    rows = {
        EffectKind.SEED: "C(seed)", EffectKind.NOISE: "Residual",
        EffectKind.INTERACTIONS: "C(a):C(b):C(c)",
    }  # fmt: skip
    for effect in effects:
        row = table.loc[names[effect.axes] if effect.axes else rows[effect.kind]]
        assert effect.figures["share"].value == pytest.approx(row["sum_sq"] / total)
        assert effect.df == row["df"]
        if effect.kind is not EffectKind.NOISE:
            assert effect.p == pytest.approx(row["PR(>F)"])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(2, 4), min_size=1, max_size=4),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_shares_of_variance_add_up_to_one(sizes: list[int], seeds: int, seed: int) -> None:
    values = np.random.default_rng(seed).standard_normal((*sizes, seeds))
    effects = variance_shares([str(i) for i in range(len(sizes))], values)
    shares = [effect.figures["share"].value for effect in effects]
    assert sum(shares) == pytest.approx(1)
    assert all(0 <= share <= 1 + 1e-12 for share in shares)
    assert sum(effect.df or 0 for effect in effects) == values.size - 1


def test_a_grid_has_an_analysis_of_variance() -> None:
    cells, labels = grid(
        lambda a, b, c, seed: 3 * a + b + 5 * seed, 3, a=[0, 1], b=[0, 1], c=["only"]
    )
    result = analyze("1f", cells, labels, None, METRIC)
    assert result.method is Method.ANOVA
    assert result.axes == ("a", "b")
    # Variances: 9/4, 1/4, and 25 x 2/3 of the seeds.
    total = 10 / 4 + 50 / 3
    assert figure(result, "a", "share") == pytest.approx(9 / 4 / total)
    assert figure(result, "b", "share") == pytest.approx(1 / 4 / total)
    seed = next(e for e in result.settings[0].effects if e.kind is EffectKind.SEED)
    assert seed.figures["share"].value == pytest.approx(50 / 3 / total)
    assert result.settings[0].noise == pytest.approx(0, abs=1e-9)
    assert result.settings[0].conclusion.startswith("a explains 12 % of the variance of delay")


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e6])
@pytest.mark.parametrize("mean", [0.0, 0.7, 12345.678])
def test_a_grid_without_noise_has_no_tests(mean: float, scale: float) -> None:
    """The seed shifts all cells alike or none; b and the interaction are inert."""
    for shift in (0.0, 0.3):
        cells, labels = grid(
            lambda a, b, seed, shift=shift: scale * (mean + 0.1 * a + shift * seed),
            3, a=[1, 2, 3], b=["x", "y"],
        )  # fmt: skip
        (analysis,) = analyze("1f", cells, labels, None, METRIC).settings
        assert [effect.p for effect in analysis.effects] == [None] * 5
        shares = {(e.kind, *e.axes): e.figures["share"].value for e in analysis.effects}
        assert shares[EffectKind.AXIS, "b"] == 0
        assert shares[EffectKind.INTERACTION, "a", "b"] == 0
        assert analysis.noise == 0
        (note,) = analysis.notes
        assert note.startswith("deterministic: ")


def test_inert_axes_of_a_grid_with_noise_have_a_p_of_one() -> None:
    """What a and the seed do together is the noise; b does nothing."""
    cells, labels = grid(lambda a, b, seed: noise(seed, a), 3, a=[0.1, 0.7], b=[1, 2, 3])
    (analysis,) = analyze("1f", cells, labels, None, METRIC).settings
    p = {effect.axes: effect.p for effect in analysis.effects if effect.axes}
    assert p["b",] == p["a", "b"] == 1.0
    assert 0 < (p["a",] or 0) < 1
    assert analysis.notes == ()


def test_a_grid_leaves_out_seeds_that_some_cell_lacks() -> None:
    cells, labels = grid(lambda a, seed: a + 0.1 * seed, 3, a=[0, 1, 2])
    cells[1] = cell(1, cells[1].coordinates, {1: 1.1, 3: 1.3}, 3)
    result = analyze("1f", cells, labels, None, METRIC)
    assert result.settings[0].seeds == (1, 3)
    assert result.settings[0].notes[0] == "1 of 3 seeds left out: a value is missing in each"
    cells[2] = cell(2, cells[2].coordinates, {}, 3)
    with pytest.raises(ConflictError, match=r"no seed has a value in every cell: 4 failed or were"):
        analyze("1f", cells, labels, None, METRIC)
    rest = analyze("1f", cells, labels, None, METRIC, {"a": ["0", "1"]})
    assert rest.settings[0].seeds == (1, 3)


# ------------------------------------------------------------------ what is missing


SWEEP = {"design": "saltelli", "n": 16, "over": {"a": [0, 1], "b": [0, 1]}}


def test_blocks_with_a_missing_value_are_left_out_and_counted() -> None:
    design, axes = designed(SWEEP)
    cells = cells_of(design, axes, lambda a, b, seed: a + b, 2)
    for row in (5, 6, 13):  # of the blocks 1, 1 and 3
        cells[row] = cell(row, cells[row].coordinates, {}, 2)
    analysis = analyze("1f", cells, axes, design.record(), METRIC).settings[0]
    assert (analysis.used, analysis.planned, analysis.seeds) == (14, 16, (1, 2))
    assert analysis.notes == ("2 of 16 blocks left out: a value is missing in each",)
    cells[5] = cell(5, cells[5].coordinates, {1: 1.0}, 2)
    cells[6] = cell(6, cells[6].coordinates, {1: 1.0}, 2)
    cells[9] = cell(9, cells[9].coordinates, {1: 1.0}, 2)
    analysis = analyze("1f", cells, axes, design.record(), METRIC).settings[0]
    # Seed 2 has 13 of the 15 blocks of seed 1, less than 90 %.
    assert (analysis.used, analysis.seeds) == (15, (1,))
    assert analysis.notes[0].endswith("; seed 2 left out: far fewer blocks are complete")


def test_a_half_finished_campaign_uses_the_seeds_that_are_there() -> None:
    design, axes = designed(SWEEP)
    cells = cells_of(design, axes, lambda a, b, seed: a + b, 2)
    for index, full in enumerate(cells):
        if index > 20:
            runs = {**full.runs, 2: CellRun("2", RunState.QUEUED)}
            values = {"delay": {1: full.values["delay"][1]}}
            cells[index] = replace(full, runs=runs, values=values)
    result = analyze("1f", cells, axes, design.record(), METRIC)
    assert result.settings[0].seeds == (1,)
    assert result.settings[0].used == 16
    assert result.notes[0] == "43 of 128 runs have not ended; the figures will change"


def test_too_few_blocks_are_an_error_that_says_why() -> None:
    design, axes = designed(SWEEP)
    cells = cells_of(design, axes, lambda a, b, seed: a + b)
    empty = [cell(c.index, c.coordinates, {}, 1) if c.index > 20 else c for c in cells]
    message = r"5 of 16 blocks are complete; at least 8 are needed: 43 failed or were cancelled"
    with pytest.raises(ConflictError, match=message):
        analyze("1f", empty, axes, design.record(), METRIC)


def test_a_metric_that_is_mostly_zero_has_finite_intervals() -> None:
    """Some resamples of the blocks have no variance at all."""
    result = analyzed({**SWEEP, "n": 64}, lambda a, b, seed: max(0.0, a - 0.97))
    for effect in result.settings[0].effects:
        for value in effect.figures.values():
            assert all(math.isfinite(x) for x in (value.value, value.low or 0, value.high or 0))


@pytest.mark.parametrize("kind", ["saltelli", "lhs", "morris"])
def test_a_constant_metric_does_not_vary(kind: str) -> None:
    result = analyzed({**SWEEP, "design": kind}, lambda a, b, seed: 0.1 + 0.2)
    analysis = result.settings[0]
    assert analysis.effects == ()
    assert analysis.conclusion == "delay does not vary: it is 0.300 ms everywhere"


def test_a_constant_metric_of_a_grid_does_not_vary() -> None:
    cells, labels = grid(lambda a, seed: 7.0, 3, a=[0, 1, 2])
    result = analyze("1f", cells, labels, None, METRIC)
    assert result.settings[0].conclusion == "delay does not vary: it is 7 ms everywhere"
    assert result.notes == ()
