"""Fairness among flows over time, by cell: Jain's index of goodput in every interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.statistics import estimate
from windtunnel.statistics.fairness import in_windows, jain_over_time
from windtunnel.store import record_columns
from windtunnel.store.coordinates import coordinates
from windtunnel.store.flow_fields import FLOW, chosen_cells
from windtunnel.store.series_codec import decompress
from windtunnel.store.tables import Campaign, CampaignRun, SeriesRow

MAX_CELLS = 50
MAX_POINTS = 2000
_OF_FLOWS = "goodput flow"  # begins the names of the flows' own series
_ROWS_AT_ONCE = 20
_NEEDED = "{probe: goodput, at: flows, step: 100ms}"
_NS_PER_S = 1e9

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FairnessPoint:
    """At the end of an interval: the mean over seeds with its 95 % interval, None for one seed.

    ``seeds`` had at least two flows then.
    """

    time_s: float
    mean: float
    ci95: tuple[float, float] | None
    seeds: int


@dataclass(frozen=True)
class CellFairness:
    cell: int
    coordinates: Mapping[str, str]
    points: Sequence[FairnessPoint]


@dataclass(frozen=True)
class Fairness:
    """``window_s`` is the length of an interval; 0 without a cell that has points."""

    window_s: float
    cells: Sequence[CellFairness]


@dataclass(frozen=True)
class _Rates:
    """Goodput of a run's flows. ``rates``: shape (flows, intervals), ending at ``ends_ns``."""

    rates: _Floats
    active: NDArray[np.bool_]
    ends_ns: _Floats
    step_ns: int


def fairness(
    session: Session, campaign: Campaign, window_ns: int | None, cells: Sequence[int]
) -> Fairness:
    """Of these cells, or of the first MAX_CELLS.

    ``window_ns`` is the length of the intervals, the series' own step if None. Raises
    InvalidRequestError for an unknown cell, a window that is no multiple of the step, too many
    intervals, or runs without the flows' goodput.
    """
    chosen = chosen_cells(session, campaign, cells, MAX_CELLS)
    shown, window = [], 0
    for cell, runs in _runs(session, campaign, list(chosen)):
        indices: dict[float, list[float]] = {}
        for run in runs:
            window = window_ns or run.step_ns
            for time, index in _over_time(run, window):
                indices.setdefault(time, []).append(index)
        points = [_point(time, indices[time]) for time in sorted(indices)]
        shown.append(CellFairness(cell, coordinates(campaign, chosen[cell]), points))
    if not shown and chosen:
        message = "no finished run has the goodput of its flows; add to the campaign's series: "
        raise InvalidRequestError([Problem("series", message + _NEEDED)])
    return Fairness(window / _NS_PER_S, shown)


def _point(time: float, indices: Sequence[float]) -> FairnessPoint:
    over_seeds = estimate(indices)
    return FairnessPoint(time, over_seeds.mean, over_seeds.ci95, over_seeds.n)


def _over_time(run: _Rates, window_ns: int) -> list[tuple[float, float]]:
    """End of every interval with at least two active flows, in seconds, and the index in it."""
    if window_ns % run.step_ns:
        step = f"{run.step_ns / _NS_PER_S:g} s"
        message = f"{window_ns / _NS_PER_S:g} s is not a multiple of the series' step, {step}"
        raise InvalidRequestError([Problem("query.window_ms", message)])
    samples = window_ns // run.step_ns
    rates = in_windows(run.rates, samples)
    if rates.shape[1] > MAX_POINTS:
        shortest = math.ceil(run.rates.shape[1] / MAX_POINTS) * run.step_ns / 1e6
        message = f"{rates.shape[1]} intervals; at most {MAX_POINTS} are returned: use at least "
        raise InvalidRequestError([Problem("query.window_ms", f"{message}{shortest:g}")])
    # A flow counts in windows in all of which it was active.
    active = in_windows(run.active.astype(np.float64), samples) == 1
    index = jain_over_time(rates, active)
    ends = run.ends_ns[samples - 1 :: samples][: rates.shape[1]] / _NS_PER_S
    known = np.isfinite(index)
    return list(zip(ends[known].tolist(), index[known].tolist(), strict=True))


def _runs(
    session: Session, campaign: Campaign, cells: Sequence[int]
) -> Iterator[tuple[int, Iterator[_Rates]]]:
    """Each cell with flows' goodput, and that of its runs. Holds one run at a time."""
    query = (
        select(CampaignRun.cell_index, SeriesRow)
        .join(SeriesRow, SeriesRow.run_id == CampaignRun.run_id)
        .where(
            CampaignRun.campaign_id == campaign.id,
            CampaignRun.cell_index.in_(cells),
            SeriesRow.name.startswith(_OF_FLOWS, autoescape=True),
        )
        .order_by(CampaignRun.cell_index, CampaignRun.seed_index)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    rows = session.execute(query)
    for cell, of_cell in groupby(rows, key=lambda row: row.cell_index):
        by_run = groupby((row.SeriesRow for row in of_cell), key=lambda series: series.run_id)
        yield int(cell), (_rates(session, run_id, list(rows)) for run_id, rows in by_run)


def _rates(session: Session, run_id: str, rows: Sequence[SeriesRow]) -> _Rates:
    """The rates of a run's flows, and when each was active: from its start to its completion."""
    flows = [int(row.name.removeprefix(_OF_FLOWS)) for row in rows]
    first, step = rows[0].first_ns, rows[0].step_ns
    rates = np.array([decompress(row.data) for row in rows], dtype=np.float64)
    ends = first + step * np.arange(rates.shape[1], dtype=np.float64)
    records = {record["flow"]: record for record in record_columns.load(session, run_id, FLOW)}
    active = np.array([_active(records.get(flow, {}), ends, step) for flow in flows])
    return _Rates(rates, active, ends, step)


def _active(record: Mapping[str, object], ends: _Floats, step_ns: int) -> NDArray[np.bool_]:
    """Whether a flow has started before an interval and not completed before its end."""
    start, duration = record.get("start_ns"), record.get("fct_ms")
    begin = float(start) if isinstance(start, int | float) else 0.0
    end = begin + duration * 1e6 if isinstance(duration, int | float) else math.inf
    return (ends - step_ns >= begin) & (ends <= end)
