"""Percentiles over flows by cell: pooled over its seeds, and seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from windtunnel.statistics import Estimate, estimate
from windtunnel.statistics.percentiles import flows_needed, percentiles
from windtunnel.store.coordinates import coordinates
from windtunnel.store.flow_fields import PACKET_DELAY, Field, choose_field, chosen_cells, fields_of
from windtunnel.store.flow_values import FlowValues, flow_values, is_deterministic
from windtunnel.store.tables import Campaign

MAX_CELLS = 500
DEFAULT_PERCENTILES = (50.0, 95.0, 99.0)


@dataclass(frozen=True)
class FlowPercentile:
    """One percentile of one cell.

    ``pooled`` is over the flows of all seeds; ``by_seed`` the mean of the seeds' own percentiles.
    ``is_extreme``: some seed has so few flows that its percentile is its largest or smallest value.
    """

    percent: float
    pooled: float
    by_seed: Estimate
    is_extreme: bool


@dataclass(frozen=True)
class CellPercentiles:
    """``n_missing`` flows have the field without a value and are not in ``n_values``.

    Seeds that all gave the same records count as one.

    ``fewest`` is the number of values of the seed that has fewest. No percentiles without values.
    """

    cell: int
    coordinates: Mapping[str, str]
    n_values: int
    n_missing: int
    n_seeds: int
    fewest: int
    percentiles: Sequence[FlowPercentile]


@dataclass(frozen=True)
class FlowPercentiles:
    """Percentiles of a field over the flows of each cell. ``notes`` say how to read them."""

    field: str
    title: str
    unit: str
    available: Sequence[Field]
    cells: Sequence[CellPercentiles]
    notes: Sequence[str]


def flow_percentiles(
    session: Session,
    campaign: Campaign,
    field: str | None,
    percents: Sequence[float],
    cells: Sequence[int],
) -> FlowPercentiles:
    """Of these cells, or of the first MAX_CELLS.

    Raises InvalidRequestError for a field that none of them has, or an unknown cell.
    """
    chosen = chosen_cells(session, campaign, cells, MAX_CELLS)
    fields = fields_of(session, campaign, list(chosen))
    available = [each for each in fields if each != PACKET_DELAY]
    shown = choose_field(field, available)
    values = flow_values(session, campaign, list(chosen), shown.name)
    # One cell at a time is held.
    by_cell = {cell: _summary(runs, sorted(set(percents))) for cell, runs in values}
    summaries = [
        CellPercentiles(
            index, coordinates(campaign, value_indices), *by_cell.get(index, (0, 0, 0, 0, ()))
        )
        for index, value_indices in chosen.items()
    ]
    notes = _notes(summaries)
    return FlowPercentiles(shown.name, shown.title, shown.unit, available, summaries, notes)


_POOLED = (
    "pooled: over the flows of all seeds, each with the same weight; without an interval, as flows "
    "of one run are not independent"
)
_BY_SEED = (
    "by seed: mean of the seeds' own percentiles with its 95 % interval; seeds are independent"
)

_Summary = tuple[int, int, int, int, Sequence[FlowPercentile]]


def _summary(runs: Sequence[FlowValues], percents: Sequence[float]) -> _Summary:
    """What CellPercentiles has of the runs of a cell, in its order."""
    if is_deterministic([run.digest for run in runs]):
        runs = runs[:1]
    samples = [run.values for run in runs if len(run.values)]
    n_missing = sum(run.n_missing for run in runs)
    if not samples:
        return 0, n_missing, len(runs), 0, ()
    pooled = np.concatenate(samples)
    fewest = min(len(run.values) for run in runs)
    by_seed = [percentiles(sample, percents) for sample in samples]
    shown = [
        FlowPercentile(
            percent, value, estimate(of_seeds), percent < 100 and fewest < flows_needed(percent)
        )
        for percent, value, of_seeds in zip(
            percents, percentiles(pooled, percents), zip(*by_seed, strict=True), strict=True
        )
    ]
    return len(pooled), n_missing, len(runs), fewest, shown


def _notes(cells: Sequence[CellPercentiles]) -> list[str]:
    shown = [cell for cell in cells if cell.percentiles]
    if not shown:
        return ["no finished run has values of this field"]
    notes = [_POOLED, _BY_SEED]
    percents = sorted({each.percent for cell in shown for each in cell.percentiles})
    for percent in percents:
        few = [
            cell
            for cell in shown
            if any(each.percent == percent and each.is_extreme for each in cell.percentiles)
        ]
        if few:
            fewest = min(cell.fewest for cell in few)
            end = "largest" if percent > 50 else "smallest" if percent < 50 else "outermost"
            notes.append(
                f"p{percent:g} needs at least {flows_needed(percent)} flows a seed: in "
                f"{len(few)} of {len(shown)} cells a seed has fewer (down to {fewest}), so that "
                f"its percentile is its {end} value and the pooled figure says more"
            )
    missing = sum(cell.n_missing for cell in cells)
    if missing:
        notes.append(
            f"{missing} flows have no value, such as unfinished transfers, and are left out"
        )
    return notes
