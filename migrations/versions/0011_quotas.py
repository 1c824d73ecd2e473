"""Quotas of tokens, and what counts on them: CPU use and the size of results

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

# An execution counts as one CPU from its claim to its end, or to the end of its lease.
_CHARGE = """
CREATE FUNCTION charge_cpu() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO cpu_use (submitter, cpu_seconds) VALUES (OLD.charged_to,
        greatest(0, extract(epoch FROM least(now(), OLD.lease_until) - OLD.leased_at)));
    RETURN NULL;
END $$
"""

_CHARGE_TRIGGERS = """
CREATE TRIGGER {table}_execution_ended AFTER UPDATE OF state, attempt ON {table} FOR EACH ROW
    WHEN (OLD.state = 'running' AND OLD.charged_to IS NOT NULL
        AND (NEW.state <> 'running' OR NEW.attempt <> OLD.attempt))
    EXECUTE FUNCTION charge_cpu();
CREATE TRIGGER {table}_execution_deleted AFTER DELETE ON {table} FOR EACH ROW
    WHEN (OLD.state = 'running' AND OLD.charged_to IS NOT NULL) EXECUTE FUNCTION charge_cpu()
"""

# As windtunnel.store.usage has it at this revision.
_MEASURE = """
UPDATE run SET stored_bytes = coalesce(pg_column_size(record_digests), 0)
    + (SELECT coalesce(sum(pg_column_size(data) + pg_column_size(preview)), 0)
        FROM series WHERE run_id = run.id)
    + (SELECT coalesce(sum(coalesce(pg_column_size(integers), 0)
            + coalesce(pg_column_size(numbers), 0) + coalesce(pg_column_size(booleans), 0)
            + coalesce(pg_column_size(texts), 0)), 0)
        FROM record_column WHERE run_id = run.id)
    + (SELECT coalesce(sum(pg_column_size(metric.*)), 0) FROM metric WHERE run_id = run.id)
    + (SELECT coalesce(sum(pg_column_size(run_check.*)), 0) FROM run_check WHERE run_id = run.id)
    + (SELECT coalesce(sum(pg_column_size(stderr)), 0) FROM attempt WHERE run_id = run.id)
"""


def upgrade() -> None:
    for table in ("run", "verification"):
        op.add_column(table, sa.Column("leased_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("token", sa.Column("max_open_runs", sa.Integer(), nullable=True))
    op.add_column("token", sa.Column("cpu_hours_per_day", sa.Double(), nullable=True))
    op.add_column("token", sa.Column("max_storage_bytes", sa.BigInteger(), nullable=True))
    op.create_table(
        "cpu_use",
        sa.Column("id", sa.BigInteger(), nullable=False, autoincrement=True),
        sa.Column("submitter", sa.Text(), nullable=False),
        sa.Column(
            "ended_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("cpu_seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cpu_use"),
    )
    op.create_index("ix_cpu_use_ended_at", "cpu_use", ["ended_at"])
    op.execute(_CHARGE)
    for table in ("run", "verification"):
        op.execute(_CHARGE_TRIGGERS.format(table=table))
    op.add_column(
        "run",
        sa.Column("stored_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    )
    op.execute(_MEASURE)


def downgrade() -> None:
    raise NotImplementedError("restore a backup: earlier versions have no quotas")
