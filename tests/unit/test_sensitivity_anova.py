"""Analysis of variance of grids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sensitivity_cases import (
    METRIC,
    cell,
    figure,
    grid,
    noise,
)
from windtunnel.errors import ConflictError
from windtunnel.sensitivity import EffectKind, Method, analyze
from windtunnel.sensitivity.anova import variance_shares


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
