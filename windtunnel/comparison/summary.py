"""The conclusions of a comparison as sentences, the same in tables, pages and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from windtunnel.comparison.document import ComparedCell
from windtunnel.comparison.ranking import Place, Ranking
from windtunnel.comparison.verdicts import Outcome
from windtunnel.numbers import number
from windtunnel.spec.description import Metric

MAX_SENTENCES = 12
_MAX_NAMES = 5


def summary(
    cells: Sequence[ComparedCell],
    rankings: Sequence[Ranking],
    metrics: Mapping[str, Metric],
    baseline: Mapping[str, str],
) -> tuple[str, ...]:
    """Who leads each ranking, by how much, and the verdicts in numbers.

    ``metrics`` by name are those of which the summary speaks: the family's.
    """
    by_index = {cell.index: cell for cell in cells}
    spoken = [ranking for ranking in rankings if ranking.metric in metrics and ranking.places]
    shown = spoken if len(spoken) <= MAX_SENTENCES else spoken[: MAX_SENTENCES - 1]
    sentences = [
        sentence(ranking, by_index, metrics[ranking.metric], baseline) for ranking in shown
    ]
    if len(shown) < len(spoken):
        sentences.append(f"and {len(spoken) - len(shown)} more rankings")
    return tuple(sentences)


def sentence(
    ranking: Ranking,
    cells: Mapping[int, ComparedCell],
    metric: Metric,
    baseline: Mapping[str, str],
) -> str:
    """Who leads this ranking, by how much, and the verdicts."""
    setting = ", ".join(f"{axis_title(axis)} {label}" for axis, label in ranking.setting.items())
    first = ranking.places[0]
    leaders = [place for place in ranking.places if place.rank == first.rank]
    names = [cell_name(cells[place.cell], ranking.setting) for place in leaders]
    superlative = "lowest" if metric.direction == "lower" else "highest"
    text = f"{setting}: " if setting else ""
    if len(leaders) == 1:
        text += f"{names[0]} has the {superlative} {metric.title}: "
        text += f"{_value(first, cells, metric)}{_against(cells[first.cell], metric, baseline)}"
    elif len(leaders) == len(ranking.places):
        text += f"no significant difference in {metric.title} between {listed(names)}"
    else:
        text += f"{listed(names)} share the {superlative} {metric.title}: "
        ends = (_value(leaders[0], cells, metric), _value(leaders[-1], cells, metric))
        text += " to ".join(dict.fromkeys(ends))
    verdicts = "; ".join(_verdicts(ranking, cells, metric))
    return f"{text}. {verdicts[0].upper()}{verdicts[1:]}." if verdicts else f"{text}."


def _against(cell: ComparedCell, metric: Metric, baseline: Mapping[str, str]) -> str:
    """``, 60 % below newreno (95 % CI 57 to 63 %, 5 seeds)``."""
    difference = cell.metrics[metric.name].against_baseline
    if difference is None or difference.relative_ci95 is None or difference.relative_mean is None:
        return ""
    word = "below" if difference.relative_mean < 0 else "above"
    low, high = sorted(
        100 * end * (-1 if difference.relative_mean < 0 else 1) for end in difference.relative_ci95
    )
    return (
        f", {abs(100 * difference.relative_mean):.1f} % {word} {', '.join(baseline.values())} "
        f"(95 % CI {low:.1f} to {high:.1f} %, {difference.n} seeds)"
    )


def _verdicts(ranking: Ranking, cells: Mapping[int, ComparedCell], metric: Metric) -> Iterator[str]:
    """``better than newreno: vegas; inconclusive: 6``."""
    indices = [*(place.cell for place in ranking.places), *ranking.unranked]
    baseline = next((cells[index] for index in indices if cells[index].is_baseline), None)
    if baseline is None:
        return
    reference = cell_name(baseline, ranking.setting)
    labels: dict[str, list[str]] = {}
    for index in indices:
        verdict = cells[index].metrics[metric.name].verdict
        if verdict is not None:
            labels.setdefault(verdict.label, []).append(cell_name(cells[index], ranking.setting))
    for outcome, preposition in (
        (Outcome.BETTER, "than"),
        (Outcome.WORSE, "than"),
        (Outcome.EQUIVALENT, "to"),
    ):
        if names := labels.pop(outcome, []):
            yield f"{outcome} {preposition} {reference}: {listed(names)}"
    for label, names in labels.items():
        yield f"{label}: {listed(names)}"


def _value(place: Place, cells: Mapping[int, ComparedCell], metric: Metric) -> str:
    estimate = cells[place.cell].metrics[metric.name].estimate
    half = estimate.half_width if estimate else None
    unit = "" if metric.unit in ("", "1") else f" {metric.unit}"
    return f"{number(place.mean, half)}{unit}"


def cell_name(cell: ComparedCell, setting: Mapping[str, str]) -> str:
    """The cell's labels that the setting leaves open."""
    labels = [label for axis, label in cell.coordinates.items() if axis not in setting]
    return " / ".join(labels) or "the only cell"


def axis_title(axis: str) -> str:
    return axis.rpartition(".")[2]


def listed(names: Sequence[str]) -> str:
    if len(names) > _MAX_NAMES:
        return f"{', '.join(names[:_MAX_NAMES])} and {len(names) - _MAX_NAMES} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
