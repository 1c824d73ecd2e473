"""Rankings: who is best in a metric, and who can't be told apart from whom.

Cells are ranked in groups that share a baseline cell: the algorithms of one setting. The best cell
is first; the next ones share its rank until one differs from it significantly, which then leads the
next group. A ranking's tests are corrected by Bonferroni's method for all pairs of its cells, so
that which cells lead may depend on the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from windtunnel.comparison.pairs import Pair, comparable_values
from windtunnel.comparison.table import CellResults, Design, ResultTable
from windtunnel.spec.description import Metric
from windtunnel.statistics.significance import ALPHA

MAX_RANKED = 100  # cells of one ranking
_TIMES = ("ms", "us", "s")
_RATES = ("Mb/s", "Gb/s")


@dataclass(frozen=True)
class Place:
    """``tied``: the rank is shared. ``mean`` is that of the cell's values."""

    cell: int
    rank: int
    tied: bool
    mean: float


@dataclass(frozen=True)
class Ranking:
    """A ranking of the cells of one setting in one metric, best first.

    ``setting`` has the labels that its cells share. Cells that lack values are ``unranked``.
    """

    metric: str
    setting: Mapping[str, str]
    places: tuple[Place, ...]
    unranked: tuple[int, ...]


@dataclass(frozen=True)
class ParetoFront:
    """Cells of one setting that no other is better than in one metric and as good in the other."""

    metrics: tuple[str, str]
    setting: Mapping[str, str]
    cells: tuple[int, ...]


def rankings(table: ResultTable, metrics: Sequence[Metric]) -> tuple[Ranking, ...]:
    """The rankings in each metric with a better direction, setting by setting."""
    settings = list(_settings(table))
    return tuple(
        cells[0].remembered(
            ("ranking", metric.name, metric.unit),
            (table.design, *cells),
            partial(_ranking, metric, setting, cells),
        )
        for metric in metrics
        if metric.direction != "none"
        for setting, cells in settings
    )


def pareto_fronts(table: ResultTable, metrics: Sequence[Metric]) -> tuple[ParetoFront, ...]:
    """The front of each setting over throughput and delay, by the cells' means."""
    axes = _pareto_axes(metrics)
    if axes is None:
        return ()
    names = axes[0].name, axes[1].name
    return tuple(
        cells[0].remembered(
            ("front", names), (table.design, *cells), partial(_front, axes, setting, cells)
        )
        for setting, cells in _settings(table)
    )


def _front(
    axes: tuple[Metric, Metric], setting: Mapping[str, str], cells: Sequence[CellResults]
) -> ParetoFront:
    points = {
        cell.index: tuple(_goodness(cell, metric) for metric in axes)
        for cell in cells
        if all(_complete(cell, metric) for metric in axes)
    }
    front = tuple(
        index
        for index, point in points.items()
        if not any(_dominates(other, point) for other in points.values())
    )
    return ParetoFront((axes[0].name, axes[1].name), setting, front)


def _settings(table: ResultTable) -> Iterator[tuple[Mapping[str, str], Sequence[CellResults]]]:
    """Cells by setting, with the labels that they share; settings of one cell are left out."""
    groups: dict[int | None, list[CellResults]] = {}
    for cell in table.cells:
        groups.setdefault(cell.baseline, []).append(cell)
    for cells in groups.values():
        if 1 < len(cells) <= MAX_RANKED:
            yield _shared_labels(table.design, cells), cells


def _shared_labels(design: Design, cells: Sequence[CellResults]) -> Mapping[str, str]:
    first = cells[0].coordinates
    return {
        axis: first[axis]
        for axis in design.axes
        if all(cell.coordinates[axis] == first[axis] for cell in cells)
    }


def _ranking(metric: Metric, setting: Mapping[str, str], cells: Sequence[CellResults]) -> Ranking:
    ranked = [cell for cell in cells if _complete(cell, metric)]
    ranked.sort(key=lambda cell: -_goodness(cell, metric))
    comparisons = len(ranked) * (len(ranked) - 1) / 2
    ranks: list[int] = []
    leader: CellResults | None = None
    for position, cell in enumerate(ranked, 1):
        if leader is None or _differ(Pair.of(cell, leader), metric, comparisons):
            leader = cell
            ranks.append(position)
        else:
            ranks.append(ranks[-1])
    places = tuple(
        Place(cell.index, rank, ranks.count(rank) > 1, _mean(cell, metric))
        for cell, rank in zip(ranked, ranks, strict=True)
    )
    unranked = tuple(cell.index for cell in cells if not _complete(cell, metric))
    return Ranking(metric.name, setting, places, unranked)


def _differ(pair: Pair, metric: Metric, comparisons: float) -> bool:
    samples = pair.samples(metric)
    if samples is None:
        return False
    contrast = samples.contrast()
    if pair.exact:
        return contrast.value != 0
    p = contrast.p_two_sided
    return p is not None and p * comparisons <= ALPHA


def _complete(cell: CellResults, metric: Metric) -> bool:
    return bool(cell.runs) and len(comparable_values(cell, metric)) == len(cell.runs)


def _mean(cell: CellResults, metric: Metric) -> float:
    values = comparable_values(cell, metric)
    return sum(values.values()) / len(values)


def _goodness(cell: CellResults, metric: Metric) -> float:
    """Larger is better."""
    return _mean(cell, metric) * (-1 if metric.direction == "lower" else 1)


def _dominates(other: tuple[float, ...], point: tuple[float, ...]) -> bool:
    return other != point and all(a >= b for a, b in zip(other, point, strict=True))


def _pareto_axes(metrics: Sequence[Metric]) -> tuple[Metric, Metric] | None:
    """A metric of throughput and one of delay, of the tail if there is one."""
    throughput = [m for m in metrics if m.direction == "higher" and _is_throughput(m)]
    delay = [m for m in metrics if m.direction == "lower" and m.unit in _TIMES]
    if not throughput or not delay:
        return None
    tail = next((metric for metric in delay if metric.name.endswith("_p99")), delay[0])
    return throughput[0], tail


def _is_throughput(metric: Metric) -> bool:
    return metric.group == "throughput" or metric.unit in _RATES
