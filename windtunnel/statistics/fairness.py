"""Jain's fairness index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def jain_over_time(rates: Floats, active: NDArray[np.bool_]) -> Floats:
    """The index in every interval: (sum x)^2 / (n sum x^2) over the n flows that are active in it.

    ``rates`` and ``active``: shape (flows, intervals). Returns shape (intervals,): 1/n to 1; 1 if
    all active flows have zero rate; NaN where fewer than two flows are active (Jain, Chiu and Hawe
    1984).
    """
    counted = np.where(active, rates, 0.0)
    flows = active.sum(axis=0)
    total, squares = counted.sum(axis=0), (counted**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = np.where(squares > 0, total**2 / (flows * squares), 1.0)
    return np.where(flows >= 2, index, np.nan)


def in_windows(rates: Floats, samples: int) -> Floats:
    """Mean rates over windows of ``samples`` intervals; a shorter last window is left out.

    ``rates``: shape (flows, intervals). Returns shape (flows, intervals // samples).
    """
    flows, intervals = rates.shape
    whole = intervals // samples
    means: Floats = rates[:, : whole * samples].reshape(flows, whole, samples).mean(axis=2)
    return means
