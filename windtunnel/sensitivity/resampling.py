"""Bootstrap intervals of figures that are functions of means over independent blocks.

Percentile intervals (Efron and Tibshirani, *An Introduction to the Bootstrap*, chapter 13).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 1000
_CACHED_BLOCKS = 512  # up to which weights are kept for the next setting: 4 MB
_CHUNK = 50  # resamples that are drawn at once for more blocks
_SEED = 1979  # the same values always give the same interval


def resampled_means(columns: Array) -> Array:
    """Means of each column (blocks x columns) over resampled blocks: resamples x columns."""
    blocks = len(columns)
    if blocks <= _CACHED_BLOCKS:
        return np.asarray(_weights(blocks) @ columns)
    rng = _generator()
    sizes = [min(_CHUNK, RESAMPLES - start) for start in range(0, RESAMPLES, _CHUNK)]
    return np.concatenate([_drawn(rng, blocks, size) @ columns for size in sizes])


def interval(resampled: Array) -> tuple[Array, Array]:
    """The 95 % percentile intervals of figures: resamples x figures.

    Resamples without variance, which have no index, are NaN and left out.
    """
    low, high = np.nanpercentile(resampled, [2.5, 97.5], axis=0)
    return low, high


def mean_variance(differences: Array) -> Array:
    """Variance of the mean over seeds, averaged over blocks: the replication noise.

    ``differences``: blocks x figures x seeds, of which there are two or more.
    """
    variances = differences.var(axis=2, ddof=1) / differences.shape[2]
    return np.asarray(variances.mean(axis=0))


@lru_cache(maxsize=2)
def _weights(blocks: int) -> Array:
    return _drawn(_generator(), blocks, RESAMPLES)


def _generator() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(_SEED))


def _drawn(rng: np.random.Generator, blocks: int, size: int) -> Array:
    """How often each resample contains each block, as a share: ``size`` x blocks."""
    shares = np.full(blocks, 1 / blocks)
    return np.asarray(rng.multinomial(blocks, shares, size=size) / blocks)
