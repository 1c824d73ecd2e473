"""Flow and port records and packet delays by column: one array per field and run.

A figure over many runs (the distribution of completion times, say) reads one array per run instead
of parsing every record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from windtunnel.store.tables import RecordColumn

Record = Mapping[str, Any]

FLOW_KIND, PACKET_DELAY_KIND = "flow", "packet_delay"

_LARGEST_INTEGER = 2**63 - 1
_LARGEST_EXACT = 2**53  # a double is a whole number exactly up to here


def columns_of(records: Sequence[Record]) -> list[dict[str, Any]]:
    """The columns of records, in the order in which their fields first appear.

    Each has ``name``, ``position``, ``value_type``, ``absent`` (indices of records without the
    field) and one of ``integers``, ``numbers``, ``booleans`` and ``texts``, with an entry per
    record, null where it has none.
    """
    names = dict.fromkeys(name for record in records for name in record)
    columns = []
    for position, name in enumerate(names):
        values = [record.get(name) for record in records]
        value_type = _type_of(values)
        if value_type == "json":
            values = [None if value is None else json.dumps(value) for value in values]
        elif value_type == "number":  # PostgreSQL takes no whole numbers among them
            values = [None if value is None else float(value) for value in values]
        columns.append(
            {
                "name": name,
                "position": position,
                "value_type": value_type,
                "absent": [index for index, record in enumerate(records) if name not in record],
                _ARRAYS[value_type]: values,
            }
        )
    return columns


def column_values(column: RecordColumn) -> list[Any]:
    """The column's array: an entry per record, of type ``json`` as text."""
    values: list[Any] = getattr(column, _ARRAYS[column.value_type])
    return values


def records_of(columns: Iterable[RecordColumn]) -> list[dict[str, Any]]:
    """The records that columns were made from."""
    records: list[dict[str, Any]] = []
    for column in sorted(columns, key=lambda column: column.position):
        values = column_values(column)
        if column.value_type == "json":
            values = [None if value is None else json.loads(value) for value in values]
        if not records:
            records = [{} for _ in values]
        absent = set(column.absent)
        for index, value in enumerate(values):
            if index not in absent:
                records[index][column.name] = value
    return records


def store(session: Session, run_id: str, kind: str, records: Sequence[Record]) -> None:
    """Store the records of a run: ``flow``, ``port`` or ``packet_delay``."""
    for column in columns_of(records):
        session.execute(insert(RecordColumn).values(run_id=run_id, kind=kind, **column))


def load(session: Session, run_id: str, kind: str) -> list[dict[str, Any]]:
    """A run's ``flow``, ``port`` or ``packet_delay`` records, in the simulator's order."""
    query = select(RecordColumn).where(RecordColumn.run_id == run_id, RecordColumn.kind == kind)
    return records_of(session.scalars(query))


def values_by_run(
    session: Session, run_ids: Sequence[str], kind: str, name: str
) -> dict[str, list[Any]]:
    """One field in each of these runs that has it, by run; null where a record has none."""
    query = select(RecordColumn).where(
        RecordColumn.run_id.in_(run_ids), RecordColumn.kind == kind, RecordColumn.name == name
    )
    return {column.run_id: column_values(column) for column in session.scalars(query)}


_ARRAYS = {
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "text": "texts",
    "json": "texts",
}


def _type_of(values: Iterable[Any]) -> str:
    values = [value for value in values if value is not None]
    kinds = {_kind(value) for value in values}
    if kinds == {"integer", "number"} and all(abs(value) <= _LARGEST_EXACT for value in values):
        return "number"
    return kinds.pop() if len(kinds) == 1 else "json"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if abs(value) <= _LARGEST_INTEGER else "json"
    if isinstance(value, float):
        return "number"
    return "text" if isinstance(value, str) else "json"
