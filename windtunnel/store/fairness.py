"""Fairness among flows over time, by cell: Jain's index of goodput in every interval."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.statistics import estimate
from windtunnel.statistics.fairness import in_windows, jain_over_time
from windtunnel.store import record_columns
from windtunnel.store.coordinates import coordinates
from windtunnel.store.flow_fields import chosen_cells
from windtunnel.store.flow_values import is_deterministic
from windtunnel.store.series_codec import decompress
from windtunnel.store.tables import Campaign, CampaignRun, Run, SeriesRow

MAX_CELLS = 50
MAX_POINTS = 2000
_OF_FLOW = "goodput flow([0-9]{1,9})"  # the name of a flow's own series
_ROWS_AT_ONCE = 20
_ONE_STEP = "record the goodput of all flows with one series: {probe: goodput, at: flows}"
_NEEDED = "{probe: goodput, at: flows, step: 100ms}"
_NS_PER_S = 1e9

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FairnessPoint:
    """At the end of an interval: the mean over seeds with its 95 % interval, None for one seed.

    ``seeds`` had at least two flows then; seeds that all gave the same records count as one.
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
    """``window_s`` is the length of an interval. ``notes`` say which flows are not counted."""

    window_s: float
    cells: Sequence[CellFairness]
    notes: Sequence[str]


@dataclass(frozen=True)
class _Rates:
    """Goodput of a run's flows. ``rates``: shape (flows, intervals), ending at ``ends_ns``."""

    rates: _Floats
    active: NDArray[np.bool_]
    ends_ns: _Floats
    step_ns: int
    flows: int
    digest: str | None


def fairness(
    session: Session, campaign: Campaign, window_ns: int | None, cells: Sequence[int]
) -> Fairness:
    """Of these cells, or of the first MAX_CELLS.

    ``window_ns`` is the length of the intervals, the series' own step if None. Raises
    InvalidRequestError for an unknown cell, a window that is no multiple of the step, too many
    intervals, or runs without the flows' goodput.
    """
    chosen = chosen_cells(session, campaign, cells, MAX_CELLS)
    shown: list[CellFairness] = []
    steps: set[int] = set()
    n_partial = 0
    for cell, runs in _runs(session, campaign, list(chosen)):
        seeds: list[list[tuple[float, float]]] = []
        digests: list[str | None] = []
        for run in runs:
            steps.add(run.step_ns)
            if len(steps) > 1:
                raise _invalid("window_ms", f"runs have different steps; {_ONE_STEP}")
            seeds.append(_over_time(run, window_ns or run.step_ns))
            digests.append(run.digest)
            n_partial += len(run.rates) < run.flows
        if is_deterministic(digests):
            seeds = seeds[:1]
        indices: dict[float, list[float]] = {}
        for time, index in itertools.chain.from_iterable(seeds):
            indices.setdefault(time, []).append(index)
        points = [_point(time, indices[time]) for time in sorted(indices)]
        shown.append(CellFairness(cell, coordinates(campaign, chosen[cell]), points))
    if not shown and chosen:
        message = "no finished run has the goodput of its flows; add to the campaign's series: "
        raise InvalidRequestError([Problem("series", message + _NEEDED)])
    notes = [f"{n_partial} runs have the goodput of a part of their flows only"] * (n_partial > 0)
    return Fairness((window_ns or max(steps, default=0)) / _NS_PER_S, shown, notes)


def _point(time: float, indices: Sequence[float]) -> FairnessPoint:
    over_seeds = estimate(indices)
    return FairnessPoint(time, over_seeds.mean, over_seeds.ci95, over_seeds.n)


def _over_time(run: _Rates, window_ns: int) -> list[tuple[float, float]]:
    """End of every interval with at least two active flows, in seconds, and the index in it."""
    if window_ns % run.step_ns:
        step = f"{run.step_ns / _NS_PER_S:g} s"
        message = f"{window_ns / _NS_PER_S:g} s is not a multiple of the series' step, {step}"
        raise _invalid("window_ms", message)
    samples = window_ns // run.step_ns
    rates = in_windows(run.rates, samples)
    if rates.shape[1] > MAX_POINTS:
        shortest = math.ceil(run.rates.shape[1] / MAX_POINTS) * run.step_ns / 1e6
        message = f"{rates.shape[1]} intervals; at most {MAX_POINTS} are returned: use at least "
        raise _invalid("window_ms", f"{message}{shortest:g}")
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
        select(CampaignRun.cell_index, SeriesRow, Run.digest)
        .join(SeriesRow, SeriesRow.run_id == CampaignRun.run_id)
        .join(Run, Run.id == CampaignRun.run_id)
        .where(
            CampaignRun.campaign_id == campaign.id,
            CampaignRun.cell_index.in_(cells),
            SeriesRow.name.regexp_match(f"^{_OF_FLOW}$"),
        )
        .order_by(CampaignRun.cell_index, CampaignRun.seed_index)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    rows = session.execute(query)
    for cell, of_cell in groupby(rows, key=lambda row: row.cell_index):
        by_run = groupby(of_cell, key=lambda row: row.SeriesRow.run_id)
        yield int(cell), (_rates(session, run_id, list(series)) for run_id, series in by_run)


def _rates(session: Session, run_id: str, rows: Sequence[Any]) -> _Rates:
    """The rates of a run's flows, and when each was active: from its start to its completion."""
    series: list[SeriesRow] = [row.SeriesRow for row in rows]
    if len({(each.first_ns, each.step_ns, each.length) for each in series}) > 1:
        raise _invalid("window_ms", f"the goodput of flows has different times; {_ONE_STEP}")
    first, step = series[0].first_ns, series[0].step_ns
    rates = np.array([decompress(each.data) for each in series], dtype=np.float64)
    ends = first + step * np.arange(rates.shape[1], dtype=np.float64)
    flows = record_columns.load(session, run_id, record_columns.FLOW_KIND)
    records = {record.get("flow"): record for record in flows}
    numbers = [int(each.name.rpartition("flow")[2]) for each in series]
    active = np.array([_active(records.get(flow, {}), ends, step) for flow in numbers])
    return _Rates(rates, active, ends, step, len(flows), rows[0].digest)


def _invalid(parameter: str, message: str) -> InvalidRequestError:
    return InvalidRequestError([Problem(f"query.{parameter}", message)])


def _active(record: Mapping[str, object], ends: _Floats, step_ns: int) -> NDArray[np.bool_]:
    """Whether a flow has started before an interval and not completed before its end."""
    start, duration = record.get("start_ns"), record.get("fct_ms")
    begin = float(start) if isinstance(start, int | float) else 0.0
    end = begin + duration * 1e6 if isinstance(duration, int | float) else math.inf
    return (ends - step_ns >= begin) & (ends <= end)
