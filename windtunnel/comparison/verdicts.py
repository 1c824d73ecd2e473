"""Verdicts: what a cell's values allow to conclude about its difference to the baseline.

There are two families of the same size, fixed at submission: the tests of difference, and the tests
of equivalence within the metric's relevance threshold. Each is corrected by Holm's method at 5 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from windtunnel.spec.relevance import Threshold
from windtunnel.statistics.contrasts import CACHED, Contrast, Moments
from windtunnel.statistics.significance import (
    ALPHA,
    equivalence_p,
    holm,
    margin_contrasts,
    replications_needed,
)

NO_VERDICT = "no verdict"
INCOMPLETE = "incomplete"
EXACT = "exact"


class Outcome(StrEnum):
    """``higher`` and ``lower`` replace ``better`` and ``worse`` where no direction is better."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"
    LOWER = "lower"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one metric of one cell, or why there is none.

    ``label`` is what tables show: the outcome, or ``incomplete``, ``exact``, ``no verdict``. ``p``
    (of the difference) and ``p_equivalence`` are adjusted for the family. ``needed`` estimates the
    replications that would settle an inconclusive verdict. ``reason`` says why ``outcome`` is None,
    or what limits an inconclusive one. ``incomplete``: a planned run has no value.
    """

    outcome: Outcome | None
    label: str
    p: float | None = None
    p_equivalence: float | None = None
    needed: int | None = None
    reason: str = ""
    incomplete: bool = False


@dataclass(frozen=True)
class Evidence:
    """What a verdict is based on.

    ``samples`` is None if nothing can be compared. ``obstacle`` says why there is no verdict, and
    ``label`` in a word. A verdict on ``incomplete`` values can be asked for.
    """

    direction: str
    threshold: Threshold | None
    samples: Moments | None
    obstacle: str = ""
    label: str = NO_VERDICT

    @property
    def incomplete(self) -> bool:
        return self.label == INCOMPLETE

    @cached_property
    def no_verdict(self) -> Verdict:
        return Verdict(None, self.label, reason=self.obstacle, incomplete=self.incomplete)

    @cached_property
    def tested(self) -> Tested | None:
        """The two tests, if there are samples and nothing stands in the way."""
        return Tested.of(self, self.samples) if self.samples and not self.obstacle else None


CellMetricKey = tuple[int, str]  # cell index, metric name


def decide(
    evidence: Mapping[CellMetricKey, Evidence], family_size: int, with_incomplete: bool = False
) -> dict[CellMetricKey, Verdict]:
    """The verdict on each comparison of a family.

    Comparisons without a verdict count as p = 1. With ``with_incomplete`` incomplete ones get a
    verdict by Bonferroni's correction, which leaves all others as they are.
    """
    complete = {key: item.tested for key, item in evidence.items() if item.tested}
    differences = _Family({key: tested.p for key, tested in complete.items()}, family_size)
    equivalences = _Family(
        {key: tested.p_equivalence for key, tested in complete.items()}, family_size
    )
    verdicts = {}
    for key, item in evidence.items():
        if key in complete:
            p, p_equivalence = differences.adjusted[key], equivalences.adjusted[key]
            remaining = differences.undecided, equivalences.undecided
            verdicts[key] = complete[key].verdict(p, p_equivalence, remaining)
        elif item.incomplete and item.samples and with_incomplete:
            verdicts[key] = _alone(item, item.samples, family_size)
        else:
            verdicts[key] = item.no_verdict
    return verdicts


class _Family:
    """``adjusted`` p values by comparison; ``undecided``: hypotheses that were not rejected."""

    def __init__(self, p_values: Mapping[CellMetricKey, float | None], size: int) -> None:
        values = holm(list(p_values.values()), size)
        self.adjusted = dict(zip(p_values, values, strict=True))
        self.undecided = max(1, size - sum(_rejected(p) for p in values))


@dataclass
class Tested:
    """One comparison with its two tests, not adjusted."""

    evidence: Evidence
    samples: Moments
    difference: Contrast
    p: float | None
    p_equivalence: float | None
    _last: tuple[tuple[object, ...], Verdict] | None = None

    @classmethod
    def of(cls, evidence: Evidence, samples: Moments) -> Tested:
        return cls(evidence, samples, *_tests(samples, evidence.threshold))

    def verdict(
        self,
        p: float | None,
        p_equivalence: float | None,
        undecided: tuple[int, int],
        incomplete: bool = False,
    ) -> Verdict:
        """The verdict by adjusted p values. ``undecided`` are the open hypotheses by family.

        The same object as the last time if these are the same.
        """
        given = p, p_equivalence, undecided, incomplete
        last = self._last
        if last is None or last[0] != given:
            last = given, self._verdict(p, p_equivalence, undecided, incomplete)
            self._last = last
        return last[1]

    def _verdict(
        self,
        p: float | None,
        p_equivalence: float | None,
        undecided: tuple[int, int],
        incomplete: bool,
    ) -> Verdict:
        needed, reason = None, ""
        if _rejected(p_equivalence):
            outcome = Outcome.EQUIVALENT
        elif _rejected(p):
            outcome = direction_of(self.evidence.direction, self.difference.value)
        else:
            outcome = Outcome.INCONCLUSIVE
            needed = self._needed(*undecided)
            if self.difference.value == 0 and self.difference.standard_error == 0:
                reason = f"identical in all {self.difference.n} replications"
        return Verdict(outcome, outcome, p, p_equivalence, needed, reason, incomplete)

    def _needed(self, differences: int, equivalences: int) -> int | None:
        distances: list[float] = []
        threshold = self.evidence.threshold
        if threshold is not None:
            ends = margin_contrasts(self.samples, threshold.value, threshold.relative)
            if ends and ends[0].value > 0 > ends[1].value:
                distances = [abs(end.value) for end in ends]
        return replications_needed(self.difference, differences, distances, equivalences)


@lru_cache(maxsize=CACHED)
def _tests(
    samples: Moments, threshold: Threshold | None
) -> tuple[Contrast, float | None, float | None]:
    """The difference, its p value, and that of equivalence."""
    difference = samples.contrast()
    equivalence = None
    if threshold is not None:
        equivalence = equivalence_p(samples, threshold.value, threshold.relative)
    return difference, difference.p_two_sided, equivalence


def _alone(evidence: Evidence, samples: Moments, family_size: int) -> Verdict:
    """The verdict on incomplete values, by Bonferroni's correction."""
    tested = Tested.of(evidence, samples)
    p, p_equivalence = (
        None if value is None else min(1.0, family_size * value)
        for value in (tested.p, tested.p_equivalence)
    )
    if p is None:
        return evidence.no_verdict
    return tested.verdict(p, p_equivalence, (family_size, family_size), incomplete=True)


def _rejected(p: float | None) -> bool:
    return p is not None and p <= ALPHA


def direction_of(direction: str, difference: float) -> Outcome:
    if direction == "none":
        return Outcome.HIGHER if difference > 0 else Outcome.LOWER
    return Outcome.BETTER if (difference > 0) == (direction == "higher") else Outcome.WORSE
