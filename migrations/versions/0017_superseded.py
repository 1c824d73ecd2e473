"""Campaigns that a newer one superseded

Revision ID: 0017
Revises: 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaign", sa.Column("superseded_by", sa.Text(), nullable=True))
    op.create_foreign_key(
        "fk_campaign_superseded_by",
        "campaign",
        "campaign",
        ["superseded_by"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_index(
        "ix_campaign_superseded_by",
        "campaign",
        ["superseded_by"],
        postgresql_where=sa.text("superseded_by IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_column("campaign", "superseded_by")
