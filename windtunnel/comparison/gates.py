"""Gates: whether the results of a campaign meet the conditions that were put on them.

A pure function of gates, results and the number of replications at submission. Each cell of a gate
is tested at the gate's own level; the gate passes only if all of its cells do (docs/gates.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from windtunnel.comparison.gate_cells import Gap, GatedCell, OtherCampaign, gap_of, gated_cells
from windtunnel.comparison.gate_tests import (
    Decision,
    GateOutcome,
    decide,
    decide_exactly,
    has_no_spread,
    replications_without_spread,
)
from windtunnel.comparison.looks import Look, current_look, only_look
from windtunnel.comparison.pairs import Pair, comparable_values, independent
from windtunnel.comparison.table import Design, ResultTable
from windtunnel.comparison.worst_seed import WorstSeed, worst_seed
from windtunnel.spec.conditions import Condition, Kind, parse_condition
from windtunnel.spec.description import Metric, find_metric
from windtunnel.spec.gates import Gate, Inconclusive
from windtunnel.statistics import Difference, Estimate, Moments, difference, estimate, moments


class GateStatus(StrEnum):
    """What follows from a gate: its outcome, or what it says to do about an inconclusive one.

    ``pending``: runs have not ended. ``extend``: more replications are needed to decide.
    """

    PASSED = "passed"
    WARNED = "warned"
    EXTEND = "extend"
    PENDING = "pending"
    FAILED = "failed"


_SEVERITY = tuple(GateStatus)
_ON_INCONCLUSIVE = {
    Inconclusive.PASS: GateStatus.PASSED,
    Inconclusive.WARN: GateStatus.WARNED,
    Inconclusive.FAIL: GateStatus.FAILED,
}


@dataclass(frozen=True)
class GateCell:
    """A gate's test on one cell.

    ``reference`` are the labels of the other cell in which they differ. ``estimate`` is the cell's
    own mean, ``difference`` that to the reference. ``exact``: numbers were compared, nothing was
    inferred. ``runs_missing``: undecided or failed only because runs have no result.
    """

    index: int
    coordinates: Mapping[str, str]
    reference: Mapping[str, str]
    outcome: GateOutcome
    reason: str
    exact: bool
    waiting: bool
    runs_missing: bool
    p_pass: float | None
    p_fail: float | None
    estimate: Estimate | None
    difference: Difference | None
    worst: WorstSeed | None


@dataclass(frozen=True)
class GateResult:
    """A gate's outcome over its cells, and what follows from it.

    ``replications`` are those used by this look, ``alpha`` is the level of each test.
    """

    gate: Gate
    metric: Metric
    condition: Condition
    status: GateStatus
    outcome: GateOutcome
    look: Look
    cells: tuple[GateCell, ...]

    @property
    def allowed(self) -> str:
        """What the condition allows, in few words."""
        threshold, kind = self.condition.threshold, self.condition.kind
        if threshold is None:
            return "only better"
        if kind is Kind.NOT_WORSE:
            return f"{'+' if self.metric.direction == 'lower' else '-'}{threshold.text}"
        return f"±{threshold.text}" if kind is Kind.EQUIVALENT else f"{kind} {threshold.text}"


@dataclass(frozen=True)
class GateReport:
    """All gates of a campaign. ``status`` is the worst of them, None without any.

    ``extend_to``: replications that would decide, if that is all that is missing.
    """

    campaign: str
    status: GateStatus | None
    extend_to: int | None
    gates: tuple[GateResult, ...]


def evaluate(
    table: ResultTable,
    gates: Sequence[Gate],
    max_replications: int,
    growing: bool = False,
    others: Mapping[str, OtherCampaign] = MappingProxyType({}),
) -> GateReport:
    """Evaluate gates that were checked (windtunnel.spec.gates.check_gates).

    ``max_replications`` is what the campaign may be extended to. A ``growing`` campaign will have
    more seeds by its own rule: nothing is decided before. ``others`` has every campaign that a gate
    names.
    """
    replications = min((len(cell.runs) for cell in table.cells), default=0)
    initial = table.design.analysis.replications or max(1, replications)
    results = []
    for gate in gates:
        look = only_look(replications)
        other = None if gate.other_campaign is None else others[gate.other_campaign]
        cells = gated_cells(gate, table.cells, table.design, other)
        design = table.design
        if other is not None:
            design = replace(design, measured={**other.measured, **design.measured})
        if gate.inconclusive == Inconclusive.EXTEND:
            look = current_look(initial, replications, max_replications)
            cells = [gated.first(look.replications) for gated in cells]
        result = evaluate_gate(gate, cells, design, look)
        results.append(replace(result, status=GateStatus.PENDING) if growing else result)
    status = max((result.status for result in results), key=_SEVERITY.index, default=None)
    sizes = [result.look.following for result in results if result.status is GateStatus.EXTEND]
    extend_to = sizes[0] if sizes and status is GateStatus.EXTEND else None
    return GateReport(table.design.campaign, status, extend_to, tuple(results))


def evaluate_gate(gate: Gate, cells: Sequence[GatedCell], design: Design, look: Look) -> GateResult:
    """Evaluate one gate on cells whose references are known."""
    metric = find_metric(design.metrics, gate.metric)
    assert metric is not None, gate.metric
    condition = parse_condition(gate.require, metric)
    tested = tuple(_test(gated, metric, condition, design, look.alpha) for gated in cells)
    outcomes = {cell.outcome for cell in tested}
    if GateOutcome.FAILED in outcomes or not tested:
        outcome = GateOutcome.FAILED
    elif GateOutcome.INCONCLUSIVE in outcomes:
        outcome = GateOutcome.INCONCLUSIVE
    else:
        outcome = GateOutcome.PASSED
    status = _status(gate, outcome, tested, look)
    return GateResult(gate, metric, condition, status, outcome, look, tested)


def _status(gate: Gate, outcome: GateOutcome, cells: Sequence[GateCell], look: Look) -> GateStatus:
    if outcome is not GateOutcome.INCONCLUSIVE:
        return GateStatus.PASSED if outcome is GateOutcome.PASSED else GateStatus.FAILED
    if any(cell.waiting for cell in cells):
        return GateStatus.PENDING
    if gate.inconclusive == Inconclusive.EXTEND:
        return GateStatus.FAILED if look.following is None else GateStatus.EXTEND
    return _ON_INCONCLUSIVE[Inconclusive(gate.inconclusive)]


def _test(
    gated: GatedCell, metric: Metric, condition: Condition, design: Design, alpha: float
) -> GateCell:
    gap = gap_of(gated, metric, design)
    pair = gated.pair
    samples = _samples(gated, pair, metric)
    exact = gated.cell.deterministic if pair is None else pair.exact
    decision, reason = _decide(condition, metric, samples, exact, alpha, gap)
    own = independent(comparable_values(gated.cell, metric), gated.cell.deterministic)
    worst = worst_seed(gated.cell, pair, metric, condition)
    if gap is not None and gap.run is not None and gap.seed is not None:
        worst = WorstSeed(gap.seed, gap.run)
    return GateCell(
        index=gated.cell.index,
        coordinates=gated.cell.coordinates,
        reference=gated.labels,
        outcome=decision.outcome,
        reason=reason,
        exact=exact and gap is None,
        waiting=gap is not None and gap.waiting,
        runs_missing=gap is not None and gap.runs,
        p_pass=decision.p_pass,
        p_fail=decision.p_fail,
        estimate=estimate(list(own.values())) if own else None,
        difference=difference(samples) if samples and pair else None,
        worst=worst,
    )


def _samples(gated: GatedCell, pair: Pair | None, metric: Metric) -> Moments | None:
    if pair is not None:
        return pair.samples(metric)
    values = independent(comparable_values(gated.cell, metric), gated.cell.deterministic)
    exact = gated.cell.deterministic, True
    return moments(list(values.values()), [0.0], paired=False, exact=exact) if values else None


def _decide(
    condition: Condition,
    metric: Metric,
    samples: Moments | None,
    exact: bool,
    alpha: float,
    gap: Gap | None,
) -> tuple[Decision, str]:
    """The decision, and why there is none or what limits it."""
    inconclusive = Decision(GateOutcome.INCONCLUSIVE)
    if gap is not None:
        return (inconclusive if gap.waiting else Decision(GateOutcome.FAILED)), gap.reason
    if samples is None:
        return Decision(GateOutcome.FAILED), "no values"
    if exact:
        return decide_exactly(condition, metric.direction, *samples.means), ""
    decision = decide(condition, metric.direction, samples, alpha)
    if decision.outcome is not GateOutcome.INCONCLUSIVE:
        return decision, ""
    if decision.p_pass is None:
        return decision, "a single replication has no interval"
    if condition.threshold and condition.threshold.relative and samples.means[1] == 0:
        return decision, "the reference's mean is 0, of which a percentage is nothing"
    needed = replications_without_spread(alpha)
    if samples.contrast().n < needed and has_no_spread(samples, condition):
        return decision, f"no spread between seeds: at least {needed} are needed"
    return decision, ""
