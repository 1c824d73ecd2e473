"""The cells that a gate is on, each with the one that it is compared with, and what they lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.comparison.notes import seeds_text
from windtunnel.comparison.pairs import Pair, comparable_values
from windtunnel.comparison.table import CellResults, Design
from windtunnel.run import ENDED
from windtunnel.spec.description import Metric
from windtunnel.spec.gates import Gate


@dataclass(frozen=True)
class GatedCell:
    """A cell and its reference, which is None for a condition on the cell alone.

    ``labels`` are what tells the reference from the cell. ``obstacle``: why there is no reference
    although the gate asks for one, or why the two can't be compared.
    """

    cell: CellResults
    reference: CellResults | None
    labels: Mapping[str, str]
    obstacle: str = ""

    @property
    def pair(self) -> Pair | None:
        return None if self.reference is None else Pair.of(self.cell, self.reference)

    def first(self, replications: int) -> GatedCell:
        """The same with only the first ``replications`` of each cell."""
        reference = self.reference and _first(self.reference, replications)
        return replace(self, cell=_first(self.cell, replications), reference=reference)


@dataclass(frozen=True)
class OtherCampaign:
    """The campaign whose cells are the references of a gate, by the index of those they match.

    ``measured`` is that of its design: the metrics of its simulators. ``changed``: what differs
    between the scenarios of matching cells beside the algorithm. ``problem``: why there is no such
    campaign, or why it matches no cell.
    """

    title: str
    cells: Mapping[int, CellResults] = field(default_factory=dict)
    measured: Mapping[str, frozenset[str]] = field(default_factory=dict)
    changed: Mapping[int, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Gap:
    """Why values are missing. ``waiting``: their runs have not ended yet.

    ``runs``: because of runs, not of what these report; ``seed`` and ``run`` are of the first one.
    """

    reason: str
    waiting: bool = False
    runs: bool = False
    seed: int | None = None
    run: str | None = None


def gated_cells(
    gate: Gate,
    cells: Sequence[CellResults],
    design: Design,
    other: OtherCampaign | None = None,
) -> list[GatedCell]:
    """The cells of a gate that was checked. A cell is never its own reference.

    Without ``cells``, a condition on cells alone is on all but the baseline. ``other`` is the
    campaign that the gate names.
    """
    by_labels = {tuple(cell.coordinates.values()): cell for cell in cells}
    labels = gate.reference_labels(design.baseline)
    selected = [
        cell
        for cell in cells
        if all(cell.coordinates[axis] in chosen for axis, chosen in gate.cells.items())
    ]
    if other is not None:
        return [_across(cell, other, gate.allow_differences) for cell in selected]
    if gate.against is None:
        others = [cell for cell in selected if gate.cells or cell.baseline != cell.index]
        return [GatedCell(cell, None, {}) for cell in others or selected]
    pairs = [
        GatedCell(cell, by_labels[tuple({**cell.coordinates, **labels}.values())], labels)
        for cell in selected
    ]
    return [pair for pair in pairs if pair.reference is not pair.cell]


def _across(cell: CellResults, other: OtherCampaign, allow_differences: bool) -> GatedCell:
    match = other.cells.get(cell.index)
    obstacle = ""
    if match is None:
        obstacle = other.problem or f"{other.title} has no such cell"
    elif cell.index in other.changed and not allow_differences:
        obstacle = f"the scenarios differ: {other.changed[cell.index]}"
    return GatedCell(cell, match, {"campaign": other.title}, obstacle)


def gap_of(gated: GatedCell, metric: Metric, design: Design) -> Gap | None:
    """What is missing for a test on all planned replications; None if nothing is.

    Runs that failed come before those that have not ended: they will not bring the value.
    """
    pair = gated.pair
    if gated.obstacle:
        return Gap(gated.obstacle)
    cells = [gated.cell] if gated.reference is None else [gated.cell, gated.reference]
    for cell in cells:
        reason = _not_comparable(cell, metric, design)
        if reason:
            return Gap(reason)
    shared = set.intersection(*(set(cell.runs) for cell in cells))
    if not shared and (pair is None or pair.same_traffic is not False):
        return Gap("no replication in common", runs=True)
    paired = pair is not None and pair.same_traffic is not False
    gaps = [_cell_gap(cell, shared if paired else set(cell.runs), metric, gated) for cell in cells]
    found = [gap for gap in gaps if gap is not None]
    return min(found, key=lambda gap: gap.waiting, default=None)


def _not_comparable(cell: CellResults, metric: Metric, design: Design) -> str:
    if not design.measures(cell.simulator, metric.name):
        return f"not measured by {cell.simulator.name}"
    unit = cell.units.get(metric.name, metric.unit)
    return "" if unit == metric.unit else f"reported in {unit!r}, not in {metric.unit!r}"


def _cell_gap(cell: CellResults, seeds: set[int], metric: Metric, gated: GatedCell) -> Gap | None:
    values = comparable_values(cell, metric)
    runs = {seed: cell.runs[seed] for seed in sorted(seeds)}
    missing = {seed: run for seed, run in runs.items() if run.missing or seed not in values}
    if not missing:
        return None
    waiting = all(run.state not in ENDED for run in missing.values())
    reasons: dict[str, list[int]] = {}
    for seed, run in missing.items():
        reasons.setdefault(run.missing or metric.absent or "not reported", []).append(seed)
    listed = "; ".join(f"{seeds_text(group)} {reason}" for reason, group in reasons.items())
    owner = "the reference: " if cell is gated.reference else ""
    count = f"{len(seeds) - len(missing)} of {len(seeds)} runs have a value"
    culprits = [seed for seed, run in missing.items() if run.state in ENDED] or list(missing)
    first = culprits[0]
    by_runs = all(run.missing for run in missing.values())
    reason = f"incomplete: {owner}{count} ({listed})"
    return Gap(reason, waiting, by_runs, first, cell.runs[first].id)


def _first(cell: CellResults, replications: int) -> CellResults:
    if len(cell.runs) <= replications:
        return cell
    runs = {seed: run for seed, run in cell.runs.items() if seed <= replications}
    values = {
        name: {seed: value for seed, value in by_seed.items() if seed <= replications}
        for name, by_seed in cell.values.items()
    }
    return replace(cell, runs=runs, values=values)
