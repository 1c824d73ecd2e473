"""Standardized rank regression coefficients, for a Latin hypercube."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windtunnel.sensitivity.document import ConfidenceValue, Effect, EffectKind
from windtunnel.sensitivity.resampling import Array, interval, resampled_means


def rank_regression(
    names: Sequence[str], points: Array, values: Array
) -> tuple[list[Effect], float]:
    """The coefficient of each axis with its 95 % interval over rows, and R^2.

    ``points``: rows x D, ``values``: rows. Axes and values are replaced by their ranks, ties by
    their mean rank, and standardized (Iman and Conover, Technometrics 21 (1979); Saltelli et al.,
    *Global Sensitivity Analysis: The Primer*, 2008). Resamples keep the ranks.
    """
    from scipy import stats

    ranks = stats.rankdata(np.column_stack([points, values]), axis=0)
    ranks = ranks / len(ranks)
    width = ranks.shape[1]
    products = (ranks[:, :, None] * ranks[:, None, :]).reshape(len(ranks), width * width)
    terms = np.hstack([ranks, products])
    coefficients, fit = _fit(terms.mean(axis=0)[None, :], width)
    low, high = interval(_fit(resampled_means(terms), width)[0])
    effects = [
        Effect(
            EffectKind.AXIS,
            (name,),
            {
                "coefficient": ConfidenceValue(
                    float(coefficients[0, i]), float(low[i]), float(high[i])
                )
            },
        )
        for i, name in enumerate(names)
    ]
    return effects, float(fit[0])


def _fit(means: Array, width: int) -> tuple[Array, Array]:
    """Coefficients (samples x axes) and R^2 (samples) from first and second moments."""
    first, second = means[:, :width], means[:, width:].reshape(-1, width, width)
    covariance = second - first[:, :, None] * first[:, None, :]
    sd = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    correlation = (
        covariance / np.where(sd > 0, sd, 1)[:, :, None] / np.where(sd > 0, sd, 1)[:, None, :]
    )
    with_value = correlation[:, :-1, -1]
    # Of axes that a resample leaves almost alike, the shortest solution.
    inverse = np.linalg.pinv(correlation[:, :-1, :-1], hermitian=True)
    coefficients = np.einsum("rij,rj->ri", inverse, with_value)
    return coefficients, np.einsum("ri,ri->r", coefficients, with_value)
