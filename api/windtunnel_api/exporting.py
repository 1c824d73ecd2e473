"""Exports: what a request asks for, as a stream of bytes.

Needs pyarrow: imported with the first export, so that the service starts without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import pyarrow as pa
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError
from windtunnel.exports import ExportRequest, FileFormat, Origin, Table, columns
from windtunnel.exports.comparison_rows import comparison_batches
from windtunnel.exports.csv_file import csv_file
from windtunnel.exports.flent_file import FlentRun, flent_archive, is_goodput, is_used
from windtunnel.exports.json_file import json_file
from windtunnel.exports.latex_file import latex_file
from windtunnel.exports.markdown_file import markdown_file
from windtunnel.exports.parquet_file import parquet_file
from windtunnel.exports.table import ExportedTable, Place
from windtunnel.store import exported_records, exported_series, exports, record_columns, results
from windtunnel.store.coordinates import coordinates
from windtunnel.store.database import Database
from windtunnel.store.exports import Snapshot
from windtunnel.store.tables import Campaign
from windtunnel_api.comparisons import Comparisons, View

Chunks = Iterator[bytes]
_TABLES: dict[FileFormat, Callable[[ExportedTable, Iterable[pa.RecordBatch]], Chunks]] = {
    FileFormat.CSV: csv_file,
    FileFormat.PARQUET: parquet_file,
    FileFormat.JSON: json_file,
}
_DOCUMENTS = {FileFormat.MARKDOWN: markdown_file, FileFormat.LATEX: latex_file}


@dataclass(frozen=True)
class Export:
    """A file that can be made. ``open`` begins to make it; it reads in transactions of its own."""

    origin: Origin
    etag: str
    open: Callable[[], Chunks]


@dataclass(frozen=True)
class Preparation:
    """Checks a request and reads which runs have finished, in one transaction."""

    session: Session
    database: Database
    comparisons: Comparisons
    campaign: Campaign
    request: ExportRequest

    def prepare(self) -> Export:
        """Raises SpecError for an unknown metric or series.

        Raises ConflictError or PrunedError if the runs have nothing of what is asked for.
        """
        request = self.request
        versions = results.cell_versions(self.session, self.campaign.id)
        of_series = request.table is Table.SERIES
        snapshot = exports.snapshot(self.session, self.campaign, request.table, of_series)
        if request.format is FileFormat.FLENT:
            snapshot, source = self._flent(snapshot)
        elif request.table is Table.COMPARISON:
            source = self._comparison(snapshot.origin)
        else:
            source = self._table(snapshot)
        record = json.dumps(snapshot.origin.record())
        identity = "|".join((self.campaign.id, repr(request), repr(versions), record))
        etag = f'"{hashlib.sha256(identity.encode()).hexdigest()[:32]}"'
        return Export(snapshot.origin, etag, source)

    def _comparison(self, origin: Origin) -> Callable[[], Chunks]:
        """Documents for people show the default metrics unless others are named."""
        document = _DOCUMENTS.get(self.request.format)
        view = View(self.request.metrics, only_default=document is not None, with_incomplete=False)
        body = self.comparisons.get(self.session, self.campaign, view).body
        comparison = json.loads(body)
        if document:
            return partial(document, origin, comparison)
        places = exports.cell_places(self.session, self.campaign)
        table = ExportedTable(origin, self._axes, columns.COMPARISON, of_runs=False)
        return self._written(table, lambda: comparison_batches(table, places, comparison))

    def _table(self, snapshot: Snapshot) -> Callable[[], Chunks]:
        """A table with rows of runs."""
        session, database, campaign = self.session, self.database, self.campaign
        origin, places = snapshot.origin, snapshot.places
        match self.request.table:
            case Table.RUNS:
                names = exports.metric_order(session, campaign, self.request.metrics)
                table = ExportedTable(origin, self._axes, columns.RUNS)
                read = partial(exports.metric_batches, database, table, places, names)
            case Table.SERIES:
                series = self.request.series
                exported_series.check_series(session, campaign, snapshot, series)
                table = ExportedTable(origin, self._axes, columns.SERIES)
                read = partial(exported_series.series_batches, database, table, places, series)
            case Table.FLOWS:
                kind = record_columns.FLOW_KIND
                fields = exported_records.record_fields(session, campaign, snapshot, kind)
                own = exported_records.flow_columns(fields, self._axes)
                table = ExportedTable(origin, self._axes, own)
                read = partial(exported_records.flow_batches, database, table, places, fields)
            case _:
                kind = record_columns.PACKET_DELAY_KIND
                exported_records.record_fields(session, campaign, snapshot, kind)
                table = ExportedTable(origin, self._axes, columns.PACKET_DELAYS)
                read = partial(exported_records.packet_delay_batches, database, table, places)
        return self._written(table, read)

    def _flent(self, snapshot: Snapshot) -> tuple[Snapshot, Callable[[], Chunks]]:
        """Of the runs that record their flows' goodput over time."""
        if not snapshot.places:
            raise ConflictError("no run has finished yet, and Flent's files are one per run")
        session, campaign = self.session, self.campaign
        names = [name for name in exported_series.series_names(session, campaign) if is_used(name)]
        if not any(map(is_goodput, names)):
            raise ConflictError(_NO_GOODPUT)
        snapshot = exported_series.with_series(session, campaign, snapshot, is_goodput)
        read = partial(exported_series.read_series, self.database, snapshot.places, names)
        return snapshot, lambda: flent_archive(
            snapshot.origin, campaign.created_at, _flent_runs(campaign, read())
        )

    @property
    def _axes(self) -> tuple[columns.AxisColumn, ...]:
        return columns.axis_columns(self.campaign.axes)

    def _written(
        self, table: ExportedTable, read: Callable[[], Iterator[pa.RecordBatch]]
    ) -> Callable[[], Chunks]:
        write = _TABLES[self.request.format]
        return lambda: write(table, read())


_NO_GOODPUT = (
    "Flent's files are about the goodput of each flow over time, which the runs of this campaign "
    "did not record, or which was pruned; add 'series: [{probe: goodput, at: flows}]' to the "
    "scenario in the campaign file, and {probe: rtt, at: flows} for round-trip times"
)


def _flent_runs(
    campaign: Campaign, series: Iterator[exported_series.RunSeries]
) -> Iterator[FlentRun]:
    """Consecutive series of a run together."""

    def place_of(each: exported_series.RunSeries) -> Place:
        return each.place

    for place, of_run in groupby(series, key=place_of):
        labels = coordinates(campaign, place.value_indices)
        points = {
            each.name: (each.seconds().tolist(), [round(v, 6) for v in each.values.tolist()])
            for each in of_run
        }
        yield FlentRun(place.cell, place.seed, place.run, labels, points)
