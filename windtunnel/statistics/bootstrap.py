"""Bootstrap intervals of paired differences, for values far from normal.

Bias-corrected and accelerated (BCa; Efron, *Journal of the American Statistical Association* 82,
1987). Under 20 pairs they are too narrow, so they have to be asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windtunnel.statistics.intervals import CONFIDENCE, Difference, Interval

MIN_PAIRS = 20
_RESAMPLES = 4999
_SEED = 1987  # the same values always give the same interval

Statistic = Callable[..., NDArray[np.float64]]


def with_bca(difference: Difference, x: Sequence[float], y: Sequence[float]) -> Difference:
    """``difference`` of the pairs x and y with BCa intervals; half-widths are half their widths.

    Unchanged for fewer than MIN_PAIRS pairs, or if all differences are equal.
    """
    if len(x) < MIN_PAIRS or not difference.half_width:
        return difference
    low, high = _interval(x, y, _mean_difference)
    changes: dict[str, Any] = {"ci95": (low, high), "half_width": (high - low) / 2}
    if difference.relative_half_width:
        low, high = _interval(x, y, _relative_difference)
        changes |= {"relative_ci95": (low, high), "relative_half_width": (high - low) / 2}
    return replace(difference, **changes)


def _interval(x: Sequence[float], y: Sequence[float], statistic: Statistic) -> Interval:
    from scipy import stats  # takes half a second, and few campaigns ask for it

    result = stats.bootstrap(
        (np.asarray(x), np.asarray(y)),
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=np.random.default_rng(_SEED),
    )
    low, high = result.confidence_interval
    return float(low), float(high)


def _mean_difference(
    x: NDArray[np.float64], y: NDArray[np.float64], axis: int = -1
) -> NDArray[np.float64]:
    difference: NDArray[np.float64] = np.mean(x - y, axis=axis)
    return difference


def _relative_difference(
    x: NDArray[np.float64], y: NDArray[np.float64], axis: int = -1
) -> NDArray[np.float64]:
    mean = np.mean(y, axis=axis)
    relative: NDArray[np.float64] = (np.mean(x, axis=axis) - mean) / np.abs(mean)
    return relative
