"""A campaign compared with another one, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from windtunnel.comparison.compare import Comparer
from windtunnel.comparison.document import ComparedCell, Comparison, Reference
from windtunnel.comparison.notes import notes
from windtunnel.comparison.pairs import Pair
from windtunnel.comparison.table import Design, ResultTable
from windtunnel.comparison.verdicts import Outcome
from windtunnel.spec.description import Metric
from windtunnel.statistics import CONFIDENCE

_MAX_NAMES = 5
_PREPOSITIONS: Mapping[str, str] = {
    **dict.fromkeys((Outcome.BETTER, Outcome.WORSE, Outcome.HIGHER, Outcome.LOWER), "than"),
    Outcome.EQUIVALENT: "to",
}


def compare_across(
    table: ResultTable,
    reference_design: Design,
    pairs: Mapping[int, Pair],
    against: Reference,
    metrics: Sequence[Metric],
    available: Sequence[Metric],
    with_incomplete: bool = False,
) -> Comparison:
    """Compare every cell with the one of the reference that it is paired with.

    The family of verdicts is the matched cells times the metrics of the campaign's own family, so
    that it does not depend on results. Cells that have no match get estimates only.
    """
    title = reference_title(against.name, against.campaign)
    design = replace(
        table.design,
        baseline={"campaign": title},
        measured={**reference_design.measured, **table.design.measured},
    )
    comparer = Comparer(design, table.cells, pairs, metrics, with_incomplete)
    cells = tuple(replace(comparer.cell(cell), is_baseline=False) for cell in table.cells)
    judged = [metric for metric in metrics if metric.name in comparer.family.metrics]
    headlines = dict(_headlines(cells, judged, title))
    return Comparison(
        campaign=design.campaign,
        axes=design.axes,
        baseline={},
        declared_baseline=table.design.baseline,
        confidence=CONFIDENCE,
        family=comparer.family,
        metrics=tuple(design.with_threshold(metric) for metric in metrics),
        available=tuple(available),
        default_metrics=design.default_metrics,
        cells=cells,
        rankings=(),
        pareto=(),
        coexistence=(),
        summary=tuple(headlines.values()),
        headlines=headlines,
        notes=(
            *notes(design, cells, metrics, comparer.family),
            *_reference_notes(pairs, title),
        ),
        against=against,
    )


def reference_title(name: str, campaign: str) -> str:
    """How tables and sentences call another campaign: ``main-study 1f2e3d4c5b``."""
    return f"{name} {campaign}"


def _reference_notes(pairs: Mapping[int, Pair], title: str) -> Iterator[str]:
    same = [pair for pair in pairs.values() if _same_records(pair)]
    if same:
        which = "all matched cells" if len(same) == len(pairs) else f"{len(same)} cells"
        yield f"the records of {which} are those of {title} byte for byte, seed by seed"
    missing: dict[str, int] = {}
    for pair in pairs.values():
        for run in pair.other.runs.values():
            if run.missing:
                missing[run.missing] = missing.get(run.missing, 0) + 1
    if missing:
        reasons = ", ".join(f"{count} {reason}" for reason, count in missing.items())
        yield f"runs of {title} without a result: {reasons}"


def _same_records(pair: Pair) -> bool:
    """Whether every seed that both have finished gave both the same records."""
    runs, others = pair.cell.finished, pair.other.finished
    shared = [seed for seed in runs if seed in others]
    return bool(shared) and all(
        runs[seed].digest and runs[seed].digest == others[seed].digest for seed in shared
    )


def _headlines(
    cells: Sequence[ComparedCell], metrics: Sequence[Metric], title: str
) -> Iterator[tuple[str, str]]:
    """Each metric's name and its sentence.

    ``packet delay p99: worse than main 1f2e3d: vegas 20p; equivalent: 7 cells.``
    """
    for metric in metrics:
        by_label: dict[str, list[str]] = {}
        for cell in cells:
            verdict = cell.metrics[metric.name].verdict
            if verdict is not None:
                by_label.setdefault(verdict.label, []).append(" ".join(cell.coordinates.values()))
        if not by_label:
            continue
        count = sum(len(names) for names in by_label.values())
        parts = [
            f"{_related(label, title)}{_cells(names, count)}" for label, names in by_label.items()
        ]
        yield metric.name, f"{metric.title}: {'; '.join(parts)}."


def _related(label: str, title: str) -> str:
    """``worse than main 1f2e3d``."""
    preposition = _PREPOSITIONS.get(label)
    return f"{label} {preposition} {title}" if preposition else label


def _cells(names: Sequence[str], total: int) -> str:
    if len(names) == total:
        return "" if total == 1 else f" in all {total} cells"
    if len(names) > _MAX_NAMES:
        return f" in {len(names)} of {total} cells"
    return f" in {len(names)} of {total} cells ({', '.join(names)})"
