"""Points of the unit cube at which a design samples its axes.

The same numbers give the same points everywhere: every generator has a fixed seed. Of Saltelli's
and Morris' designs a larger one begins with the points of a smaller one, so that doubling ``n``
reuses its runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Rows = list[tuple[float, ...]]

_SEED = 20100317  # arbitrary; another value would be another sample
_DIGITS = 9  # of coordinates; far more than a sample of this size resolves


def saltelli(n: int, axes: int) -> Rows:
    """``n`` blocks of ``axes + 2`` rows: A, then A with each column in turn from B, then B.

    The radial design of Saltelli et al., Computer Physics Communications 181 (2010). A and B are
    the halves of one Sobol' sequence in ``2 * axes`` dimensions. It is scrambled and keeps its
    first point: without it the points are not a digital net, which can raise the error by a factor
    proportional to the root of n (Owen, "On dropping the first Sobol' point", MCQMC 2020). ``n``
    must be a power of two.
    """
    from scipy.stats import qmc

    sobol = qmc.Sobol(2 * axes, scramble=True, rng=_generator())
    rows: Rows = []
    for point in sobol.random(n):
        first, second = _rounded(point[:axes]), _rounded(point[axes:])
        rows.append(first)
        rows += [(*first[:i], second[i], *first[i + 1 :]) for i in range(axes)]
        rows.append(second)
    return rows


def latin_hypercube(n: int, axes: int) -> Rows:
    """``n`` rows: on each axis one in each of ``n`` equal intervals.

    McKay, Beckman, Conover, Technometrics 21 (1979).
    """
    from scipy.stats import qmc

    sample = qmc.LatinHypercube(axes, rng=_generator()).random(n)
    return [_rounded(point) for point in sample]


def morris(n: int, axes: int, levels: int) -> Rows:
    """``n`` trajectories of ``axes + 1`` rows; from row to row one axis moves by `morris_step`.

    Each axis starts at a random level; axes move in random order, up or down as their start demands
    (Morris, Technometrics 33 (1991), section 3).
    """
    rng = _generator()
    step = levels // 2
    rows: Rows = []
    for _ in range(n):
        low = rng.integers(0, step, axes)
        falling = rng.integers(0, 2, axes)
        point = [int(level) + step * int(down) for level, down in zip(low, falling, strict=True)]
        order = rng.permutation(axes)
        rows.append(_on_levels(point, levels))
        for axis in order:
            point[axis] += -step if falling[axis] else step
            rows.append(_on_levels(point, levels))
    return rows


def morris_step(levels: int) -> float:
    """How far an axis moves in the unit cube: ``p / (2 (p - 1))`` for ``p`` levels."""
    return levels / (2 * (levels - 1))


def _generator() -> np.random.Generator:
    import numpy as np

    return np.random.Generator(np.random.PCG64(_SEED))


def _rounded(point: np.ndarray) -> tuple[float, ...]:
    return tuple(round(float(coordinate), _DIGITS) for coordinate in point)


def _on_levels(point: list[int], levels: int) -> tuple[float, ...]:
    return tuple(round(level / (levels - 1), _DIGITS) for level in point)
