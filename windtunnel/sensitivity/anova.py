"""Analysis of variance of a balanced grid with seeds as blocks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from windtunnel.sensitivity.document import ConfidenceValue, Effect, EffectKind
from windtunnel.sensitivity.resampling import Array

# A sum of squares below this share of the total is a rounding error.
_ROUNDING = 1e-12


def variance_shares(names: Sequence[str], values: Array) -> list[Effect]:
    """Shares of the total sum of squares; they add up to 1.

    ``values``: one dimension for each axis, then seeds. Effects are fixed and every value of an
    axis weighs the same. All cells have the same seeds (common random numbers), so that the seed is
    a block; the noise is what axes and block leave (Montgomery, *Design and Analysis of
    Experiments*, sections 4.1 and 5.6). F tests are against the noise; without noise there are
    none. Squares that are rounding errors are 0.
    """
    values = values - values.mean()
    seeds = values.shape[-1]
    cells = values.mean(axis=-1)
    deviations = cells - cells.mean()
    total = float(((values - values.mean()) ** 2).sum())
    between = seeds * float((deviations**2).sum())
    block = deviations.size * float(
        ((_mean_by(values, values.ndim - 1) - values.mean()) ** 2).sum()
    )
    noise = _rounded(total - between - block, total)
    block = _rounded(block, total)
    df_noise = (deviations.size - 1) * (seeds - 1)
    rows = [
        (kind, axes, _rounded(seeds * squares, total), df)
        for kind, axes, squares, df in _effects(names, deviations)
    ]
    error = (noise, df_noise) if df_noise and noise else None
    effects = [_effect(*row, total, error) for row in rows]
    if seeds > 1:
        effects.append(_effect(EffectKind.SEED, (), block, seeds - 1, total, error))
        effects.append(_effect(EffectKind.NOISE, (), noise, df_noise, total, None))
    return effects


def _effects(
    names: Sequence[str], cells: Array
) -> list[tuple[EffectKind, tuple[str, ...], float, int]]:
    """(kind, axes, sum of squares, degrees of freedom) of axes, pairs, and all else together."""
    squares: dict[tuple[int, ...], float] = {}
    df: dict[tuple[int, ...], int] = {}
    for axes in [*((i,) for i in range(cells.ndim)), *itertools.combinations(range(cells.ndim), 2)]:
        size = int(np.prod([cells.shape[axis] for axis in axes]))
        means = _mean_by(cells, *axes)
        inner = sum(squares[axis,] for axis in axes) if len(axes) > 1 else 0.0
        squares[axes] = max(0.0, cells.size // size * float((means**2).sum()) - inner)
        df[axes] = int(np.prod([cells.shape[axis] - 1 for axis in axes]))
    kinds = {1: EffectKind.AXIS, 2: EffectKind.INTERACTION}
    rows = [
        (kinds[len(axes)], tuple(names[axis] for axis in axes), squares[axes], df[axes])
        for axes in squares
    ]
    if cells.ndim > 2:
        rest = max(0.0, float((cells**2).sum()) - sum(squares.values()))
        rest_df = cells.size - 1 - sum(df.values())
        rows.append((EffectKind.INTERACTIONS, (), rest, rest_df))
    return rows


def _rounded(squares: float, total: float) -> float:
    """A sum of squares, 0 if it is a rounding error of the total."""
    return squares if squares > _ROUNDING * total else 0.0


def _mean_by(values: Array, *axes: int) -> Array:
    """Means for each combination of these axes' values."""
    others = tuple(axis for axis in range(values.ndim) if axis not in axes)
    return np.asarray(values.mean(axis=others))


def _effect(
    kind: EffectKind,
    axes: tuple[str, ...],
    squares: float,
    df: int,
    total: float,
    error: tuple[float, int] | None,
) -> Effect:
    p = None
    if error is not None and df:
        from scipy import special

        noise, df_noise = error
        p = float(special.fdtrc(df, df_noise, (squares / df) / (noise / df_noise)))
    return Effect(kind, axes, {"share": ConfidenceValue(squares / total)}, df, p)
