"""Flow and port records by column; lints and limits of campaigns

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSON

from windtunnel.store.record_columns import columns_of

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
        for column in columns_of(records):
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
