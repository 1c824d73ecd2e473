"""Algorithms against each other: who gets which share of its max-min fair rate beside whom.

For campaigns with an axis of algorithms for each of two groups, as in Prudentia (Philip et al.,
*Prudentia: Findings of an Internet Fairness Watchdog*, SIGCOMM 2024): the matrix of the incumbents'
shares, and how contentious each algorithm is, by what it leaves to the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.comparison.table import CellResults, Design, ResultTable
from windtunnel.statistics import Estimate, estimate, moments
from windtunnel.statistics.significance import ALPHA

SHARE = "mmf_share_pct"
_AXIS = re.compile(r"(?:.+\.)?groups\[(\d+)\]\.algorithm")

Values = Mapping[int, float]  # by seed


@dataclass(frozen=True)
class Share:
    """The share of its max-min fair rate, in percent, that ``algorithm`` gets beside ``against``.

    Mean over the seeds, of both orders of the groups where the grid has both.
    """

    algorithm: str
    against: str
    estimate: Estimate | None


@dataclass(frozen=True)
class Contentiousness:
    """What an algorithm leaves to the others: the mean of their shares beside it, in percent.

    ``rank`` 1 leaves least. Neighbors that can't be told apart (Bonferroni's correction for all
    pairs) share a rank: ``tied``.
    """

    algorithm: str
    rank: int
    tied: bool
    left_to_others: Estimate


@dataclass(frozen=True)
class Coexistence:
    """The shares of one setting, row by row, and the ranking by contentiousness."""

    setting: Mapping[str, str]
    algorithms: tuple[str, ...]
    shares: tuple[Share, ...]
    contentiousness: tuple[Contentiousness, ...]


def share_metrics(design: Design) -> tuple[str, ...]:
    """The metrics that the matrix is made of; empty if the campaign has none."""
    axes = _group_axes(design)
    if axes is None or max(axes) >= len(design.groups):
        return ()
    return tuple(f"{SHARE}:{design.groups[group]}" for group in axes)


def coexistence(table: ResultTable) -> tuple[Coexistence, ...]:
    """The matrix of each setting, if the campaign has two axes of competing algorithms."""
    axes, metrics = _group_axes(table.design), share_metrics(table.design)
    if axes is None or not metrics:
        return ()
    names = [axes[group] for group in axes]
    settings: dict[tuple[tuple[str, str], ...], list[CellResults]] = {}
    for cell in table.cells:
        shared = tuple(
            (axis, cell.coordinates[axis]) for axis in table.design.axes if axis not in names
        )
        settings.setdefault(shared, []).append(cell)
    return tuple(
        _coexistence(dict(setting), _Shares(cells, names, metrics))
        for setting, cells in settings.items()
    )


class _Shares:
    """The values of every pair of algorithms, by seed."""

    def __init__(
        self, cells: Sequence[CellResults], axes: Sequence[str], metrics: Sequence[str]
    ) -> None:
        self._found: dict[tuple[str, str], list[Values]] = {}
        for cell in cells:
            labels = [cell.coordinates[axis] for axis in axes]
            for own, other, metric in ((0, 1, metrics[0]), (1, 0, metrics[1])):
                values = cell.values.get(metric, {})
                if values and len(values) == len(cell.runs):
                    self._found.setdefault((labels[own], labels[other]), []).append(values)
        self.algorithms = tuple(
            dict.fromkeys(cell.coordinates[axis] for axis in axes for cell in cells)
        )

    def of(self, algorithm: str, against: str) -> Values:
        """The mean by seed over the orders of the groups that have all values."""
        return _mean_by_seed(self._found.get((algorithm, against), []))

    def left_by(self, algorithm: str) -> Values:
        """The mean by seed of all others' shares beside it; empty if one is missing."""
        others = [self.of(other, algorithm) for other in self.algorithms if other != algorithm]
        return _mean_by_seed(others) if others and all(others) else {}


def _coexistence(setting: Mapping[str, str], shares: _Shares) -> Coexistence:
    return Coexistence(
        setting=setting,
        algorithms=shares.algorithms,
        shares=tuple(
            Share(algorithm, against, _estimate(shares.of(algorithm, against)))
            for algorithm in shares.algorithms
            for against in shares.algorithms
        ),
        contentiousness=tuple(_ranked(shares)),
    )


def _ranked(shares: _Shares) -> Iterator[Contentiousness]:
    left = {name: values for name in shares.algorithms if (values := shares.left_by(name))}
    order = sorted(left, key=lambda name: sum(left[name].values()) / len(left[name]))
    pairs = len(order) * (len(order) - 1) / 2
    ranks: dict[str, int] = {}
    leader = ""
    for position, name in enumerate(order, 1):
        if not leader or _differ(left[name], left[leader], pairs):
            leader = name
            ranks[name] = position
        else:
            ranks[name] = ranks[leader]
    for name in order:
        result = _estimate(left[name])
        assert result is not None
        tied = list(ranks.values()).count(ranks[name]) > 1
        yield Contentiousness(name, ranks[name], tied, result)


def _differ(x: Values, y: Values, pairs: float) -> bool:
    seeds = [seed for seed in x if seed in y]
    if not seeds:
        return False
    contrast = moments([x[seed] for seed in seeds], [y[seed] for seed in seeds], paired=True)
    p = contrast.contrast().p_two_sided
    return p is not None and p * pairs <= ALPHA


def _mean_by_seed(samples: Sequence[Values]) -> Values:
    if not samples:
        return {}
    seeds = [seed for seed in samples[0] if all(seed in values for values in samples)]
    return {seed: sum(values[seed] for values in samples) / len(samples) for seed in seeds}


def _estimate(values: Values) -> Estimate | None:
    return estimate(list(values.values())) if values else None


def _group_axes(design: Design) -> dict[int, str] | None:
    """The axes of two groups' algorithms by the groups' index; None if there are not two."""
    axes = {int(match[1]): axis for axis in design.axes if (match := _AXIS.fullmatch(axis))}
    return dict(sorted(axes.items())) if len(axes) == 2 else None
