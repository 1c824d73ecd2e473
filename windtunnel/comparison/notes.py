"""Notes below a comparison: what the figures are, what is missing, and exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from windtunnel.comparison.document import ComparedCell
from windtunnel.comparison.table import Design
from windtunnel.spec.description import Metric

_MAX_NAMED = 6


def notes(
    design: Design, cells: Sequence[ComparedCell], metrics: Sequence[Metric]
) -> tuple[str, ...]:
    """The notes, in the order in which a reader needs them; without figures, why there are none."""
    if not any(cell.finished for cell in cells):
        return tuple(_missing_runs(cells))
    return (
        _figures(design, cells),
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
    return text


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
            f"seed{'s' if len(missing.seeds) > 1 else ''} {_seeds(missing.seeds)} {missing.reason}"
            for missing in cell.missing
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


def _seeds(seeds: Sequence[int]) -> str:
    """``1 to 5`` for consecutive seeds, ``1, 3`` otherwise."""
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{seeds[0]} to {seeds[-1]}"
    shown = ", ".join(map(str, seeds[:_MAX_NAMED]))
    return shown if len(seeds) <= _MAX_NAMED else f"{shown} and {len(seeds) - _MAX_NAMED} more"
