"""Names of fields, metrics and columns that were renamed after version 0.1

Stored campaigns show the new names. Scenarios stay as they are: a run's identity is a digest of its
scenario, and the build that it belongs to reads the old fields.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

METRICS = {
    "losses": "random_losses",
    "window_cov": "cwnd_cov",
    "response_share": "throughput_share",
    "rounds_goodput_mbps": "round_goodput_mbps",
    "rounds_completed": "round_completed",
    "rounds_unfinished": "round_unfinished",
}

# By the field that holds them; None for any.
FIELDS = {
    ("workload", "on"): "on_mean",
    ("workload", "off"): "off_mean",
    ("workload", "unit"): "sru",
    ("topology", "loss"): "loss_rate",
    (None, "mark_above"): "ecn_threshold",
}

VALUES = {("connections", "kept"): "persistent", ("connections", "fresh"): "per-round"}

_RENAME_METRIC = sa.text("""
UPDATE metric SET name = CAST(:new AS text) || substr(name, :rest)
WHERE (name = :old OR name LIKE :labelled) AND run_id IN (
    SELECT run.id FROM run JOIN simulator ON simulator.digest = run.simulator_digest
    WHERE simulator.description->'engine'->>'name' = 'ns-3'
)
""")

_TRIGGER = """
CREATE OR REPLACE FUNCTION mark_open_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE campaign_run SET unfinished = NEW.state IN ('queued', 'running') WHERE run_id = NEW.id;
    RETURN NULL;
END $$;
ALTER FUNCTION mark_open_runs() RENAME TO mark_unfinished_runs;
"""


def metric(name: str) -> str:
    """The new name of a metric, labelled or not (``losses:web``)."""
    base, colon, label = name.partition(":")
    return METRICS.get(base, base) + colon + label


def field(path: str, parent: str | None = None) -> str:
    """The new name of a field, a dotted path or a key inside ``parent``."""
    *before, last = path.split(".")
    above = before[-1] if before else parent
    return ".".join([*before, FIELDS.get((above, last)) or FIELDS.get((None, last)) or last])


def document(value: Any, parent: str | None = None) -> Any:
    """A campaign document with every field and value under its new name."""
    if isinstance(value, dict):
        return {
            field(key, parent): document(inner, key.rsplit(".", 1)[-1])
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [document(inner, parent) for inner in value]
    return VALUES.get((parent, value), value) if isinstance(value, str) else value


def coordinates(labels: dict[str, str]) -> dict[str, str]:
    """The coordinates of a cell, or a baseline, by the axes' new names."""
    return {
        field(axis): VALUES.get((axis.rsplit(".", 1)[-1], label), label)
        for axis, label in labels.items()
    }


def upgrade() -> None:
    op.alter_column("cell", "index", new_column_name="cell_index")
    op.alter_column("run", "cancel", new_column_name="cancel_requested")
    op.alter_column("run", "about", new_column_name="metadata")
    op.alter_column("campaign_run", "open", new_column_name="unfinished")
    op.execute("ALTER INDEX ix_campaign_run_open RENAME TO ix_campaign_run_unfinished")
    op.execute(_TRIGGER)
    for old, new in METRICS.items():
        op.get_bind().execute(
            _RENAME_METRIC, {"old": old, "new": new, "labelled": f"{old}:%", "rest": len(old) + 1}
        )
    _campaigns()


def _campaigns() -> None:
    connection = op.get_bind()
    ns3 = set(
        connection.scalars(
            sa.text("SELECT digest FROM simulator WHERE description->'engine'->>'name' = 'ns-3'")
        )
    )
    query = sa.text(
        "SELECT id, document, simulators, axes, baseline, metrics, default_metrics FROM campaign"
    )
    update = sa.text(
        "UPDATE campaign SET document = :document, simulators = :simulators, axes = :axes, "
        "baseline = :baseline, metrics = :metrics, default_metrics = :default_metrics "
        "WHERE id = :id"
    )
    cells = sa.text("SELECT cell_index, coordinates FROM cell WHERE campaign_id = :id")
    update_cell = sa.text(
        "UPDATE cell SET coordinates = :coordinates "
        "WHERE campaign_id = :id AND cell_index = :cell_index"
    )
    for row in connection.execute(query).all():
        if not ns3 & row.simulators.keys():
            continue
        values = {
            "document": document(row.document),
            "simulators": {
                digest: {
                    **build,
                    **(
                        {"metrics": [metric(name) for name in build["metrics"]]}
                        if "metrics" in build
                        else {}
                    ),
                }
                for digest, build in row.simulators.items()
            },
            "axes": [field(axis) for axis in row.axes],
            "baseline": coordinates(row.baseline),
            "metrics": [{**one, "name": metric(one["name"])} for one in row.metrics],
            "default_metrics": [metric(name) for name in row.default_metrics],
        }
        connection.execute(
            update, {"id": row.id, **{name: json.dumps(value) for name, value in values.items()}}
        )
        for cell in connection.execute(cells, {"id": row.id}).all():
            renamed = coordinates(cell.coordinates)
            if renamed != cell.coordinates:
                connection.execute(
                    update_cell,
                    {
                        "id": row.id,
                        "cell_index": cell.cell_index,
                        "coordinates": json.dumps(renamed),
                    },
                )
