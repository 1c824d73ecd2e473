"""Submitters share the workers' time; verifications have a requester and can be cancelled, and a
run has one at a time; idempotency keys belong to their submitter; quotas and what counts on them

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# Of several open verifications of a run, the oldest stays.
_DUPLICATES = """
UPDATE verification SET state = 'cancelled', ended_at = now(), lease_owner = NULL,
    lease_until = NULL, message = 'another verification of this run was requested before'
WHERE state IN ('queued', 'running') AND EXISTS (
    SELECT 1 FROM verification AS other
    WHERE other.run_id = verification.run_id AND other.state IN ('queued', 'running')
        AND (other.created_at, other.id) < (verification.created_at, verification.id)
)
"""

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
    op.create_table(
        "submitter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("last_turn", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "verification_turn", sa.BigInteger(), server_default=sa.text("0"), nullable=False
        ),
        sa.PrimaryKeyConstraint("name", name="pk_submitter"),
    )
    _campaigns()
    for table in ("run", "verification"):
        op.add_column(table, sa.Column("charged_to", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("leased_at", sa.DateTime(timezone=True), nullable=True))
    _verifications()
    _usage()


def _campaigns() -> None:
    op.execute("UPDATE campaign SET submitted_by = '' WHERE submitted_by IS NULL")
    op.alter_column("campaign", "submitted_by", nullable=False, server_default="")
    op.execute("INSERT INTO submitter (name) SELECT '' UNION SELECT submitted_by FROM campaign")
    op.create_foreign_key(
        "fk_campaign_submitted_by", "campaign", "submitter", ["submitted_by"], ["name"]
    )
    op.drop_constraint("uq_campaign_idempotency_key", "campaign")
    op.create_index(
        "ix_campaign_idempotency_key", "campaign", ["submitted_by", "idempotency_key"], unique=True
    )
    op.drop_index("ix_campaign_turn", "campaign")
    op.create_index(
        "ix_campaign_turn",
        "campaign",
        ["submitted_by", "last_turn", "created_at"],
        postgresql_where=sa.text("state IN ('planned', 'running')"),
    )


def _verifications() -> None:
    op.add_column(
        "verification",
        sa.Column(
            "cancel_requested", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
    )
    op.add_column(
        "verification", sa.Column("requested_by", sa.Text(), server_default="", nullable=False)
    )
    op.create_foreign_key(
        "fk_verification_requested_by", "verification", "submitter", ["requested_by"], ["name"]
    )
    op.execute(_DUPLICATES)
    unfinished = sa.text("state IN ('queued', 'running')")
    op.create_index(
        "ix_verification_one_open",
        "verification",
        ["run_id"],
        unique=True,
        postgresql_where=unfinished,
    )
    op.create_index(
        "ix_verification_turn",
        "verification",
        ["requested_by", "created_at"],
        postgresql_where=unfinished,
    )
    op.create_index(
        "ix_verification_created_at",
        "verification",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
    )


def _usage() -> None:
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
    raise NotImplementedError("restore a backup: earlier versions know no submitters")
