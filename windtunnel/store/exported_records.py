"""Flow records and packet delays of a campaign's runs for exports, from their stored columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError
from windtunnel.exports.columns import (
    CELL,
    FLOW,
    PACKET_DELAYS,
    RUN,
    SEED,
    AxisColumn,
    Column,
    ColumnType,
    free_name,
)
from windtunnel.exports.table import ExportedTable, Place
from windtunnel.run import RunState
from windtunnel.store.database import Database
from windtunnel.store.exports import Snapshot, batches, check_present
from windtunnel.store.record_columns import FLOW_KIND, PACKET_DELAY_KIND, column_values
from windtunnel.store.tables import Campaign, CampaignRun, RecordColumn, Run

_NUMBER_FIELD = FLOW.name
_TYPES: dict[str, ColumnType] = {
    "integer": "int64",
    "number": "float64",
    "boolean": "bool",
    "text": "text",
}

Fields = dict[str, ColumnType]  # by name, in the records' order


def record_fields(session: Session, campaign: Campaign, snapshot: Snapshot, kind: str) -> Fields:
    """Fields that any run's records of this kind have, with the type that fits all values.

    Raises ConflictError if runs have finished and none has such records.
    """
    # A field without a value in a whole run is stored as JSON: it fits any type.
    has_json = case(
        (
            RecordColumn.value_type == "json",
            func.cardinality(func.array_remove(RecordColumn.texts, None)) > 0,
        ),
        else_=False,
    )
    query = (
        select(
            RecordColumn.name,
            func.array_agg(RecordColumn.value_type.distinct()),
            func.bool_or(has_json),
        )
        .join(CampaignRun, CampaignRun.run_id == RecordColumn.run_id)
        .join(Run, Run.id == CampaignRun.run_id)
        .where(
            CampaignRun.campaign_id == campaign.id,
            RecordColumn.kind == kind,
            Run.state == RunState.SUCCEEDED,
        )
        .group_by(RecordColumn.name)
        .order_by(func.min(RecordColumn.position), RecordColumn.name)
    )
    fields = {
        name: _type(set(types), with_json) for name, types, with_json in session.execute(query)
    }
    if snapshot.places and not fields:
        noun = "flow records" if kind == FLOW_KIND else "packet delays"
        raise ConflictError(f"the runs of this campaign have no {noun}: its simulator reports none")
    return fields


def _type(stored: set[str], with_json: bool) -> ColumnType:
    """A mixture is text: JSON, but for what is text already. Without any value a number."""
    if with_json:
        return "text"
    stored = stored - {"json"}
    if stored <= {"integer", "number"}:
        return "int64" if stored == {"integer"} else "float64"
    return _TYPES[stored.pop()] if len(stored) == 1 else "text"


def flow_columns(fields: Fields, axes: Sequence[AxisColumn]) -> tuple[Column, ...]:
    """``flow``, then each field. A name that is taken gets the suffix ``_field``."""
    taken = {CELL.name, SEED.name, RUN.name, FLOW.name}
    taken |= {axis.column.name for axis in axes} | {axis.unit.name for axis in axes if axis.unit}
    columns = [FLOW]
    for name, kind in _others(fields).items():
        column = Column(free_name(name, taken, "_field"), kind)
        taken.add(column.name)
        columns.append(column)
    return tuple(columns)


def _others(fields: Fields) -> Fields:
    """Fields beside the flow's number."""
    return {
        name: kind for name, kind in fields.items() if name != _NUMBER_FIELD or kind != FLOW.type
    }


def flow_batches(
    database: Database, table: ExportedTable, places: Sequence[Place], fields: Fields
) -> Iterator[pa.RecordBatch]:
    """One row per flow. ``flow`` is its number in the records, else its place among them."""
    others = _others(fields)
    for batch, runs in _read(database, places, FLOW_KIND, list(fields)):
        counts = [_length(runs.get(place.run, {})) for place in batch]
        numbers: list[int | None] = []
        values: dict[str, list[Any]] = {name: [] for name in others}
        for place, count in zip(batch, counts, strict=True):
            columns = runs.get(place.run, {})
            known = columns.get(_NUMBER_FIELD)
            numbers += column_values(known) if known and known.integers else range(count)
            for name, kind in others.items():
                values[name] += _converted(columns.get(name), kind, count)
        yield table.batch(batch, counts, [numbers, *values.values()])


def packet_delay_batches(
    database: Database, table: ExportedTable, places: Sequence[Place]
) -> Iterator[pa.RecordBatch]:
    """One row per range of delays."""
    names = [column.name for column in PACKET_DELAYS]
    for batch, runs in _read(database, places, PACKET_DELAY_KIND, names):
        counts = [_length(runs.get(place.run, {})) for place in batch]
        own: list[list[Any]] = []
        for name in names:
            values: list[Any] = []
            for place, count in zip(batch, counts, strict=True):
                values += _converted(runs.get(place.run, {}).get(name), "int64", count)
            own.append(values)
        yield table.batch(batch, counts, own)


def _read(
    database: Database, places: Sequence[Place], kind: str, names: Sequence[str]
) -> Iterator[tuple[list[Place], dict[str, dict[str, RecordColumn]]]]:
    """Runs with their columns by run and field. Raises NotFoundError if a run was deleted."""
    for batch in batches(places):
        runs: dict[str, dict[str, RecordColumn]] = {}
        query = select(RecordColumn).where(
            RecordColumn.run_id.in_([place.run for place in batch]),
            RecordColumn.kind == kind,
            RecordColumn.name.in_(names),
        )
        with database.transaction() as session:
            for column in session.scalars(query):
                runs.setdefault(column.run_id, {})[column.name] = column
            check_present(session, batch)
        yield batch, runs


def _length(columns: dict[str, RecordColumn]) -> int:
    return max((len(column_values(column)) for column in columns.values()), default=0)


def _converted(column: RecordColumn | None, kind: ColumnType, count: int) -> list[Any]:
    """A run's values for a column of this type; null where it has none."""
    if column is None:
        return [None] * count
    values = column_values(column)
    if kind == "float64":
        return [None if value is None else float(value) for value in values]
    if kind == "text" and column.value_type not in ("text", "json"):
        return [None if value is None else json.dumps(value) for value in values]
    return list(values)
