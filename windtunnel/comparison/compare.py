"""Computes the comparison document from the results table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.comparison.baselines import verdicts_note, with_baseline
from windtunnel.comparison.coexistence import coexistence
from windtunnel.comparison.document import CellMetric, ComparedCell, Comparison, Missing
from windtunnel.comparison.headline import headlines, share_headlines
from windtunnel.comparison.notes import notes
from windtunnel.comparison.pairs import Pair, comparable_values, independent
from windtunnel.comparison.ranking import pareto_fronts, rankings
from windtunnel.comparison.summary import summary
from windtunnel.comparison.table import CellResults, Design, ResultTable
from windtunnel.comparison.verdicts import CellMetricKey, Evidence, Verdict, decide
from windtunnel.spec.analysis import BCA, Family
from windtunnel.spec.description import Metric, find_metric
from windtunnel.statistics import CONFIDENCE, Difference, Estimate, Moments, difference, estimate
from windtunnel.statistics.bootstrap import with_bca


def compare(
    table: ResultTable,
    metrics: Sequence[Metric],
    available: Sequence[Metric],
    with_incomplete: bool = False,
    baseline: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare every cell with its baseline in each of ``metrics``.

    Verdicts depend on the family only, of which the table has all values, not on ``metrics``. With
    ``with_incomplete`` cells that lack values get a verdict on those that they have. With another
    ``baseline`` than the declared one there are differences to that one, and no verdicts; rankings
    and fronts, which do not depend on who is compared with whom, stay those of the declared one.
    """
    declared = table.design
    other = baseline is not None and dict(baseline) != dict(declared.baseline)
    view = with_baseline(table, baseline or {}) if other else table
    design = view.design
    pairs = _baseline_pairs(view)
    comparer = Comparer(design, view.cells, pairs, metrics, with_incomplete, not other)
    cells = tuple(comparer.cell(cell) for cell in view.cells)
    ranked = rankings(table, metrics)
    judged = {metric.name: metric for metric in metrics if metric.name in comparer.family.metrics}
    matrices = coexistence(table)
    return Comparison(
        campaign=design.campaign,
        axes=design.axes,
        baseline=design.baseline,
        declared_baseline=declared.baseline,
        confidence=CONFIDENCE,
        family=comparer.family,
        metrics=tuple(design.with_threshold(metric) for metric in metrics),
        available=tuple(available),
        default_metrics=design.default_metrics,
        cells=cells,
        rankings=ranked,
        pareto=pareto_fronts(table, metrics),
        coexistence=matrices,
        summary=summary(cells, ranked, judged, design.baseline),
        headlines=headlines(cells, ranked, metrics, design.baseline) | share_headlines(matrices),
        notes=(
            *notes(design, cells, metrics, comparer.family),
            *((verdicts_note(declared),) if other else ()),
        ),
    )


def _baseline_pairs(table: ResultTable) -> dict[int, Pair]:
    """Each cell with its baseline, by the cell's index."""
    by_index = {cell.index: cell for cell in table.cells}
    return {
        cell.index: Pair.with_baseline(cell, by_index[cell.baseline])
        for cell in table.cells
        if cell.baseline is not None and cell.baseline != cell.index
    }


@dataclass(frozen=True)
class _Part:
    """A metric of a cell before verdicts are corrected: ``evidence`` is None outside the family."""

    values: Mapping[int, float]
    absent: tuple[Missing, ...]
    estimate: Estimate | None
    difference: Difference | None
    evidence: Evidence | None


