"""Elementary effects from a Morris design."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windtunnel.sensitivity.document import ConfidenceValue, Effect, EffectKind
from windtunnel.sensitivity.resampling import (
    Array,
    interval,
    mean_variance,
    resampled_means,
)


def elementary_effects(names: Sequence[str], points: Array, values: Array) -> list[Effect]:
    """mu*, mu and sigma of each axis with 95 % intervals over trajectories.

    ``points``: trajectories x (D + 1) x D in the unit cube; ``values``: trajectories x (D + 1) x
    seeds. An effect is the change of the mean over seeds per whole range of an axis (Morris,
    Technometrics 33 (1991)); mu* is the mean of its absolute value (Campolongo, Cariboni, Saltelli,
    Environmental Modelling & Software 22 (2007)), sigma its standard deviation (n - 1). With
    several seeds ``noise`` is the mu* that replication noise alone would give: the mean of
    |N(0, s^2)|, with the variance s^2 of the mean effect over seeds.
    """
    by_seed = _effects(points, values)
    effects = by_seed.mean(axis=2)
    count = len(effects)
    terms = np.hstack([np.abs(effects), effects, effects**2])
    estimates = _figures(terms.mean(axis=0)[None, :], len(names), count)
    resampled = _figures(resampled_means(terms), len(names), count)
    bounds = [interval(figure) for figure in resampled]
    figures = [
        {
            figure: ConfidenceValue(float(value[0, i]), float(low[i]), float(high[i]))
            for figure, value, (low, high) in zip(
                ("mu_star", "mu", "sigma"), estimates, bounds, strict=True
            )
        }
        for i in range(len(names))
    ]
    if values.shape[2] > 1:
        noise = np.sqrt(2 / np.pi * mean_variance(by_seed))
        for figure, alone in zip(figures, noise, strict=True):
            figure["noise"] = ConfidenceValue(float(alone))
    return [
        Effect(EffectKind.AXIS, (name,), figure)
        for name, figure in zip(names, figures, strict=True)
    ]


def _effects(points: Array, values: Array) -> Array:
    """The effect of each axis in each trajectory: trajectories x axes x seeds."""
    steps = np.diff(points, axis=1)  # of row k, one axis differs from 0
    moved = np.abs(steps).argmax(axis=2)[:, :, None]
    changes = np.diff(values, axis=1) / np.take_along_axis(steps, moved, axis=2)
    effects = np.empty(changes.shape)
    np.put_along_axis(effects, moved, changes, axis=1)
    return effects


def _figures(means: Array, axes: int, count: int) -> tuple[Array, Array, Array]:
    """mu*, mu and sigma from means of |effect|, effect and effect squared: samples x axes each."""
    absolute, mu, squares = np.split(means, [axes, 2 * axes], axis=1)
    variance = np.maximum(squares - mu**2, 0) * count / max(1, count - 1)
    return absolute, mu, np.sqrt(variance)
