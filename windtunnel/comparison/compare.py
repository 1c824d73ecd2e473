"""Computes the comparison document from the results table."""

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
    """Compare every cell with its baseline in each of ``metrics``."""
    design = table.design
    by_index = {cell.index: cell for cell in table.cells}
    cells = tuple(_compare_cell(cell, by_index, metrics, design) for cell in table.cells)
    comparisons = sum(
        cell.baseline is not None and cell.baseline != cell.index for cell in table.cells
    )
    return Comparison(
        campaign=design.campaign,
        axes=design.axes,
        baseline=design.baseline,
        confidence=CONFIDENCE,
        family=Family(
            comparisons,
            design.default_metrics,
            comparisons * len(design.default_metrics),
        ),
        metrics=tuple(metrics),
        available=tuple(available),
        default_metrics=design.default_metrics,
        cells=cells,
        notes=notes(design, cells, metrics),
    )


def _compare_cell(
    cell: CellResults,
    by_index: Mapping[int, CellResults],
    metrics: Sequence[Metric],
    design: Design,
) -> ComparedCell:
    is_baseline = cell.baseline == cell.index
    baseline = None if cell.baseline is None or is_baseline else by_index[cell.baseline]
    paired = None if baseline is None else _same_traffic(cell, baseline)
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
        missing=_by_reason((run.missing, seed) for seed, run in cell.runs.items() if run.missing),
        metrics={
            metric.name: _cell_metric(metric, cell, baseline, paired, design) for metric in metrics
        },
        digests={seed: run.digest for seed, run in finished.items() if run.digest},
        runs={seed: run.id for seed, run in finished.items()},
    )


def _cell_metric(
    metric: Metric,
    cell: CellResults,
    baseline: CellResults | None,
    paired: bool | None,
    design: Design,
) -> CellMetric:
    unit = cell.units.get(metric.name, metric.unit)
    values: Mapping[int, float] = {}
    if unit == metric.unit:
        values = cell.values.get(metric.name, values)
    absent: tuple[Missing, ...] = ()
    if values.keys() != cell.finished.keys():
        reason = _absence_reason(metric, unit, cell, design)
        absent = _by_reason((reason, seed) for seed in cell.finished if seed not in values)
    if not values:
        return CellMetric(metric.unit, {}, None, None, absent)
    sample = _independent(values, cell.deterministic)
    difference = None
    if baseline is not None and baseline.units.get(metric.name, metric.unit) == metric.unit:
        baseline_values = baseline.values.get(metric.name, {})
        difference = _difference(values, baseline_values, cell, baseline, paired)
    return CellMetric(metric.unit, values, estimate(list(sample.values())), difference, absent)


def _absence_reason(metric: Metric, unit: str, cell: CellResults, design: Design) -> str:
    """Why a finished run has no comparable value of a metric."""
    if not design.measures(cell.simulator, metric.name):
        return f"not measured by {cell.simulator.name}"
    if unit != metric.unit:
        return f"reported in {unit!r}, not in {metric.unit!r}"
    return metric.absent or "not reported"


def _difference(
    values: Mapping[int, float],
    baseline_values: Mapping[int, float],
    cell: CellResults,
    baseline: CellResults,
    paired: bool | None,
) -> Difference | None:
    """Difference to the baseline, or None if there is nothing to compare yet."""
    if not baseline_values or paired is None:
        return None
    if not paired:
        x = _independent(values, cell.deterministic)
        y = _independent(baseline_values, baseline.deterministic)
        exact = cell.deterministic, baseline.deterministic
        return unpaired_difference(list(x.values()), list(y.values()), *exact)
    shared = values
    if values.keys() != baseline_values.keys():
        shared = {seed: values[seed] for seed in values if seed in baseline_values}
    # If neither cell depends on the seed there is one pair, not n equal ones.
    shared = _independent(shared, cell.deterministic and baseline.deterministic)
    if not shared:
        return None
    return paired_difference(list(shared.values()), [baseline_values[seed] for seed in shared])


def _same_traffic(cell: CellResults, baseline: CellResults) -> bool | None:
    """Whether all shared seeds gave both cells the same traffic; None without a shared seed."""
    runs, baseline_runs = cell.finished, baseline.finished
    shared = [seed for seed in runs if seed in baseline_runs]
    if not shared:
        return None
    return all(
        runs[seed].schedule and runs[seed].schedule == baseline_runs[seed].schedule
        for seed in shared
    )


def _independent(values: Mapping[int, float], deterministic: bool) -> Mapping[int, float]:
    """The independent observations: only one if the seed has no effect."""
    if not deterministic or not values:
        return values
    first = min(values)
    return {first: values[first]}


def _by_reason(reasons: Iterable[tuple[str | None, int]]) -> tuple[Missing, ...]:
    """Seeds grouped by reason, in the order of each reason's first seed."""
    groups: dict[str, list[int]] = {}
    for reason, seed in sorted(reasons, key=lambda pair: pair[1]):
        if reason is not None:
            groups.setdefault(reason, []).append(seed)
    return tuple(Missing(reason, tuple(seeds)) for reason, seeds in groups.items())
