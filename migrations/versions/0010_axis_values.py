"""Labels of axes are stored once for each campaign, and cells refer to them

Revision ID: 0010
Revises: 0009
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_CAMPAIGNS = sa.text("SELECT id, axes FROM campaign")
_SET_AXES = sa.text("UPDATE campaign SET axes = :axes WHERE id = :id")


def axes_of(names: Sequence[str], cells: Iterable[dict[str, str]]) -> list[dict[str, Any]]:
    """Name and labels of each axis: the grid has them in their order."""
    labels: dict[str, dict[str, None]] = {name: {} for name in names}
    for coordinates in cells:
        for name in names:
            labels[name][coordinates[name]] = None
    return [{"name": name, "labels": list(labels[name])} for name in names]


def upgrade() -> None:
    op.add_column("cell", sa.Column("value_indices", postgresql.ARRAY(sa.Integer())))
    connection = op.get_bind()
    query = sa.text(
        "SELECT cell_index, coordinates FROM cell WHERE campaign_id = :id ORDER BY cell_index"
    )
    update = sa.text(
        "UPDATE cell SET value_indices = :indices WHERE campaign_id = :id AND cell_index = :cell"
    )
    for campaign in connection.execute(_CAMPAIGNS).all():
        cells = connection.execute(query, {"id": campaign.id}).all()
        axes = axes_of(campaign.axes, [cell.coordinates for cell in cells])
        places = [
            (axis["name"], {label: index for index, label in enumerate(axis["labels"])})
            for axis in axes
        ]
        rows = [
            {
                "id": campaign.id,
                "cell": cell.cell_index,
                "indices": [indices[cell.coordinates[name]] for name, indices in places],
            }
            for cell in cells
        ]
        if rows:
            connection.execute(update, rows)
        connection.execute(_SET_AXES, {"id": campaign.id, "axes": json.dumps(axes)})
    op.alter_column("cell", "value_indices", nullable=False)
    op.drop_column("cell", "coordinates")


def downgrade() -> None:
    op.add_column("cell", sa.Column("coordinates", sa.JSON()))
    connection = op.get_bind()
    query = sa.text("SELECT cell_index, value_indices FROM cell WHERE campaign_id = :id")
    update = sa.text(
        "UPDATE cell SET coordinates = :labels WHERE campaign_id = :id AND cell_index = :cell"
    )
    for campaign in connection.execute(_CAMPAIGNS).all():
        rows = [
            {
                "id": campaign.id,
                "cell": cell.cell_index,
                "labels": json.dumps(
                    {
                        axis["name"]: axis["labels"][index]
                        for axis, index in zip(campaign.axes, cell.value_indices, strict=True)
                    }
                ),
            }
            for cell in connection.execute(query, {"id": campaign.id}).all()
        ]
        if rows:
            connection.execute(update, rows)
        names = json.dumps([axis["name"] for axis in campaign.axes])
        connection.execute(_SET_AXES, {"id": campaign.id, "axes": names})
    op.alter_column("cell", "coordinates", nullable=False)
    op.drop_column("cell", "value_indices")
