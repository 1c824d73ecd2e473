"""Which of a campaign's runs have not ended, for claims; CPU time as a column, for sums

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TRIGGER = """
CREATE FUNCTION mark_open_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE campaign_run SET open = NEW.state IN ('queued', 'running') WHERE run_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER run_opens_or_ends AFTER UPDATE OF state ON run FOR EACH ROW
    WHEN ((OLD.state IN ('queued', 'running')) <> (NEW.state IN ('queued', 'running')))
    EXECUTE FUNCTION mark_open_runs();
"""


def upgrade() -> None:
    op.add_column(
        "campaign_run",
        sa.Column("open", sa.Boolean(), server_default=sa.text("true"), nullable=False),
    )
    op.execute(
        "UPDATE campaign_run SET open = false FROM run "
        "WHERE run.id = run_id AND run.state NOT IN ('queued', 'running')"
    )
    op.create_index(
        "ix_campaign_run_open",
        "campaign_run",
        ["campaign_id", "seed_index", "cell_index"],
        postgresql_where=sa.text("open"),
    )
    op.execute(_TRIGGER)
    op.add_column("run", sa.Column("cpu_seconds", sa.Double(), nullable=True))
    op.execute(
        "UPDATE run SET cpu_seconds = (about->>'cpu_seconds')::double precision "
        "WHERE about IS NOT NULL"
    )


def downgrade() -> None:
    op.drop_column("run", "cpu_seconds")
    op.execute("DROP TRIGGER run_opens_or_ends ON run; DROP FUNCTION mark_open_runs()")
    op.drop_index("ix_campaign_run_open", "campaign_run")
    op.drop_column("campaign_run", "open")
