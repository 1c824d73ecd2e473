"""Which cells need more seeds until the interval of a metric is as narrow as asked for.

Stopping when an interval is narrow favors samples that are narrow by chance, so it covers less than
95 %; docs/comparison.md has what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from windtunnel.comparison.pairs import Pair, comparable_values
from windtunnel.comparison.table import CellResults, ResultTable
from windtunnel.spec.description import Metric, find_metric
from windtunnel.spec.replications import DIFFERENCE, Stopping
from windtunnel.statistics import difference, estimate

_MOST_GROWTH = 2  # times the seeds so far, because a width of few seeds says little


def seeds_needed(table: ResultTable, stopping: Stopping) -> dict[int, int]:
    """The number of seeds, by index, of cells that need more than they have.

    A cell that has a failed or cancelled run gets no more. The baseline of a cell gets the same
    seeds, so that they can be paired.
    """
    metric = find_metric(table.design.metrics, stopping.metric)
    if metric is None:
        return {}
    cells = {cell.index: cell for cell in table.cells}
    needed: dict[int, int] = {}
    for cell in table.cells:
        wanted = _wanted(cell, cells, metric, stopping)
        for index in (cell.index, cell.baseline):
            if index is not None and wanted > len(cells[index].runs):
                needed[index] = max(wanted, needed.get(index, 0))
    return needed


def _wanted(
    cell: CellResults, cells: Mapping[int, CellResults], metric: Metric, stopping: Stopping
) -> int:
    """How many seeds a cell should have."""
    n = len(cell.runs)
    width = _relative_half_width(cell, cells, metric, stopping)
    if width is None or width <= stopping.relative_ci:
        return n
    if math.isinf(width):
        return min(stopping.max, _MOST_GROWTH * n)
    estimated = math.ceil(n * (width / stopping.relative_ci) ** 2)
    return min(stopping.max, max(n + 1, min(_MOST_GROWTH * n, estimated)))


def _relative_half_width(
    cell: CellResults, cells: Mapping[int, CellResults], metric: Metric, stopping: Stopping
) -> float | None:
    """None if more seeds can't narrow the interval; infinite without a mean to relate it to."""
    if cell.deterministic or len(comparable_values(cell, metric)) < len(cell.runs):
        return None
    if stopping.of != DIFFERENCE:
        mean = estimate(list(comparable_values(cell, metric).values()))
        if mean.half_width is None:
            return None
        if mean.mean == 0:
            return math.inf if mean.half_width else 0.0
        return abs(mean.half_width / mean.mean)
    if cell.baseline is None or cell.baseline == cell.index:
        return None
    samples = Pair.of(cell, cells[cell.baseline]).samples(metric)
    if samples is None:
        return None
    result = difference(samples)
    if result.half_width is None:
        return None
    return math.inf if result.relative_half_width is None else result.relative_half_width
