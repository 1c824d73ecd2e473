"""Notes below a comparison: what the figures are, what is missing, and exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from windtunnel.comparison.document import ComparedCell
from windtunnel.comparison.table import Design
from windtunnel.comparison.verdicts import Outcome, Verdict
from windtunnel.spec.analysis import BCA, MIN_BCA_PAIRS, Family
from windtunnel.spec.description import Metric
from windtunnel.statistics.significance import MAX_NEEDED

_MAX_NAMED = 6


def notes(
    design: Design, cells: Sequence[ComparedCell], metrics: Sequence[Metric], family: Family
) -> tuple[str, ...]:
    """The notes, in the order in which a reader needs them; without figures, why there are none."""
    if not any(cell.finished for cell in cells):
        return tuple(_missing_runs(cells))
    return (
        _figures(design, cells),
        *_verdicts(design, metrics, family),
        *_undecided(cells, metrics),
        *_pairing(cells),
        *_without_relative(cells, metrics),
        *_deterministic(cells),
        *_missing_runs(cells),
        *_missing_values(cells, metrics),
    )


def _figures(design: Design, cells: Sequence[ComparedCell]) -> str:
    counts = sorted({cell.finished for cell in cells}) or [0]
    seeds = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    plural = "" if seeds == "1" else "s"
    text = f"{seeds} seed{plural}; mean ± half-width of the 95 % interval, unadjusted"
    if design.baseline:
        text += f"; differences to {', '.join(design.baseline.values())}"
        if any(cell.paired for cell in cells):
            text += ", paired by seed"
        if design.analysis.interval == BCA:
            text += f", from {MIN_BCA_PAIRS} pairs on with BCa bootstrap intervals"
    return text


def _verdicts(design: Design, metrics: Sequence[Metric], family: Family) -> Iterator[str]:
    """How verdicts were reached, and on which of the metrics shown there are none."""
    if not family.size:
        return
    count = len(family.metrics)
    size = f"{_counted(family.comparisons, 'comparison')} x {_counted(count, 'metric')}"
    thresholds = {
        metric.title: threshold.text if (threshold := design.threshold(metric)) else ""
        for metric in metrics
        if metric.name in family.metrics
    }
    yield f"verdicts by Holm over {size} = {family.size}{_equivalence(thresholds)}"
    outside = [metric.title for metric in metrics if metric.name not in family.metrics]
    if outside:
        yield f"not in the family, so without verdicts: {', '.join(outside)}"


def _equivalence(thresholds: Mapping[str, str]) -> str:
    """``; equivalent within 5 % (goodput), 1 ms (delay); drops: no equivalence``."""
    titles_by_text: dict[str, list[str]] = {}
    for title, text in thresholds.items():
        titles_by_text.setdefault(text, []).append(title)
    without = titles_by_text.pop("", [])
    texts = [
        text + (f" ({', '.join(titles)})" if len(thresholds) > len(titles) else "")
        for text, titles in titles_by_text.items()
    ]
    equivalent = f"; equivalent within {', '.join(texts)}" if texts else ""
    return equivalent + (f"; no threshold of equivalence: {', '.join(without)}" if without else "")


def _undecided(cells: Sequence[ComparedCell], metrics: Sequence[Metric]) -> Iterator[str]:
    """How many seeds inconclusive verdicts would probably need."""
    for metric in metrics:
        verdicts = [(cell, cell.metrics[metric.name].verdict) for cell in cells]
        undecided = [
            (cell, verdict)
            for cell, verdict in verdicts
            if verdict is not None and verdict.outcome is Outcome.INCONCLUSIVE
        ]
        if undecided:
            needed = ", ".join(
                f"{_name(cell)} {_needed(verdict)}" for cell, verdict in undecided[:_MAX_NAMED]
            )
            rest = len(undecided) - _MAX_NAMED
            more = f", and {rest} more" if rest > 0 else ""
            yield f"{metric.title}: inconclusive; seeds that would probably settle: {needed}{more}"


def _needed(verdict: Verdict) -> str:
    if verdict.needed is not None:
        return f"{verdict.needed:,}"
    return f"({verdict.reason})" if verdict.reason else f"over {MAX_NEEDED:,}"


def _pairing(cells: Sequence[ComparedCell]) -> Iterator[str]:
    unpaired = [cell for cell in cells if cell.paired is False]
    if unpaired:
        yield (
            "unpaired (Welch), because the traffic differs from the baseline's for the same seed: "
            f"{_names(unpaired)}"
        )


def _without_relative(cells: Sequence[ComparedCell], metrics: Sequence[Metric]) -> Iterator[str]:
    absolute = [
        metric.title
        for metric in metrics
        for cell in cells
        if (difference := cell.metrics[metric.name].against_baseline)
        and difference.relative_mean is None
    ]
    if absolute:
        titles = ", ".join(dict.fromkeys(absolute))
        yield (
            "absolute differences, because the baseline's mean is not significantly different "
            f"from zero: {titles}"
        )


def _deterministic(cells: Sequence[ComparedCell]) -> Iterator[str]:
    deterministic = [cell for cell in cells if cell.deterministic]
    if deterministic:
        yield f"deterministic, n = 1 (every seed gives the same records): {_names(deterministic)}"


def _missing_runs(cells: Sequence[ComparedCell]) -> Iterator[str]:
    incomplete = [cell for cell in cells if cell.missing]
    for cell in incomplete[:_MAX_NAMED]:
        reasons = "; ".join(
            f"{seeds_text(missing.seeds)} {missing.reason}" for missing in cell.missing
        )
        yield f"{_name(cell)}: {cell.finished} of {cell.planned} runs ({reasons})"
    if len(incomplete) > _MAX_NAMED:
        yield f"and {len(incomplete) - _MAX_NAMED} more cells with missing runs"


def _missing_values(cells: Sequence[ComparedCell], metrics: Sequence[Metric]) -> Iterator[str]:
    for metric in metrics:
        cells_by_reason: dict[str, list[ComparedCell]] = {}
        for cell in cells:
            for missing in cell.metrics[metric.name].missing:
                cells_by_reason.setdefault(missing.reason, []).append(cell)
        for reason, affected in cells_by_reason.items():
            count = sum(
                len(missing.seeds)
                for cell in affected
                for missing in cell.metrics[metric.name].missing
            )
            names = "all cells" if len(affected) == len(cells) > 1 else _names(affected)
            runs = f"{count} run{'s' if count > 1 else ''}"
            yield f"{metric.title}: no value in {runs} ({reason}): {names}"


def _names(cells: Sequence[ComparedCell]) -> str:
    named = ", ".join(_name(cell) for cell in cells[:_MAX_NAMED])
    unnamed = len(cells) - _MAX_NAMED
    return f"{named} and {unnamed} more" if unnamed > 0 else named


def _name(cell: ComparedCell) -> str:
    return _labels(cell.coordinates.values()) or "the only cell"


def _labels(labels: Iterable[str]) -> str:
    return " ".join(labels)


def seeds_text(seeds: Sequence[int]) -> str:
    """``seed 4``, ``seeds 1 to 5`` if they are consecutive, else ``seeds 1, 3``."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"seeds {seeds[0]} to {seeds[-1]}"
    shown = ", ".join(map(str, seeds[:_MAX_NAMED]))
    more = f" and {len(seeds) - _MAX_NAMED} more" if len(seeds) > _MAX_NAMED else ""
    return f"seeds {shown}{more}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
