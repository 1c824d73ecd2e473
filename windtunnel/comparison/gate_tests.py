"""Tests of a gate's condition on the moments of two samples.

Relative margins are tested as contrasts with the ratio 1 +- d: nothing is divided by an estimated
mean. p values are one-sided; p <= alpha is the same as a one-sided bound at 1 - alpha within the
condition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.spec.conditions import Condition, Kind
from windtunnel.spec.relevance import Threshold
from windtunnel.statistics.contrasts import Contrast, Moments

_ROUNDING = 1e-12  # of a difference, relative to the values


class GateOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Decision:
    """``p_pass`` tests the hypothesis that the condition is violated, ``p_fail`` that it holds.

    Both are None if there is no inference.
    """

    outcome: GateOutcome
    p_pass: float | None = None
    p_fail: float | None = None


def decide(condition: Condition, direction: str, samples: Moments, alpha: float) -> Decision:
    """Whether the condition is shown to hold, or to be violated, at level ``alpha`` each.

    ``direction`` is the metric's. For an absolute condition the second sample is an exact 0.
    """
    p_pass, p_fail = map(_number, _p_values(condition, direction, samples))
    if p_pass is not None and p_pass <= alpha:
        return Decision(GateOutcome.PASSED, p_pass, p_fail)
    if p_fail is not None and p_fail <= alpha:
        return Decision(GateOutcome.FAILED, p_pass, p_fail)
    return Decision(GateOutcome.INCONCLUSIVE, p_pass, p_fail)


def decide_exactly(condition: Condition, direction: str, x: float, y: float) -> Decision:
    """Compare two numbers without sampling error; ``y`` is 0 for an absolute condition."""
    excess = _excess(condition, direction, x, y)
    slack = _ROUNDING * (abs(x) + abs(y))
    holds = excess < 0 if condition.kind is Kind.BETTER else excess <= slack
    return Decision(GateOutcome.PASSED if holds else GateOutcome.FAILED)


def has_no_spread(samples: Moments, condition: Condition) -> bool:
    """Whether the tested contrast is the same under every seed: its p value is the sign test's."""
    relative = condition.threshold is not None and condition.threshold.relative
    if not samples.paired:
        return not any(samples.variances)
    return samples.difference_variance == 0 and not (relative and samples.variances[1])


def replications_without_spread(alpha: float) -> int:
    """Replications for which the sign test's p value, 2^-n, is at most ``alpha``."""
    return math.ceil(math.log2(1 / alpha))


def _p_values(
    condition: Condition, direction: str, samples: Moments
) -> tuple[float | None, float | None]:
    threshold = condition.threshold
    if threshold is None:  # better
        gain = samples.contrast()
        gain = gain if direction == "higher" else gain.opposite
        return gain.p_positive, gain.p_negative
    match condition.kind:
        case Kind.EQUIVALENT:
            return _equivalence(_end(samples, threshold, -1), _end(samples, threshold, 1))
        case Kind.NOT_WORSE:
            excess = _end(samples, threshold, 1 if direction == "lower" else -1)
            excess = excess if direction == "lower" else excess.opposite
        case Kind.AT_MOST:
            excess = samples.contrast(shift=threshold.value)
        case _:
            excess = samples.contrast(shift=threshold.value).opposite
    return excess.p_negative, excess.p_positive


def _equivalence(lower: Contrast, upper: Contrast) -> tuple[float | None, float | None]:
    """Two one-sided tests that x is within both ends, and that it is outside of either.

    The second is doubled: there are two ways to be outside.
    """
    p_inside = lower.p_positive, upper.p_negative
    p_outside = lower.p_negative, upper.p_positive
    if None in (*p_inside, *p_outside):
        return None, None
    return (
        max(p for p in p_inside if p is not None),
        min(1.0, 2 * min(p for p in p_outside if p is not None)),
    )


def _end(samples: Moments, threshold: Threshold, side: int) -> Contrast:
    """x minus the upper (1) or the lower (-1) end of the margin around y."""
    if not threshold.relative:
        return samples.contrast(shift=side * threshold.value)
    return samples.contrast(ratio=1 + side * math.copysign(threshold.value, samples.means[1]))


def _excess(condition: Condition, direction: str, x: float, y: float) -> float:
    """By how much x exceeds what the condition allows; negative if it is within."""
    threshold = condition.threshold
    worsening = x - y if direction == "lower" else y - x
    if threshold is None:
        return worsening
    margin = threshold.value * abs(y) if threshold.relative else threshold.value
    match condition.kind:
        case Kind.EQUIVALENT:
            return abs(x - y) - margin
        case Kind.NOT_WORSE:
            return worsening - margin
        case Kind.AT_MOST:
            return x - margin
    return margin - x


def _number(p: float | None) -> float | None:
    return None if p is None or math.isnan(p) else p
