"""Elementary effects from a Morris design."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from windtunnel.sensitivity.document import ConfidenceValue, Effect, EffectKind
from windtunnel.sensitivity.resampling import (
    Array,
    interval,
    mean_variance,
    resampled_means,
)


def elementary_effects(
    names: Sequence[str], design: Array, coordinates: Array, values: Array
) -> list[Effect]:
    """mu*, mu and sigma of each axis with 95 % intervals over trajectories.

    ``design``: trajectories x (D + 1) x D in the unit cube, which tells the axis that moves;
    ``coordinates``: the same of the values in use, which are rounded; ``values``: trajectories x
    (D + 1) x seeds. An effect is the change of the mean over seeds per whole range of an axis
    (Morris, Technometrics 33 (1991)); mu* is the mean of its absolute value (Campolongo, Cariboni,
    Saltelli, Environmental Modelling & Software 22 (2007)), sigma its standard deviation (n - 1).
    With several seeds ``noise`` is the mu* that replication noise alone would give: the mean of
    |N(0, s^2)|, with the variance s^2 of the mean effect over seeds. Steps without a change of the
    value have no effect (see `zero_steps`); an axis with no other steps is not in the list.
    """
    by_seed, present = _effects(design, coordinates, values)
    effects = by_seed.mean(axis=2)
    terms = np.hstack([np.abs(effects), effects, effects**2, present])
    estimates = _figures(terms.mean(axis=0)[None, :], len(effects))
    resampled = _figures(resampled_means(terms), len(effects))
    listed = []
    for index in np.flatnonzero(present.any(axis=0)).tolist():
        figures = {}
        for figure, value, resamples in zip(
            ("mu_star", "mu", "sigma"), estimates, resampled, strict=True
        ):
            low, high = interval(resamples[:, index])
            figures[figure] = ConfidenceValue(float(value[0, index]), float(low), float(high))
        if values.shape[2] > 1:
            differences = by_seed[present[:, index], index][:, None, :]
            noise = np.sqrt(2 / np.pi * mean_variance(differences)[0])
            figures["noise"] = ConfidenceValue(float(noise))
        listed.append(Effect(EffectKind.AXIS, (names[index],), figures))
    return listed


def zero_steps(design: Array, coordinates: Array) -> list[int]:
    """How many steps of each axis leave its value unchanged after rounding."""
    _, present = _effects(design, coordinates, np.zeros((*design.shape[:2], 1)))
    return [int(count) for count in (~present).sum(axis=0)]


def _effects(design: Array, coordinates: Array, values: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The effects, trajectories x axes x seeds, and which there are; others are 0."""
    # Each axis moves in one row of a trajectory.
    moved = np.abs(np.diff(design, axis=1)).argmax(axis=2)[:, :, None]
    steps = np.take_along_axis(np.diff(coordinates, axis=1), moved, axis=2)
    changes = np.diff(values, axis=1) / np.where(steps == 0, np.inf, steps)
    effects = np.empty(changes.shape)
    np.put_along_axis(effects, moved, changes, axis=1)
    present = np.empty(steps.shape, dtype=bool)
    np.put_along_axis(present, moved, steps != 0, axis=1)
    return effects, present[:, :, 0]


def _figures(means: Array, count: int) -> tuple[Array, Array, Array]:
    """mu*, mu and sigma, samples x axes each.

    ``means``: of |effect|, effect, effect squared and whether there is one, over ``count``
    trajectories. NaN for an axis without effects in a sample.
    """
    *sums, shares = np.split(means, 4, axis=1)
    shares = np.where(shares > 0, shares, np.nan)
    absolute, mu, squares = (total / shares for total in sums)
    number = np.round(shares * count)
    variance = np.maximum(squares - mu**2, 0) * number / np.maximum(1, number - 1)
    return absolute, mu, np.sqrt(variance)
