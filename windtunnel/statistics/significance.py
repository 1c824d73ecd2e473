"""Tests of equivalence, correction for multiplicity, and how many replications are needed.

A relative margin is tested as the contrast with r = 1 +- margin, which needs no division by an
estimated mean (Fieller 1954; for equivalence Sasabuchi's test, see Hauschke, Kieser, Hothorn,
*Biometrical Journal* 41, 1999).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy import special

from windtunnel.statistics.contrasts import Contrast, Moments

ALPHA = 0.05
POWER = 0.8
MAX_NEEDED = 10_000  # replications
_FEWEST = 2


def equivalence_p(samples: Moments, margin: float, relative: bool) -> float | None:
    """p of the two one-sided tests (TOST, Schuirmann 1987) that x is within ``margin`` of y.

    ``margin`` > 0 is a fraction of |mean y| if ``relative``, otherwise in the values' unit. None if
    there is no inference, or no relative margin because mean y is zero.
    """
    ends = margin_contrasts(samples, margin, relative)
    if not ends:
        return None
    p_lower, p_upper = ends[0].p_positive, ends[1].p_negative
    return None if p_lower is None or p_upper is None else max(p_lower, p_upper)


def margin_contrasts(samples: Moments, margin: float, relative: bool) -> tuple[Contrast, ...]:
    """x minus the lower and the upper end of the margin around y; empty if there is no margin."""
    if not relative:
        return samples.contrast(shift=-margin), samples.contrast(shift=margin)
    if samples.means[1] == 0:
        return ()
    signed = math.copysign(margin, samples.means[1])
    return samples.contrast(ratio=1 - signed), samples.contrast(ratio=1 + signed)


def holm(p_values: Sequence[float | None], size: int) -> list[float | None]:
    """Holm's adjusted p values (1979) in a family of ``size`` >= len(p_values) hypotheses.

    The others of the family, and None, count as p = 1: the family was fixed before.
    """
    order = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for position, (p, index) in enumerate(order):
        highest = max(highest, min(1.0, (size - position) * p))
        adjusted[index] = highest
    return adjusted


def detectable_effect(n: int, comparisons: int) -> float | None:
    """The difference that n replications detect with 80 % power in a family of ``comparisons``.

    In standard deviations of one replication's difference; None for n < 2. It is that of the
    smallest p value, which Holm multiplies by the whole family's size.
    """
    if n < 2:
        return None
    return (_t_quantile(1 - ALPHA / (2 * comparisons), n - 1) + _POWER_QUANTILE) / math.sqrt(n)


def replications_needed(
    difference: Contrast, comparisons: int, ends: Sequence[float], equivalences: int
) -> int | None:
    """Replications that would probably (80 %) settle what n could not; None if over MAX_NEEDED.

    Either the difference becomes significant among ``comparisons`` hypotheses, or equivalence does
    among ``equivalences``; ``ends`` are the distances to both ends of the margin, or empty.
    """
    spread = difference.standard_deviation
    if spread == 0:
        return None
    difference_target = (abs(difference.value) / spread,), 1 - ALPHA / (2 * comparisons)
    targets: list[tuple[tuple[float, ...], float]] = [difference_target]
    if ends and min(ends) > 0:
        targets.append((tuple(end / spread for end in ends), 1 - ALPHA / equivalences))
    needed = [_needed(effects, probability, difference.n) for effects, probability in targets]
    return min((n for n in needed if n is not None), default=None)


def _needed(effects: tuple[float, ...], probability: float, n: int) -> int | None:
    """Replications for which all tests of these standardized effects probably reject."""
    smallest = min(effects)
    if smallest <= 0:
        return None
    least = max(n + 1, _FEWEST)
    low = max(least, _FEWEST + bisect_left(_detectable(probability, POWER), -smallest))
    if len(effects) == 1 or low > MAX_NEEDED:
        return low if low <= MAX_NEEDED else None
    # If every test alone misses with its share of 1 - POWER, all together reject with POWER.
    each = 1 - (1 - POWER) / len(effects)
    high = max(low, _FEWEST + bisect_left(_detectable(probability, each), -smallest))
    critical = _critical(probability)

    def settled(count: int) -> bool:
        root = math.sqrt(count)
        quantile = critical[count - _FEWEST]
        misses = sum(_normal_cdf(quantile - effect * root) for effect in effects)
        return 1 - misses >= POWER

    if high > MAX_NEEDED:
        if not settled(MAX_NEEDED):
            return None
        high = MAX_NEEDED
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle + 1, high)
    return low


@lru_cache(maxsize=8)
def _critical(probability: float) -> Sequence[float]:
    """Student's quantiles for _FEWEST to MAX_NEEDED replications."""
    freedom = np.arange(_FEWEST, MAX_NEEDED + 1) - 1
    quantiles: list[float] = special.stdtrit(freedom, probability).tolist()
    return quantiles


@lru_cache(maxsize=8)
def _detectable(probability: float, power: float) -> Sequence[float]:
    """Minus the effects that _FEWEST to MAX_NEEDED replications detect, and hence ascending."""
    roots = np.sqrt(np.arange(_FEWEST, MAX_NEEDED + 1))
    effects = (np.array(_critical(probability)) + special.ndtri(power)) / roots
    ascending: list[float] = (-effects).tolist()
    return ascending


def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


@lru_cache(maxsize=4096)
def _t_quantile(probability: float, degrees_of_freedom: float) -> float:
    return float(special.stdtrit(degrees_of_freedom, probability))


_POWER_QUANTILE = float(special.ndtri(POWER))
