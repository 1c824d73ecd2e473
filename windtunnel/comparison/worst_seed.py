"""The seed of a gate's cell that speaks most against its condition: the one to look at first."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.comparison.pairs import Pair, comparable_values
from windtunnel.comparison.table import CellResults
from windtunnel.spec.conditions import Condition, Kind
from windtunnel.spec.description import Metric
from windtunnel.statistics.contrasts import mean_of


@dataclass(frozen=True)
class WorstSeed:
    """A seed with the id of the cell's run."""

    seed: int
    run: str


def worst_seed(
    cell: CellResults, pair: Pair | None, metric: Metric, condition: Condition
) -> WorstSeed | None:
    """By difference if paired, else by value. None without values."""
    values = comparable_values(cell, metric)
    changes = dict(values)
    if pair is not None:
        other = comparable_values(pair.other, metric)
        if pair.same_traffic:
            changes = {seed: values[seed] - other[seed] for seed in values if seed in other}
        elif other:
            mean = mean_of(list(other.values()))
            changes = {seed: value - mean for seed, value in values.items()}
    if not changes:
        return None
    seed = max(changes, key=lambda seed: _badness(changes[seed], metric.direction, condition))
    return WorstSeed(seed, cell.runs[seed].id)


def _badness(change: float, direction: str, condition: Condition) -> float:
    match condition.kind:
        case Kind.EQUIVALENT:
            return abs(change)
        case Kind.AT_MOST:
            return change
        case Kind.AT_LEAST:
            return -change
    return change if direction == "lower" else -change
