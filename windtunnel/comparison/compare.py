"""From the results table to the comparison document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from windtunnel.comparison.document import CellMetric, ComparedCell, Comparison, Family, Missing
from windtunnel.comparison.notes import notes
from windtunnel.comparison.table import CellResults, Design, ResultTable
from windtunnel.spec.description import Metric
from windtunnel.statistics import (
    CONFIDENCE,
    Difference,
    estimate,
    paired_difference,
    unpaired_difference,
)


def compare(
    table: ResultTable, metrics: Sequence[Metric], available: Sequence[Metric]
) -> Comparison:
    """Set every cell against its baseline, for each of ``metrics``."""
    design = table.design
    by_index = {cell.index: cell for cell in table.cells}
    cells = tuple(_compared(cell, by_index, metrics, design) for cell in table.cells)
    against_baseline = sum(
        cell.baseline is not None and cell.baseline != cell.index for cell in table.cells
    )
    return Comparison(
        campaign=design.campaign,
        axes=design.axes,
        baseline=design.baseline,
        confidence=CONFIDENCE,
        family=Family(
            against_baseline,
            design.default_metrics,
            against_baseline * len(design.default_metrics),
        ),
        metrics=tuple(metrics),
        available=tuple(available),
        default_metrics=design.default_metrics,
        cells=cells,
        notes=notes(design, cells, metrics),
    )


def _compared(
    cell: CellResults,
    by_index: Mapping[int, CellResults],
    metrics: Sequence[Metric],
    design: Design,
) -> ComparedCell:
    is_baseline = cell.baseline == cell.index
    against = None if cell.baseline is None or is_baseline else by_index[cell.baseline]
    paired = None if against is None else _paired(cell, against)
    finished = cell.finished
    return ComparedCell(
        index=cell.index,
        coordinates=cell.coordinates,
        simulator=cell.simulator,
        is_baseline=is_baseline,
        deterministic=cell.deterministic,
        paired=paired,
        planned=len(cell.runs),
        finished=len(finished),
        missing=_grouped((run.missing, seed) for seed, run in cell.runs.items() if run.missing),
        metrics={
            metric.name: _cell_metric(metric, cell, against, paired, design) for metric in metrics
        },
        digests={seed: run.digest for seed, run in finished.items() if run.digest},
        runs={seed: run.id for seed, run in finished.items()},
    )


def _cell_metric(
    metric: Metric,
    cell: CellResults,
    against: CellResults | None,
    paired: bool | None,
    design: Design,
) -> CellMetric:
    unit = cell.units.get(metric.name, metric.unit)
    values: Mapping[int, float] = {}
    if unit == metric.unit:
        values = cell.values.get(metric.name, values)
    absent: tuple[Missing, ...] = ()
    if values.keys() != cell.finished.keys():
        reason = _why_absent(metric, unit, cell, design)
        absent = _grouped((reason, seed) for seed in cell.finished if seed not in values)
    if not values:
        return CellMetric(metric.unit, {}, None, None, absent)
    sample = _independent(values, cell.deterministic)
    difference = None
    if against is not None and against.units.get(metric.name, metric.unit) == metric.unit:
        difference = _difference(values, against.values.get(metric.name, {}), cell, against, paired)
    return CellMetric(metric.unit, values, estimate(list(sample.values())), difference, absent)


def _why_absent(metric: Metric, unit: str, cell: CellResults, design: Design) -> str:
    """Why a finished run has no value of a metric that can be compared."""
    if not design.measures(cell.simulator, metric.name):
        return f"not measured by {cell.simulator.name}"
    if unit != metric.unit:
        return f"reported in {unit!r}, not in {metric.unit!r}"
    return metric.absent or "not reported"


def _difference(
    mine: Mapping[int, float],
    theirs: Mapping[int, float],
    cell: CellResults,
    against: CellResults,
    paired: bool | None,
) -> Difference | None:
    """To the baseline; None while there is nothing to compare with."""
    if not theirs or paired is None:
        return None
    if not paired:
        x = _independent(mine, cell.deterministic)
        y = _independent(theirs, against.deterministic)
        exact = cell.deterministic, against.deterministic
        return unpaired_difference(list(x.values()), list(y.values()), *exact)
    shared = mine
    if mine.keys() != theirs.keys():
        shared = {seed: mine[seed] for seed in mine if seed in theirs}
    # Where neither side depends on the seed there is one pair, not n equal ones.
    shared = _independent(shared, cell.deterministic and against.deterministic)
    if not shared:
        return None
    return paired_difference(list(shared.values()), [theirs[seed] for seed in shared])


def _paired(cell: CellResults, against: CellResults) -> bool | None:
    """Whether both met the same traffic, seed by seed; None before they share a finished seed."""
    mine, theirs = cell.finished, against.finished
    shared = [seed for seed in mine if seed in theirs]
    if not shared:
        return None
    return all(
        mine[seed].schedule and mine[seed].schedule == theirs[seed].schedule for seed in shared
    )


def _independent(values: Mapping[int, float], deterministic: bool) -> Mapping[int, float]:
    """One observation if the seed changes nothing, all of them otherwise."""
    if not deterministic or not values:
        return values
    first = min(values)
    return {first: values[first]}


def _grouped(reasons: Iterable[tuple[str | None, int]]) -> tuple[Missing, ...]:
    """Seeds by their reason, reasons in the order of their first seed."""
    seeds: dict[str, list[int]] = {}
    for reason, seed in sorted(reasons, key=lambda pair: pair[1]):
        if reason is not None:
            seeds.setdefault(reason, []).append(seed)
    return tuple(Missing(reason, tuple(found)) for reason, found in seeds.items())