class Comparer:
    """Compares cells with those that they are paired with: estimates, differences and verdicts.

    ``pairs`` by the cell's index, times the design's family of metrics, are the family of verdicts,
    which is empty if not ``with_verdicts``.
    """

    def __init__(
        self,
        design: Design,
        cells: Sequence[CellResults],
        pairs: Mapping[int, Pair],
        metrics: Sequence[Metric],
        with_incomplete: bool,
        with_verdicts: bool = True,
    ) -> None:
        self._design = design
        self._metrics = metrics
        self._pairs = pairs
        self.family = Family.of(len(pairs), design.family) if with_verdicts else Family.of(0, ())
        judged = [find_metric(design.metrics, name) for name in self.family.metrics]
        self._judged = {metric.name for metric in judged if metric}
        needed = {metric.name: metric for metric in (*metrics, *judged) if metric}
        self._parts: dict[CellMetricKey, _Part] = {
            (cell.index, name): self._remembered_part(metric, cell)
            for cell in cells
            for name, metric in needed.items()
        }
        evidence = {key: part.evidence for key, part in self._parts.items() if part.evidence}
        self._verdicts: Mapping[CellMetricKey, Verdict] = decide(
            evidence, self.family.size, with_incomplete
        )

    def cell(self, cell: CellResults) -> ComparedCell:
        """One cell of the document: the same object as long as nothing of it has changed."""
        names = tuple(metric.name for metric in self._metrics)
        verdicts = [self._verdicts.get((cell.index, name)) for name in names]
        parts = [self._parts[cell.index, name] for name in names]
        pair = self._pairs.get(cell.index)
        sources = (self._design, pair, *parts, *verdicts)
        return cell.remembered("compared", sources, lambda: self._compared(cell, pair))

    def _compared(self, cell: CellResults, pair: Pair | None) -> ComparedCell:
        finished = cell.finished
        return ComparedCell(
            index=cell.index,
            coordinates=cell.coordinates,
            simulator=cell.simulator,
            is_baseline=cell.baseline == cell.index,
            deterministic=cell.deterministic,
            paired=None if pair is None else pair.same_traffic,
            planned=len(cell.runs),
            finished=len(finished),
            missing=_by_reason(
                (run.missing, seed) for seed, run in cell.runs.items() if run.missing
            ),
            metrics={metric.name: self._metric(metric, cell) for metric in self._metrics},
            digests={seed: run.digest for seed, run in finished.items() if run.digest},
            runs={seed: run.id for seed, run in finished.items()},
        )

    def _metric(self, metric: Metric, cell: CellResults) -> CellMetric:
        key = cell.index, metric.name
        part = self._parts[key]
        return CellMetric(
            unit=metric.unit,
            values=part.values,
            estimate=part.estimate,
            against_baseline=part.difference,
            verdict=self._verdicts.get(key),
            missing=part.absent,
        )

    def _remembered_part(self, metric: Metric, cell: CellResults) -> _Part:
        pair = self._pairs.get(cell.index)
        key = "part", metric.name, metric.unit
        return cell.remembered(key, (self._design, pair), lambda: self._part(metric, cell, pair))

    def _part(self, metric: Metric, cell: CellResults, pair: Pair | None) -> _Part:
        values = comparable_values(cell, metric)
        absent: tuple[Missing, ...] = ()
        if values.keys() != cell.finished.keys():
            reason = self._absence_reason(metric, cell)
            absent = _by_reason((reason, seed) for seed in cell.finished if seed not in values)
        sample = list(independent(values, cell.deterministic).values())
        samples = pair.samples(metric) if pair else None
        evidence = None
        if pair and metric.name in self._judged:
            evidence = pair.evidence(metric, samples, self._design)
        return _Part(
            values=values,
            absent=absent,
            estimate=estimate(sample) if sample else None,
            difference=self._difference(metric, pair, samples) if pair and samples else None,
            evidence=evidence,
        )

    def _difference(self, metric: Metric, pair: Pair, samples: Moments) -> Difference:
        by_t = difference(samples)
        if self._design.analysis.interval != BCA or not samples.paired:
            return by_t
        values = pair.values(metric)
        return with_bca(by_t, *values) if values else by_t

    def _absence_reason(self, metric: Metric, cell: CellResults) -> str:
        """Why a finished run has no comparable value of a metric."""
        unit = cell.units.get(metric.name, metric.unit)
        if not self._design.measures(cell.simulator, metric.name):
            return f"not measured by {cell.simulator.name}"
        if unit != metric.unit:
            return f"reported in {unit!r}, not in {metric.unit!r}"
        return metric.absent or "not reported"


def _by_reason(reasons: Iterable[tuple[str | None, int]]) -> tuple[Missing, ...]:
    """Seeds grouped by reason, in the order of each reason's first seed."""
    groups: dict[str, list[int]] = {}
    for reason, seed in sorted(reasons, key=lambda pair: pair[1]):
        if reason is not None:
            groups.setdefault(reason, []).append(seed)
    return tuple(Missing(reason, tuple(seeds)) for reason, seeds in groups.items())
