"""What exports of a campaign read, in short transactions: none is open while a client reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from windtunnel.comparison import choose_metrics, metric_definitions
from windtunnel.errors import NotFoundError, PrunedError
from windtunnel.exports.origin import Origin
from windtunnel.exports.table import ExportedTable, Place
from windtunnel.run import RunState
from windtunnel.store import results
from windtunnel.store.database import Database
from windtunnel.store.tables import Campaign, CampaignRun, Cell, MetricRow, Run

# A batch has at most so many runs, and so many bytes of the store unless it is a single run's.
_RUNS_AT_ONCE = 200
BYTES_AT_ONCE = 4 * 2**20


@dataclass(frozen=True)
class Snapshot:
    """A campaign's finished runs when the export began, by cell and seed."""

    origin: Origin
    places: tuple[Place, ...]


def snapshot(session: Session, campaign: Campaign, what: str, of_series: bool) -> Snapshot:
    """Reads states and places in one query, so that both are of the same moment."""
    query = (
        select(
            CampaignRun.cell_index,
            CampaignRun.seed_index,
            Run.id,
            Run.state,
            Run.stored_bytes - Run.series_bytes - Run.log_bytes,
            Run.series_bytes,
            Run.series_pruned_at,
            Cell.value_indices,
        )
        .join(Run, Run.id == CampaignRun.run_id)
        .join(
            Cell,
            and_(Cell.campaign_id == CampaignRun.campaign_id, Cell.index == CampaignRun.cell_index),
        )
        .where(CampaignRun.campaign_id == campaign.id)
        .order_by(CampaignRun.cell_index, CampaignRun.seed_index)
    )
    places, states, pruned = [], [], 0
    for cell, seed, run, state, result_bytes, series_bytes, pruned_at, labels in session.execute(
        query
    ):
        states.append(state)
        if state == RunState.SUCCEEDED:
            places.append(Place(cell, tuple(labels), seed, run, result_bytes, series_bytes))
            pruned += pruned_at is not None
    origin = Origin(
        campaign=campaign.id,
        name=campaign.name,
        what=what,
        planned=len(states) + campaign.pruned_runs,
        finished=len(places),
        failed=states.count(RunState.FAILED),
        cancelled=states.count(RunState.CANCELLED) + campaign.pruned_runs,
        without_series=pruned if of_series else 0,
    )
    return Snapshot(origin, tuple(places))


def cell_places(session: Session, campaign: Campaign) -> list[Place]:
    """All cells, of which a comparison has rows."""
    query = select(Cell.index.label("place"), Cell.value_indices)
    query = query.where(Cell.campaign_id == campaign.id).order_by(Cell.index)
    return [Place(row.place, tuple(row.value_indices)) for row in session.execute(query)]


def metric_order(session: Session, campaign: Campaign, names: Sequence[str]) -> list[str]:
    """The metrics to export, in their order: those named, or all that a finished run has.

    Raises SpecError for an unknown metric.
    """
    design = results.design_of(campaign)
    reported = results.reported_metrics(session, campaign.id)
    available = metric_definitions(design, reported)
    if names:
        return [metric.name for metric in choose_metrics(design, available, names)]
    return list(dict.fromkeys([*(metric.name for metric in available), *reported]))


def metric_batches(
    database: Database, table: ExportedTable, places: Sequence[Place], metrics: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Rows of these metrics for each run. Raises NotFoundError if a run was deleted meanwhile."""
    order = {name: number for number, name in enumerate(metrics)}
    for batch in batches(places):
        with database.transaction() as session:
            rows = _metrics(session, batch, order)
            check_present(session, batch)
        of_places = [rows.get(place.run, []) for place in batch]
        flat = [row for of_place in of_places for row in of_place]
        own = [[row[part] for row in flat] for part in (1, 2, 3)]
        yield table.batch(batch, list(map(len, of_places)), own)


def batches(places: Sequence[Place], of_series: bool = False) -> Iterator[list[Place]]:
    """Consecutive runs whose results, or series, are few enough to be read at once."""
    batch: list[Place] = []
    size = 0
    for place in places:
        size += place.series_bytes if of_series else place.result_bytes
        if batch and (size > BYTES_AT_ONCE or len(batch) == _RUNS_AT_ONCE):
            yield batch
            batch, size = [], place.series_bytes if of_series else place.result_bytes
        batch.append(place)
    if batch:
        yield batch


def check_present(session: Session, batch: Sequence[Place], of_series: bool = False) -> None:
    """To be called after reading. Raises NotFoundError or PrunedError if a part is missing."""
    query = select(Run.id, Run.series_bytes).where(
        Run.id.in_([place.run for place in batch]), Run.state == RunState.SUCCEEDED
    )
    present = {row.id: row.series_bytes for row in session.execute(query)}
    for place in batch:
        if place.run not in present:
            raise NotFoundError(f"run {place.run[:12]} was deleted while it was exported")
        if of_series and present[place.run] != place.series_bytes:
            raise PrunedError(f"the series of run {place.run[:12]} were pruned during the export")


def _metrics(
    session: Session, batch: Sequence[Place], order: Mapping[str, int]
) -> dict[str, list[tuple[int, str, float, str]]]:
    """(place in the order, name, value, unit) by run, sorted."""
    # OFFSET 0 prevents PostgreSQL from scanning the metrics of all campaigns for many names.
    of_runs = select(MetricRow).where(MetricRow.run_id.in_([place.run for place in batch]))
    metric = of_runs.offset(0).subquery().c
    query = select(metric.run_id, metric.name, metric.value, metric.unit)
    by_run: dict[str, list[tuple[int, str, float, str]]] = {}
    for run, name, value, unit in session.execute(query.where(metric.name.in_(list(order)))):
        by_run.setdefault(run, []).append((order[name], name, value, unit))
    for rows in by_run.values():
        rows.sort()
    return by_run
