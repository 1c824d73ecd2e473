"""Exports: what a request asks for, as a stream of bytes.

Needs pyarrow: imported with the first export, so that the service starts without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from sqlalchemy.orm import Session

from windtunnel.exports import ExportRequest, FileFormat, Origin, Table, columns
from windtunnel.exports.comparison_rows import comparison_batches
from windtunnel.exports.csv_file import csv_file
from windtunnel.exports.json_file import json_file
from windtunnel.exports.parquet_file import parquet_file
from windtunnel.exports.table import ExportedTable
from windtunnel.store import exported_records, exported_series, exports, results
from windtunnel.store.database import Database
from windtunnel.store.tables import Campaign
from windtunnel_api.comparisons import Comparisons, View

Chunks = Iterator[bytes]
_WRITERS: dict[FileFormat, Callable[[ExportedTable, Iterable[pa.RecordBatch]], Chunks]] = {
    FileFormat.CSV: csv_file,
    FileFormat.PARQUET: parquet_file,
    FileFormat.JSON: json_file,
}


@dataclass(frozen=True)
class Export:
    """A file that can be made. ``open`` begins to make it; it reads in transactions of its own."""

    origin: Origin
    etag: str
    open: Callable[[], Chunks]


def prepare(
    session: Session,
    database: Database,
    comparisons: Comparisons,
    campaign: Campaign,
    request: ExportRequest,
) -> Export:
    """Check the request and read which runs have finished.

    Raises SpecError for an unknown metric or series, ConflictError or PrunedError if the runs have
    nothing of what is asked for.
    """
    versions = results.cell_versions(session, campaign.id)
    of_series = request.table is Table.SERIES
    snapshot = exports.snapshot(session, campaign, request.table, of_series)
    identity = [campaign.id, repr(request), repr(versions), json.dumps(snapshot.origin.record())]
    etag = f'"{hashlib.sha256("|".join(identity).encode()).hexdigest()[:32]}"'
    source = _source(session, database, comparisons, campaign, request, snapshot)
    return Export(snapshot.origin, etag, source)


def _source(
    session: Session,
    database: Database,
    comparisons: Comparisons,
    campaign: Campaign,
    request: ExportRequest,
    snapshot: exports.Snapshot,
) -> Callable[[], Chunks]:
    axes = columns.axis_columns(campaign.axes)
    places = snapshot.places
    write = _WRITERS[request.format]
    if request.table is Table.COMPARISON:
        view = View(request.metrics, only_default=False, with_incomplete=False)
        comparison = json.loads(comparisons.get(session, campaign, view).body)
        cells = exports.cell_places(session, campaign)
        table = ExportedTable(snapshot.origin, axes, columns.COMPARISON, of_runs=False)
        return lambda: write(table, comparison_batches(table, cells, comparison))
    if request.table is Table.RUNS:
        metrics = exports.metric_order(session, campaign, request.metrics)
        table = ExportedTable(snapshot.origin, axes, columns.RUNS)
        return lambda: write(table, exports.metric_batches(database, table, places, metrics))
    if request.table is Table.SERIES:
        exported_series.check_series(session, campaign, snapshot, request.series)
        names = request.series
        table = ExportedTable(snapshot.origin, axes, columns.SERIES)
        return lambda: write(table, exported_series.series_batches(database, table, places, names))
    if request.table is Table.FLOWS:
        kind = exported_records.FLOW_KIND
        fields = exported_records.record_fields(session, campaign, snapshot, kind)
        own = exported_records.flow_columns(fields, axes)
        table = ExportedTable(snapshot.origin, axes, own)
        return lambda: write(table, exported_records.flow_batches(database, table, places, fields))
    kind = exported_records.PACKET_DELAY_KIND
    exported_records.record_fields(session, campaign, snapshot, kind)
    table = ExportedTable(snapshot.origin, axes, columns.PACKET_DELAYS)
    return lambda: write(table, exported_records.packet_delay_batches(database, table, places))
