"""Flow and port records by column; lints and limits of campaigns

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSON

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ARRAYS = {
    "integers": sa.BigInteger(),
    "numbers": sa.Double(),
    "booleans": sa.Boolean(),
    "texts": sa.Text(),
}


def upgrade() -> None:
    table = op.create_table(
        "record_column",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("value_type", sa.Text(), nullable=False),
        sa.Column("absent", ARRAY(sa.Integer()), nullable=False),
        *(sa.Column(name, ARRAY(type_), nullable=True) for name, type_ in _ARRAYS.items()),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "kind", "name"),
    )
    connection = op.get_bind()
    for (run_id, kind), records in _records(connection):
        for column in _columns_of(records):
            connection.execute(table.insert(), {"run_id": run_id, "kind": kind, **column})
    op.drop_table("detail")
    for name, empty in (("lints", "'[]'"), ("limits", "'{}'")):
        op.add_column(
            "campaign", sa.Column(name, JSON(), server_default=sa.text(empty), nullable=False)
        )


def _records(connection: Any) -> Iterator[tuple[tuple[str, str], list[dict[str, Any]]]]:
    """Records of one kind of one run at a time."""
    runs = connection.scalars(sa.text("SELECT DISTINCT run_id FROM detail")).all()
    query = sa.text("SELECT kind, fields FROM detail WHERE run_id = :run ORDER BY kind, index")
    for run in runs:
        rows = connection.execute(query, {"run": run}).all()
        for kind, group in itertools.groupby(rows, key=lambda row: row.kind):
            yield (run, kind), [row.fields for row in group]


# As windtunnel.store.record_columns has it at this revision.
_FIELDS = {
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "text": "texts",
    "json": "texts",
}


def _columns_of(records: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    for position, name in enumerate(names):
        values = [record.get(name) for record in records]
        value_type = _type_of([value for value in values if value is not None])
        convert = {"json": json.dumps, "number": float}.get(value_type, lambda value: value)
        yield {
            "name": name,
            "position": position,
            "value_type": value_type,
            "absent": [index for index, record in enumerate(records) if name not in record],
            _FIELDS[value_type]: [None if value is None else convert(value) for value in values],
        }


def _type_of(values: Sequence[Any]) -> str:
    kinds = {_kind(value) for value in values}
    if kinds == {"integer", "number"} and all(abs(value) <= 2**53 for value in values):
        return "number"
    return kinds.pop() if len(kinds) == 1 else "json"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if abs(value) < 2**63 else "json"
    if isinstance(value, float):
        return "number"
    return "text" if isinstance(value, str) else "json"
