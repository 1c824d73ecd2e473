"""Submitters share the workers' time; verifications have a requester and can be cancelled, and a
run has one at a time; idempotency keys belong to their submitter

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
    op.add_column("run", sa.Column("charged_to", sa.Text(), nullable=True))
    _verifications()


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
    op.add_column("verification", sa.Column("charged_to", sa.Text(), nullable=True))
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


def downgrade() -> None:
    raise NotImplementedError("restore a backup: earlier versions know no submitters")
