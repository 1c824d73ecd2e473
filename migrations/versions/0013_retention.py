"""Retention: campaigns that are kept, and what was pruned of runs

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# As windtunnel.store.usage has it at this revision. An empty log no longer counts.
_MEASURE = """
UPDATE run SET series_bytes = parts.series, log_bytes = parts.log,
    stored_bytes = run.stored_bytes - parts.silent
FROM (SELECT id,
    (SELECT coalesce(sum(pg_column_size(data) + pg_column_size(preview)), 0)
        FROM series WHERE run_id = run.id) AS series,
    (SELECT coalesce(sum(pg_column_size(stderr)) FILTER (WHERE stderr <> ''), 0)
        FROM attempt WHERE run_id = run.id) AS log,
    (SELECT coalesce(sum(pg_column_size(stderr)) FILTER (WHERE stderr = ''), 0)
        FROM attempt WHERE run_id = run.id) AS silent
    FROM run) AS parts
WHERE run.id = parts.id
"""

# Beside the other sums of each state of runs.
_TOTALS = """
UPDATE campaign SET totals = json_build_object('cells', totals -> 'cells', 'runs', (
    SELECT coalesce(json_object_agg(state.key, state.value::jsonb || jsonb_build_object(
        'stored_bytes', (SELECT coalesce(sum(run.stored_bytes), 0)
            FROM campaign_run JOIN run ON run.id = campaign_run.run_id
            WHERE campaign_run.campaign_id = campaign.id AND run.state = state.key))), '{}')
    FROM json_each(totals -> 'runs') AS state))
WHERE json_typeof(totals) = 'object'
"""


def upgrade() -> None:
    op.add_column(
        "campaign",
        sa.Column("keep", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("campaign", sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "campaign",
        sa.Column("pruned_runs", sa.Integer(), server_default=sa.text("0"), nullable=False),
    )
    # When they were cancelled is not known: policies count from now.
    op.execute("UPDATE campaign SET cancelled_at = now() WHERE state = 'cancelled'")
    for name in ("series_bytes", "log_bytes"):
        op.add_column(
            "run", sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)
        )
    for name in ("series_pruned_at", "log_pruned_at"):
        op.add_column("run", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.execute(_MEASURE)
    op.execute(_TOTALS)
    for name, column in (("ix_run_series", "series_bytes"), ("ix_run_log", "log_bytes")):
        op.create_index(name, "run", ["ended_at"], postgresql_where=sa.text(f"{column} > 0"))
    # Earlier workers do not measure what is pruned.
    op.execute("UPDATE installation SET protocol = 3")


def downgrade() -> None:
    op.execute("UPDATE installation SET protocol = 2")
    raise NotImplementedError("restore a backup: earlier versions do not know what was pruned")
