"""Campaigns keep a state and what their comparison needs; a simulator per cell; schedules of runs

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_CELL_FROM_RUNS = """
UPDATE cell SET simulator_name = campaign.simulator_name,
    simulator_digest = campaign.simulator_digest,
    duration_ns = run.duration_ns, predicted_events = run.predicted_events
FROM campaign, campaign_run, run
WHERE campaign.id = cell.campaign_id AND campaign_run.campaign_id = cell.campaign_id
    AND campaign_run.cell_index = cell.index AND campaign_run.seed_index = 1
    AND run.id = campaign_run.run_id
"""

_STATE = """
UPDATE campaign SET state = CASE
    WHEN cancelled THEN 'cancelled'
    WHEN NOT EXISTS (
        SELECT 1 FROM campaign_run WHERE campaign_run.campaign_id = campaign.id AND open
    ) THEN 'ended'
    WHEN EXISTS (
        SELECT 1 FROM campaign_run JOIN run ON run.id = campaign_run.run_id
        WHERE campaign_run.campaign_id = campaign.id AND run.attempt > 0
    ) THEN 'running'
    ELSE 'planned' END
"""


def upgrade() -> None:
    op.add_column(
        "simulator",
        sa.Column("installed", sa.Boolean(), server_default=sa.text("true"), nullable=False),
    )
    op.add_column("simulator", sa.Column("built_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "verification",
        sa.Column("first_attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
    )
    op.add_column(
        "verification", sa.Column("stranded_since", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("campaign_run", sa.Column("simulator_digest", sa.Text(), nullable=True))
    op.execute(
        "UPDATE campaign_run SET simulator_digest = run.simulator_digest FROM run "
        "WHERE run.id = run_id"
    )
    op.alter_column("campaign_run", "simulator_digest", nullable=False)
    op.add_column("run", sa.Column("schedule", sa.Text(), nullable=True))
    op.execute("UPDATE run SET schedule = started->>'schedule' WHERE started IS NOT NULL")
    _cells()
    _campaigns()


def _cells() -> None:
    op.alter_column("cell", "where", new_column_name="coordinates")
    op.add_column("cell", sa.Column("simulator_name", sa.Text(), nullable=True))
    op.add_column("cell", sa.Column("simulator_digest", sa.Text(), nullable=True))
    op.add_column("cell", sa.Column("duration_ns", sa.BigInteger(), nullable=True))
    op.add_column("cell", sa.Column("predicted_events", sa.Double(), nullable=True))
    op.execute(_CELL_FROM_RUNS)
    for column in ("simulator_name", "simulator_digest", "duration_ns", "predicted_events"):
        op.alter_column("cell", column, nullable=False)


def _campaigns() -> None:
    op.add_column(
        "campaign", sa.Column("description", sa.Text(), server_default="", nullable=False)
    )
    op.add_column("campaign", sa.Column("state", sa.Text(), nullable=True))
    op.execute(_STATE)
    op.add_column("campaign", sa.Column("simulators", postgresql.JSONB(), nullable=True))
    for name in ("axes", "baseline", "metrics", "default_metrics"):
        op.add_column("campaign", sa.Column(name, postgresql.JSON(), nullable=True))
    _fill_campaigns()
    for name in ("state", "simulators", "axes", "baseline", "metrics", "default_metrics"):
        op.alter_column("campaign", name, nullable=False)
    op.create_index(
        "ix_campaign_turn",
        "campaign",
        ["last_turn", "created_at"],
        postgresql_where=sa.text("state IN ('planned', 'running')"),
    )
    for name in ("cancelled", "simulator_name", "simulator_digest"):
        op.drop_column("campaign", name)


def _fill_campaigns() -> None:
    """What a submission keeps since then, from what version 0.1 kept."""
    connection = op.get_bind()
    descriptions = {
        row.digest: row.description
        for row in connection.execute(sa.text("SELECT digest, description FROM simulator"))
    }
    query = sa.text("SELECT id, document, simulator_name, simulator_digest FROM campaign")
    for row in connection.execute(query).all():
        metrics = descriptions.get(row.simulator_digest, {}).get("metrics", [])
        reported = connection.scalars(
            sa.text(
                "SELECT DISTINCT name FROM metric JOIN campaign_run USING (run_id) "
                "WHERE campaign_id = :id"
            ),
            {"id": row.id},
        ).all()
        values = {
            "simulators": {row.simulator_digest: {"name": row.simulator_name, "built_at": None}},
            "axes": list(row.document.get("sweep", {})),
            "baseline": {
                name: _label(value) for name, value in row.document.get("baseline", {}).items()
            },
            "metrics": [{**metric, "title": _title(metric["name"])} for metric in metrics],
            "default_metrics": _default_metrics(sorted(reported))
            or _expected_metrics(
                _first_scenario(connection, row.id), [metric["name"] for metric in metrics]
            ),
        }
        connection.execute(
            sa.text(
                "UPDATE campaign SET description = :description, simulators = :simulators, "
                "axes = :axes, baseline = :baseline, metrics = :metrics, "
                "default_metrics = :default_metrics WHERE id = :id"
            ),
            {
                "id": row.id,
                "description": str(row.document.get("description") or ""),
                **{name: json.dumps(value) for name, value in values.items()},
            },
        )


def _label(value: Any) -> str:
    """What version 0.1 called a value of an axis."""
    if isinstance(value, Mapping):
        settings = " ".join(f"{key}={_label(item)}" for key, item in value.items() if key != "kind")
        return f"{value.get('kind', '')} {settings}".strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_label(item) for item in value) + "]"
    return str(value)


def _title(name: str) -> str:
    """What version 0.1 called a metric."""
    return " ".join(word for word in name.split("_") if word not in ("ms", "pct", "mbps"))


_OF_ROUNDS = ["rounds_goodput_mbps", "round_ms_p99", "timeouts", "drops_total"]
_OF_TRANSFERS = ["fct_ms_p50", "fct_ms_p99", "slowdown_mean", "drops_total"]
_USUAL = ["ideal_throughput_pct", "packet_delay_ms_mean", "packet_delay_ms_p99", "drops_total"]


def _default_metrics(reported: Sequence[str]) -> list[str]:
    """What version 0.1 showed of runs with these metrics."""
    groups = [name for name in reported if name.startswith("goodput_mbps:")]
    if groups:
        names = [*groups[:4], "jain_fairness", "drops_total"]
    elif "rounds_goodput_mbps" in reported:
        names = _OF_ROUNDS
    elif "fct_ms_mean" in reported:
        names = _OF_TRANSFERS
    else:
        names = _USUAL
    return [name for name in names if name in reported] or list(reported)[:4]


def _first_scenario(connection: sa.Connection, campaign: str) -> Mapping[str, Any]:
    query = sa.text(
        "SELECT body FROM scenario JOIN cell ON cell.scenario_digest = scenario.digest "
        "WHERE campaign_id = :id ORDER BY index LIMIT 1"
    )
    body: Mapping[str, Any] = connection.scalar(query, {"id": campaign}) or {}
    return body


def _expected_metrics(scenario: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """What version 0.1 would have shown of a campaign that has no result yet."""
    workload = scenario.get("workload") or {}
    groups = workload.get("groups") or []
    if groups:
        names = [f"goodput_mbps:{group['name']}" for group in groups[:4]]
        names += ["jain_fairness", "drops_total"]
    elif workload.get("kind") == "incast":
        names = _OF_ROUNDS
    elif workload.get("kind") in ("mixed", "shuffle"):
        names = _OF_TRANSFERS
    else:
        names = _USUAL
    return [name for name in names if name.partition(":")[0] in known] or list(known)[:4]


def downgrade() -> None:
    raise NotImplementedError("version 0.1 can't read campaigns over several simulators")
