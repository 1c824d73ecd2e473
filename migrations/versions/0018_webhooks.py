"""Webhooks of campaigns and their deliveries

Revision ID: 0018
Revises: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("campaign", sa.Column("notify_url", sa.Text(), nullable=True))
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False, server_default=sa.func.now()),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("next_attempt_at", _TIME, nullable=True, server_default=sa.func.now()),
        sa.Column("delivered_at", _TIME, nullable=True),
        sa.Column("last_error", sa.Text(), nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_delivery"),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaign.id"],
            name="fk_webhook_delivery_campaign_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_webhook_delivery_campaign_id", "webhook_delivery", ["campaign_id"])
    op.create_index(
        "ix_webhook_delivery_due",
        "webhook_delivery",
        ["next_attempt_at"],
        postgresql_where=sa.text("next_attempt_at IS NOT NULL"),
    )
    # A worker of the earlier version would end campaigns without a word.
    op.execute("UPDATE installation SET protocol = 4")


def downgrade() -> None:
    op.drop_table("webhook_delivery")
    op.drop_column("campaign", "notify_url")
    op.execute("UPDATE installation SET protocol = 3")
