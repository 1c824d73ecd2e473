"""Time series of a campaign's runs for exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from sqlalchemy import func, select, true, tuple_
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError, InvalidRequestError, Problem, PrunedError, quoted
from windtunnel.exports.table import ExportedTable, Place
from windtunnel.store.database import Database
from windtunnel.store.exports import BYTES_AT_ONCE, Snapshot, batches, check_present
from windtunnel.store.series_codec import decompress
from windtunnel.store.tables import Campaign, CampaignRun, SeriesRow
from windtunnel.suggestions import nearest

_ROWS_AT_ONCE = 2**16
_SERIES_AT_ONCE = 1000
_MAX_LISTED = 20

Key = tuple[Place, str, int]  # run, name, bytes


@dataclass(frozen=True)
class RunSeries:
    """A series of one run; value i belongs to ``first_ns + i * step_ns``."""

    place: Place
    name: str
    unit: str
    first_ns: int
    step_ns: int
    values: np.ndarray[Any, np.dtype[np.float32]]

    def seconds(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        times: np.ndarray[Any, np.dtype[np.float64]] = (
            self.first_ns + self.step_ns * np.arange(len(self.values), dtype=np.int64)
        ) / 1e9
        return times


def check_series(
    session: Session, campaign: Campaign, snapshot: Snapshot, names: Sequence[str]
) -> None:
    """Raises InvalidRequestError for an unknown name, PrunedError or ConflictError without any."""
    if not snapshot.places:
        return
    known = series_names(session, campaign)
    if not known and snapshot.origin.without_series:
        message = (
            "the time series of this campaign's runs were pruned; its metrics and records are kept"
        )
        raise PrunedError(message)
    if not known:
        message = (
            "the runs of this campaign have no time series; ask for some under 'series:' of the "
            "scenario in the campaign file"
        )
        raise ConflictError(message)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InvalidRequestError(
            [Problem("query.series", _unknown_series(name, known)) for name in unknown]
        )


def with_series(
    session: Session, campaign: Campaign, snapshot: Snapshot, required: Callable[[str], bool]
) -> Snapshot:
    """Only the runs with a series that is required; the others count as without series."""
    names = [name for name in series_names(session, campaign) if required(name)]
    query = (
        select(SeriesRow.run_id)
        .join(CampaignRun, CampaignRun.run_id == SeriesRow.run_id)
        .where(CampaignRun.campaign_id == campaign.id, SeriesRow.name.in_(names))
    )
    runs = set(session.scalars(query.distinct()))
    places = tuple(place for place in snapshot.places if place.run in runs)
    missing = len(snapshot.places) - len(places)
    return Snapshot(replace(snapshot.origin, without_series=missing), places)


def _unknown_series(name: str, known: Sequence[str]) -> str:
    more = f", ... ({len(known)} in all)" if len(known) > _MAX_LISTED else ""
    listed = ", ".join(known[:_MAX_LISTED]) + more
    return f"{quoted(name)} is not a series of this campaign" + (
        nearest(name, known) or f"; known: {listed}"
    )


def series_names(session: Session, campaign: Campaign) -> list[str]:
    """Names of all series that the campaign's runs have."""
    query = (
        select(SeriesRow.name)
        .join(CampaignRun, CampaignRun.run_id == SeriesRow.run_id)
        .where(CampaignRun.campaign_id == campaign.id)
        .distinct()
    )
    return list(session.scalars(query.order_by(SeriesRow.name)))


def series_batches(
    database: Database, table: ExportedTable, places: Sequence[Place], names: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """One row per sample."""
    waiting: list[RunSeries] = []
    rows = 0
    for part in _parts(read_series(database, places, names)):
        if waiting and rows + len(part.values) > _ROWS_AT_ONCE:
            yield _batch(table, waiting)
            waiting, rows = [], 0
        waiting.append(part)
        rows += len(part.values)
    if waiting:
        yield _batch(table, waiting)


def read_series(
    database: Database, places: Sequence[Place], names: Sequence[str]
) -> Iterator[RunSeries]:
    """The named series of these runs in that order, or all by name.

    Raises NotFoundError or PrunedError if some were removed meanwhile.
    """
    for batch in batches(places, of_series=True):
        for keys in _groups(_keys(database, batch, names)):
            pairs = [(place.run, name) for place, name, _ in keys]
            with database.transaction() as session:
                query = select(SeriesRow).where(tuple_(SeriesRow.run_id, SeriesRow.name).in_(pairs))
                rows = {(row.run_id, row.name): row for row in session.scalars(query)}
                check_present(session, batch, of_series=True)
            for place, name, _ in keys:
                row = rows[place.run, name]
                yield RunSeries(
                    place, name, row.unit, row.first_ns, row.step_ns, decompress(row.data)
                )


def _keys(database: Database, batch: Sequence[Place], names: Sequence[str]) -> list[Key]:
    query = select(SeriesRow.run_id, SeriesRow.name, func.octet_length(SeriesRow.data)).where(
        SeriesRow.run_id.in_([place.run for place in batch]),
        SeriesRow.name.in_(names) if names else true(),
    )
    by_run: dict[str, list[tuple[str, int]]] = {}
    with database.transaction() as session:
        for run, name, size in session.execute(query.order_by(SeriesRow.name)):
            by_run.setdefault(run, []).append((name, size))
    order = {name: number for number, name in enumerate(names)}
    return [
        (place, name, size)
        for place in batch
        for name, size in sorted(
            by_run.get(place.run, ()), key=lambda entry: order.get(entry[0], 0)
        )
    ]


def _groups(keys: Iterable[Key]) -> Iterator[list[Key]]:
    """Series that are read at once."""
    group: list[Key] = []
    size = 0
    for key in keys:
        if group and (size + key[2] > BYTES_AT_ONCE or len(group) == _SERIES_AT_ONCE):
            yield group
            group, size = [], 0
        group.append(key)
        size += key[2]
    if group:
        yield group


def _parts(series: Iterable[RunSeries]) -> Iterator[RunSeries]:
    """The same samples in series that are no longer than a batch."""
    for each in series:
        for start in range(0, len(each.values), _ROWS_AT_ONCE):
            yield replace(
                each,
                first_ns=each.first_ns + start * each.step_ns,
                values=each.values[start : start + _ROWS_AT_ONCE],
            )


def _batch(table: ExportedTable, parts: Sequence[RunSeries]) -> pa.RecordBatch:
    rows = [len(part.values) for part in parts]
    repeated = np.repeat(np.arange(len(parts)), rows)
    own: list[pa.Array[Any]] = [
        pa.array([part.name for part in parts], pa.string()).take(repeated),
        pa.array([part.unit for part in parts], pa.string()).take(repeated),
        pa.array(np.concatenate([part.seconds() for part in parts])),
        pa.array(np.concatenate([part.values for part in parts]).astype(np.float32)),
    ]
    return table.batch([part.place for part in parts], rows, own)
