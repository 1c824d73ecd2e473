"""Where the mean of a series of measurements changed, each measured under the same seeds.

Binary segmentation (Scott and Knott, *Biometrics* 30, 1974; Vostrikova, *Soviet Mathematics
Doklady* 24, 1981): the series is split where the CUSUM statistic is largest if the difference of
both sides is significant, then each side likewise.

The test is a paired t test over seeds: for each seed the mean after minus the mean before. Seeds
are independent, so it holds whatever the dependence between measurements under one seed. There can
be much: the traffic is the same, and a change of the code that leaves the behavior as it is repeats
every value exactly. Permuting the measurements, as E-divisive does (Matteson and James, *Journal of
the American Statistical Association* 109, 2014; Daly et al., *ICPE* 2020), would take such
repetitions for independent evidence.

Only positions where some value differs from the measurement before can be changes. Their p values
are corrected for the number of all such positions (Bonferroni), so that the one with the largest
statistic may be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from windtunnel.statistics.contrasts import moments
from windtunnel.statistics.intervals import Difference, difference
from windtunnel.statistics.significance import ALPHA

Series = Sequence[Sequence[float]]  # measurements in order, each with a value for every seed
_Values = NDArray[np.float64]


@dataclass(frozen=True)
class ChangePoint:
    """A change before the measurement ``index``.

    ``difference`` is that of the stretch until the next change to the one since the previous.
    ``p`` is adjusted; None if the values are exact.
    """

    index: int
    difference: Difference
    p: float | None


def candidates(series: Series) -> list[int]:
    """The positions where a change is possible: some value differs from the one before."""
    return [
        index
        for index, (before, after) in enumerate(pairwise(series), 1)
        if list(before) != list(after)
    ]


def change_points(series: Series, tests: int, exact: bool = False) -> list[ChangePoint]:
    """The significant changes at 5 %, in order.

    ``tests`` is the number of candidates in all series that are looked at together. ``exact``
    values do not depend on the seed: every difference is a change. A single seed shows none.
    """
    if not series:
        return []
    if exact:
        found: dict[int, float | None] = dict.fromkeys(candidates(series))
    else:
        found = dict(_split(np.asarray(series, dtype=float), 0, len(series), tests))
    bounds = [0, *sorted(found), len(series)]
    values = [list(row)[:1] if exact else list(row) for row in series]
    return [
        ChangePoint(index, _difference(values[start:index], values[index:end]), found[index])
        for start, index, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
    ]


def _split(values: _Values, start: int, end: int, tests: int) -> Iterator[tuple[int, float | None]]:
    """(index, adjusted p) of the changes between ``start`` and ``end``."""
    index = _largest_cusum(values[start:end])
    if index is None:
        return
    index += start
    p = _p(values[start:index], values[index:end])
    if p is None or p * tests > ALPHA:
        return
    yield index, p * tests
    yield from _split(values, start, index, tests)
    yield from _split(values, index, end, tests)


def _p(before: _Values, after: _Values) -> float | None:
    """p of no difference, by the paired t test over seeds; None for a single seed.

    At least that of a t test on the noise between successive measurements (von Neumann, *Annals of
    Mathematical Statistics* 12, 1941): rare events, such as drops, are often absent under all seeds
    by chance, and the seeds alone would show no spread.
    """
    x, y = (part.mean(axis=0).tolist() for part in (after, before))
    contrast = moments(x, y, paired=True).contrast()
    p = contrast.p_two_sided
    steps = np.concatenate([np.diff(part, axis=0).ravel() for part in (before, after)])
    if p is None or not steps.any():
        return p
    variance = float(np.mean(steps**2)) / 2
    noise = math.sqrt(variance * (1 / len(before) + 1 / len(after)) / contrast.n)
    by_noise = replace(contrast, standard_error=noise, degrees_of_freedom=2 / 3 * steps.size)
    return max(p, by_noise.p_two_sided or 0.0)


def _largest_cusum(values: _Values) -> int | None:
    """The candidate with the largest |mean after - mean before| sqrt(k (n - k) / n)."""
    n = len(values)
    if n < 2:
        return None
    possible = (values[1:] != values[:-1]).any(axis=1)
    if not possible.any():
        return None
    means = values.mean(axis=1)
    k = np.arange(1, n)
    sums = np.cumsum(means)[:-1]
    statistic = np.abs(means.sum() * k / n - sums) * np.sqrt(n / (k * (n - k)))
    return int(np.argmax(np.where(possible, statistic, -1.0))) + 1


def _difference(before: Series, after: Series) -> Difference:
    """The means after a change minus those before, seed by seed."""
    x, y = (np.asarray(part, dtype=float).mean(axis=0).tolist() for part in (after, before))
    return difference(moments(x, y, paired=True))
