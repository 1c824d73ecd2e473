"""Cells set against a baseline, paired by seed index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.errors import Problem, SpecError
from windtunnel.spec.description import Metric
from windtunnel.spec.schema import nearest
from windtunnel.statistics import Estimate, PairedDifference, estimate, paired_difference


@dataclass(frozen=True)
class CellResults:
    """Finished runs of one cell: metric values and digests by seed index."""

    index: int
    where: Mapping[str, str]
    baseline: int | None
    values: Mapping[str, Mapping[int, float]]
    digests: Mapping[int, str]
    runs: Mapping[int, str]

    @property
    def deterministic(self) -> bool:
        """Several seeds, all with the same records: one observation, however often repeated."""
        return len(self.digests) > 1 and len(set(self.digests.values())) == 1


@dataclass(frozen=True)
class CellMetric:
    """One metric of one cell: values by seed index, their estimate, the difference to baseline."""

    unit: str
    values: Mapping[int, float]
    estimate: Estimate
    against_baseline: PairedDifference | None


@dataclass(frozen=True)
class ComparedCell:
    index: int
    where: Mapping[str, str]
    is_baseline: bool
    deterministic: bool
    metrics: Mapping[str, CellMetric]
    digests: Mapping[int, str]
    runs: Mapping[int, str]


@dataclass(frozen=True)
class Comparison:
    metrics: tuple[Metric, ...]
    cells: tuple[ComparedCell, ...]


def headline(reported: Sequence[str]) -> list[str]:
    """What a comparison is about when nobody says: the metrics of its groups, rounds or transfers
    where its runs have them, else throughput, delay and drops."""
    groups = [name for name in sorted(reported) if name.startswith("goodput_mbps:")]
    for sign, names in (
        (groups, [*groups[:4], "jain_fairness", "drops_total"]),
        ("rounds_goodput_mbps" in reported, _OF_ROUNDS),
        ("fct_ms_mean" in reported, _OF_TRANSFERS),
    ):
        if sign:
            return [name for name in names if name in reported]
    return [name for name in _USUAL if name in reported] or list(reported)[:4]


_OF_ROUNDS = ("rounds_goodput_mbps", "round_ms_p99", "timeouts", "drops_total")
_OF_TRANSFERS = ("fct_ms_p50", "fct_ms_p99", "slowdown_mean", "drops_total")
_USUAL = ("ideal_throughput_pct", "packet_delay_ms_mean", "packet_delay_ms_p99", "drops_total")


def choose_metrics(known: Sequence[Metric], wanted: Sequence[str]) -> tuple[Metric, ...]:
    """The wanted metrics, or all. Raises SpecError for an unknown or ambiguous name."""
    if not wanted:
        return tuple(known)
    by_name = {metric.name: metric for metric in known}
    problems = []
    for name in wanted:
        if name in by_name:
            continue
        family = [other for other in by_name if name in other and ":" not in other]
        if len(family) > 1:
            message = f"{name!r} is ambiguous: {', '.join(family)}"
        else:
            hint = nearest(name, list(by_name)) or f"; known: {', '.join(by_name)}"
            message = f"{name!r} is not a metric{hint}"
        problems.append(Problem("metric", message))
    if problems:
        raise SpecError(problems)
    return tuple(by_name[name] for name in wanted)


def compare(cells: Sequence[CellResults], metrics: Sequence[Metric]) -> Comparison:
    """Set every cell against its baseline. Seeds that only one side has finished are not paired."""
    by_index = {cell.index: cell for cell in cells}
    return Comparison(tuple(metrics), tuple(_compared(cell, by_index, metrics) for cell in cells))


def _compared(
    cell: CellResults, by_index: Mapping[int, CellResults], metrics: Sequence[Metric]
) -> ComparedCell:
    is_baseline = cell.baseline == cell.index
    against = None if cell.baseline is None or is_baseline else by_index[cell.baseline]
    return ComparedCell(
        index=cell.index,
        where=cell.where,
        is_baseline=is_baseline,
        deterministic=cell.deterministic,
        metrics={
            metric.name: _cell_metric(metric, cell, against)
            for metric in metrics
            if cell.values.get(metric.name)
        },
        digests=cell.digests,
        runs=cell.runs,
    )


def _cell_metric(metric: Metric, cell: CellResults, against: CellResults | None) -> CellMetric:
    values = dict(sorted(cell.values[metric.name].items()))
    sample = _independent(values, cell.deterministic)
    return CellMetric(
        unit=metric.unit,
        values=values,
        estimate=estimate(list(sample.values())),
        against_baseline=_difference(metric.name, cell, against),
    )


def _difference(
    name: str, cell: CellResults, against: CellResults | None
) -> PairedDifference | None:
    if against is None:
        return None
    mine, theirs = cell.values[name], against.values.get(name, {})
    shared: Mapping[int, float] = {seed: mine[seed] for seed in sorted(mine) if seed in theirs}
    # Where neither side depends on the seed there is one pair, not n equal ones.
    shared = _independent(shared, cell.deterministic and against.deterministic)
    if not shared:
        return None
    return paired_difference(list(shared.values()), [theirs[seed] for seed in shared])


def _independent(values: Mapping[int, float], deterministic: bool) -> Mapping[int, float]:
    """One observation if the seed changes nothing, all of them otherwise."""
    if not deterministic or not values:
        return values
    first = min(values)
    return {first: values[first]}
