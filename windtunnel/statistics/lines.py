"""Robust straight lines through measurements whose errors are relative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MIN_SPREAD = 10.0  # largest x over smallest, below which intercept and slope can't be told apart
_USUAL_RATIO = 1.5
_ROUNDS = 20
_HUBER = 1.345  # in standard deviations; 95 % efficiency for normal errors (Huber 1981)
_MAD_TO_SD = 1.4826


@dataclass(frozen=True)
class Line:
    """``intercept + slope * x``, neither of them negative."""

    intercept: float
    slope: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x


def fit_line(x: NDArray[np.float64], y: NDArray[np.float64], expected: Line) -> Line:
    """Fit a line to positive values by least squares of relative errors with Huber's weights.

    If the values of x are too close together for two parameters, ``expected`` is scaled instead, by
    as much as the median ratio exceeds what is usual between different x.
    """
    if x.max() < _MIN_SPREAD * max(x.min(), 1.0):
        ratio = float(np.median(y / (expected.intercept + expected.slope * x)))
        factor = ratio / min(max(ratio, 1 / _USUAL_RATIO), _USUAL_RATIO)
        return Line(expected.intercept * factor, expected.slope * factor)
    weights = 1 / y**2
    line = expected
    for _ in range(_ROUNDS):
        line = _weighted(x, y, weights)
        predicted = np.maximum(line.intercept + line.slope * x, np.finfo(float).tiny)
        residuals = y / predicted - 1
        scale = _MAD_TO_SD * float(np.median(np.abs(residuals)))
        if scale == 0:
            break
        huber = np.minimum(1, _HUBER * scale / np.maximum(np.abs(residuals), scale * 1e-9))
        weights = huber / predicted**2
    return line


def _weighted(x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> Line:
    """Weighted least squares; where a parameter would be negative, it is 0."""
    total = weights.sum()
    mean_x, mean_y = (weights * x).sum() / total, (weights * y).sum() / total
    slope = (weights * (x - mean_x) * (y - mean_y)).sum() / (weights * (x - mean_x) ** 2).sum()
    intercept = mean_y - slope * mean_x
    if slope < 0:
        return Line(float(mean_y), 0.0)
    if intercept < 0:
        return Line(0.0, float((weights * x * y).sum() / (weights * x**2).sum()))
    return Line(float(intercept), float(slope))
