"""Sobol' indices of functions whose indices are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.sensitivity_cases import (
    analyzed,
    designed,
    figure,
    noise,
)
from windtunnel.errors import InvalidRequestError
from windtunnel.sensitivity import Method
from windtunnel.sensitivity.sobol import sobol_indices
from windtunnel.spec import sampling


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
