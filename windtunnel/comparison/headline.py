"""A comparison's answer in one metric as one sentence, over all settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from windtunnel.comparison.coexistence import Coexistence, Contentiousness
from windtunnel.comparison.document import ComparedCell
from windtunnel.comparison.ranking import Ranking
from windtunnel.comparison.summary import axis_title, cell_name, listed, sentence
from windtunnel.comparison.verdicts import Outcome
from windtunnel.numbers import number
from windtunnel.spec.description import Metric
from windtunnel.statistics import Estimate

_MAX_OTHERS = 4
_EQUAL = "equal"
# Verdicts from which a winner follows.
_DECIDED = frozenset({*(str(outcome) for outcome in Outcome), _EQUAL})
_WORDS = {"no verdict": "without a verdict"}


def headlines(
    cells: Sequence[ComparedCell],
    rankings: Sequence[Ranking],
    metrics: Sequence[Metric],
    baseline: Mapping[str, str],
) -> dict[str, str]:
    """The sentence of each metric that is ranked, by the metric's name.

    With one setting it is the ranking's own sentence; with several it counts verdicts over them
    and quotes the setting with the largest relative difference.
    """
    by_index = {cell.index: cell for cell in cells}
    sentences = {}
    for metric in metrics:
        settings = [ranking for ranking in rankings if ranking.metric == metric.name]
        known = [ranking for ranking in settings if ranking.places]
        if len(settings) == 1 and known:
            sentences[metric.name] = sentence(known[0], by_index, metric, baseline)
        elif known:
            sentences[metric.name] = _over_settings(settings, by_index, metric, baseline)
    return sentences


def share_headlines(matrices: Sequence[Coexistence]) -> dict[str, str]:
    """The sentence on coexistence, under ``coexistence``, if there is one setting."""
    if len(matrices) != 1 or not matrices[0].contentiousness:
        return {}
    return {"coexistence": _coexistence(matrices[0].contentiousness)}


def _coexistence(places: Sequence[Contentiousness]) -> str:
    """Which algorithm leaves least to the others, and which most."""
    worst, best = places[0], places[-1]
    hardest = [place.algorithm for place in places if place.rank == worst.rank]
    verb, pronoun = ("is", "it leaves its") if len(hardest) == 1 else ("are", "they leave their")
    shares = [place.left_to_others for place in places if place.rank == worst.rank]
    left = _share(shares[0])
    if len(shares) > 1:
        least, most = min(shares, key=_mean), max(shares, key=_mean)
        left = f"{number(least.mean, least.half_width)} to {number(most.mean, most.half_width)} %"
    text = f"{listed(hardest)} {verb} the hardest to share with: {pronoun} rivals "
    text += f"{left} of the fair share"
    if best.rank == worst.rank:
        return "No algorithm is shown to leave more to its rivals than another."
    return f"{text}. {best.algorithm} leaves the most, {_share(best.left_to_others)}."


def _mean(estimate: Estimate) -> float:
    return estimate.mean


def _share(estimate: Estimate) -> str:
    text = f"{number(estimate.mean, estimate.half_width)} %"
    if estimate.ci95 is None:
        return text
    low, high = (number(end, estimate.half_width) for end in estimate.ci95)
    return f"{text} (95 % CI {low} to {high} %, {estimate.n} seeds)"


def _over_settings(
    rankings: Sequence[Ranking],
    cells: Mapping[int, ComparedCell],
    metric: Metric,
    baseline: Mapping[str, str],
) -> str:
    verdicts = _verdicts_by_name(rankings, cells, metric)
    settings = f"{len(rankings)} settings"
    if not any(_DECIDED & counts.keys() for counts in verdicts.values()):
        return _leaders(rankings, cells, metric, settings)
    reference = ", ".join(baseline.values()) or "the baseline"
    winner, outcomes = max(verdicts.items(), key=lambda item: item[1][Outcome.BETTER])
    wins = outcomes[Outcome.BETTER]
    if wins == 0:
        text = f"No cell is shown to be better than {reference} in {metric.title}"
        rest = list(verdicts.items())
        return " ".join([f"{text} in any of {settings}.", *_others(rest)])
    direction = "lower" if metric.direction == "lower" else "higher"
    text = f"{winner} has a {direction} {metric.title} than {reference} in {wins} of {settings}"
    text += _clearest(winner, rankings, cells, metric, wins)
    own = outcomes.copy()
    del own[Outcome.BETTER]
    if own:
        text += f" It is {_counts(own)}."
    rest = [(name, counts) for name, counts in verdicts.items() if name != winner]
    return " ".join([text, *_others(rest)])


def _verdicts_by_name(
    rankings: Sequence[Ranking], cells: Mapping[int, ComparedCell], metric: Metric
) -> dict[str, Counter[str]]:
    """How often cells of the same name got each verdict, over the settings."""
    verdicts: dict[str, Counter[str]] = {}
    for ranking in rankings:
        for index in (*(place.cell for place in ranking.places), *ranking.unranked):
            word = _word(cells[index], metric)
            if word:
                name = cell_name(cells[index], ranking.setting)
                verdicts.setdefault(name, Counter())[word] += 1
    return verdicts


def _word(cell: ComparedCell, metric: Metric) -> str:
    """A cell's verdict; of an exact comparison, which needs none, the direction of the difference.

    Empty without a verdict.
    """
    verdict = cell.metrics[metric.name].verdict
    difference = cell.metrics[metric.name].against_baseline
    if verdict is None:
        return ""
    if verdict.label != "exact" or difference is None:
        return str(verdict.label)
    if difference.mean == 0:
        return _EQUAL
    better = (difference.mean < 0) == (metric.direction == "lower")
    return Outcome.BETTER if better else Outcome.WORSE


def _clearest(
    winner: str,
    rankings: Sequence[Ranking],
    cells: Mapping[int, ComparedCell],
    metric: Metric,
    wins: int,
) -> str:
    """``, by most at servers 12: 782.2 Mb/s, 5.2 times as much (95 % CI ...).``"""
    best: tuple[float, Ranking, ComparedCell] | None = None
    for ranking in rankings:
        for place in ranking.places:
            cell = cells[place.cell]
            difference = cell.metrics[metric.name].against_baseline
            if (
                _word(cell, metric) != Outcome.BETTER
                or difference is None
                or difference.relative_mean is None
                or cell_name(cell, ranking.setting) != winner
            ):
                continue
            size = abs(difference.relative_mean)
            if best is None or size > best[0]:
                best = (size, ranking, cell)
    if best is None:
        return "."
    _, ranking, cell = best
    estimate = cell.metrics[metric.name].estimate
    difference = cell.metrics[metric.name].against_baseline
    assert estimate is not None
    assert difference is not None
    assert difference.relative_mean is not None
    where = ", ".join(f"{_axis(axis)} {label}" for axis, label in ranking.setting.items())
    unit = "" if metric.unit in ("", "1") else f" {metric.unit}"
    text = f", {'by most ' if wins > 1 else ''}at {where}: "
    text += f"{number(estimate.mean, estimate.half_width)}{unit}, "
    text += _ratio(difference.relative_mean)
    if difference.relative_ci95 is not None:
        low, high = sorted(difference.relative_ci95)
        ends = f"{_percent(low)} to {_percent(high)} %"
        if difference.relative_mean >= 1:
            ends = f"{1 + low:.1f} to {1 + high:.1f} times"
        text += f" (95 % CI {ends}, {difference.n} seeds)"
    return f"{text}."


def _ratio(relative: float) -> str:
    """``5.2 times as much`` from double on, else ``60.0 % less``."""
    if relative >= 1:
        return f"{1 + relative:.1f} times as much"
    return f"{abs(100 * relative):.1f} % {'more' if relative > 0 else 'less'}"


def _percent(relative: float) -> str:
    return f"{100 * relative:+,.1f}".replace("-", "−")


def _others(verdicts: Sequence[tuple[str, Counter[str]]]) -> Iterator[str]:
    for name, counts in verdicts[:_MAX_OTHERS]:
        yield f"{name} is {_counts(counts)}."
    if len(verdicts) > _MAX_OTHERS:
        yield f"{len(verdicts) - _MAX_OTHERS} others are in the table."


def _counts(counts: Mapping[str, int]) -> str:
    order = [*(str(outcome) for outcome in Outcome), _EQUAL, "incomplete", "no verdict"]
    known = sorted(
        counts.items(), key=lambda item: order.index(item[0]) if item[0] in order else 99
    )
    parts = [f"{_WORDS.get(label, label)} in {count}" for label, count in known]
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _leaders(
    rankings: Sequence[Ranking],
    cells: Mapping[int, ComparedCell],
    metric: Metric,
    settings: str,
) -> str:
    """Without verdicts: who leads the settings in which not all cells are tied."""
    leaders: Counter[str] = Counter()
    for ranking in rankings:
        first = [place for place in ranking.places if place.rank == ranking.places[0].rank]
        if len(first) < len(ranking.places):
            leaders.update(cell_name(cells[place.cell], ranking.setting) for place in first)
    if not leaders:
        return f"No significant difference in {metric.title} in any of {settings}."
    superlative = "lowest" if metric.direction == "lower" else "highest"
    ranked = leaders.most_common()
    text = f"{ranked[0][0]} has the {superlative} {metric.title} in {ranked[0][1]} of {settings}, "
    text += "alone or tied."
    rest = [f"{name} in {count}" for name, count in ranked[1 : 1 + _MAX_OTHERS]]
    return f"{text} Then {listed(rest)}." if rest else text


def _axis(axis: str) -> str:
    """An axis by its last part, with the group if it is a group's."""
    group, _, name = axis.rpartition(".")
    return f"{group.rpartition('.')[2]}.{name}" if group.endswith("]") else axis_title(axis)
