"""Labels of campaigns

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "campaign",
        sa.Column("labels", postgresql.JSONB(), nullable=False, server_default=sa.text("'{}'")),
    )
    op.create_index(
        "ix_campaign_labels",
        "campaign",
        ["labels"],
        postgresql_using="gin",
        postgresql_ops={"labels": "jsonb_path_ops"},
    )


def downgrade() -> None:
    op.drop_index("ix_campaign_labels", table_name="campaign")
    op.drop_column("campaign", "labels")
