"""First-order and total Sobol' indices from a Saltelli design."""

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


def sobol_indices(names: Sequence[str], values: Array) -> list[Effect]:
    """Indices of each axis, of the mean over seeds, with 95 % intervals over blocks.

    ``values``: n x (D + 2) x seeds, in the order of windtunnel.spec.sampling.saltelli. First-order
    indices are estimated as in Saltelli et al., Computer Physics Communications 181 (2010), table
    2, (b), total ones as in (f), which is Jansen's, Computer Physics Communications 117 (1999).
    With several seeds ``noise`` is what replication noise adds to a total index: half the variance
    of the mean of A - A_B over seeds. Seeds are common to all points (common random numbers), so
    that an axis that does not change the course of a run has none.
    """
    blocks = values.mean(axis=2)
    centered = blocks - blocks[:, [0, -1]].mean()
    terms = _terms(centered)
    first, total = _indices(terms.mean(axis=0)[None, :], len(names))
    resampled = _indices(resampled_means(terms), len(names))
    (first_low, first_high), (total_low, total_high) = map(interval, resampled)
    figures = [
        {
            "first": _value(first[0, i], first_low[i], first_high[i]),
            "total": _value(total[0, i], total_low[i], total_high[i]),
        }
        for i in range(len(names))
    ]
    if values.shape[2] > 1:
        variance = centered[:, [0, -1]].var()
        noise = mean_variance(values[:, 1:-1] - values[:, :1]) / 2 / variance
        for figure, lift in zip(figures, noise, strict=True):
            figure["noise"] = ConfidenceValue(float(lift))
    return [
        Effect(EffectKind.AXIS, (name,), figure)
        for name, figure in zip(names, figures, strict=True)
    ]


def _terms(blocks: Array) -> Array:
    """What the indices are functions of the means of, by block."""
    a, mixed, b = blocks[:, :1], blocks[:, 1:-1], blocks[:, -1:]
    return np.hstack([a, b, a**2, b**2, mixed - a, b * (mixed - a), (a - mixed) ** 2 / 2])


def _indices(means: Array, axes: int) -> tuple[Array, Array]:
    """First-order and total indices from means of the terms: samples x axes each."""
    a, b, a2, b2 = (means[:, [i]] for i in range(4))
    moved, products, distances = np.split(means[:, 4:], [axes, 2 * axes], axis=1)
    mean = (a + b) / 2
    variance = (a2 + b2) / 2 - mean**2
    variance = np.where(variance > 0, variance, np.nan)
    # B is centered by the mean of the same resample.
    return (products - mean * moved) / variance, distances / variance


def _value(value: float, low: float, high: float) -> ConfidenceValue:
    return ConfidenceValue(float(value), float(low), float(high))
