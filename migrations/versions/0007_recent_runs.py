"""An index for the newest succeeded runs of a simulator, which predict costs; stored totals of
campaigns that have ended

Revision ID: 0007
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0005"
branch_labels = None
depends_on = None


_TOTALS = """
UPDATE campaign SET totals = json_build_object(
    'cells', (SELECT count(*) FROM cell WHERE campaign_id = campaign.id),
    'runs', (
        SELECT json_object_agg(state, json_build_object(
            'count', count, 'simulated_ns', simulated_ns, 'duration_ns', duration_ns,
            'events', events, 'cpu_seconds', cpu_seconds
        )) FROM (
            SELECT state, count(*) AS count, sum(simulated_ns) AS simulated_ns,
                sum(duration_ns) AS duration_ns, sum(events) AS events,
                coalesce(sum(cpu_seconds), 0) AS cpu_seconds
            FROM campaign_run JOIN run ON run.id = run_id
            WHERE campaign_id = campaign.id GROUP BY state
        ) AS sums
    )
) WHERE state = 'ended'
"""


def upgrade() -> None:
    op.add_column("campaign", sa.Column("totals", sa.JSON(), nullable=True))
    op.execute(_TOTALS)
    op.create_index(
        "ix_run_succeeded",
        "run",
        ["simulator_name", "ended_at"],
        postgresql_where=sa.text("state = 'succeeded'"),
    )


def downgrade() -> None:
    op.drop_index("ix_run_succeeded", "run")
    op.drop_column("campaign", "totals")
