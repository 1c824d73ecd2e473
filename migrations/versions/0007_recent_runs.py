"""An index for the newest succeeded runs of a simulator, which predict costs; stored totals of
campaigns that have ended; which runs report the same metrics

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
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


_METRIC_NAMES = """
UPDATE run SET metric_names = names.digest FROM (
    SELECT run_id, md5(string_agg(name, ',' ORDER BY name COLLATE "C")) AS digest
    FROM metric GROUP BY run_id
) AS names WHERE names.run_id = run.id AND run.state = 'succeeded'
"""


def upgrade() -> None:
    op.add_column("campaign", sa.Column("totals", sa.JSON(), nullable=True))
    op.execute(_TOTALS)
    op.add_column("run", sa.Column("metric_names", sa.Text(), nullable=True))
    op.execute(_METRIC_NAMES)
    op.create_index(
        "ix_run_succeeded",
        "run",
        ["simulator_name", "ended_at"],
        postgresql_where=sa.text("state = 'succeeded'"),
    )


def downgrade() -> None:
    op.drop_index("ix_run_succeeded", "run")
    op.drop_column("campaign", "totals")
    op.drop_column("run", "metric_names")
