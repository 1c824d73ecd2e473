"""Campaigns whose cells get more seeds until an interval is narrow enough

Revision ID: 0016
Revises: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "campaign", sa.Column("growing", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_index("ix_campaign_growing", "campaign", ["id"], postgresql_where=sa.text("growing"))


def downgrade() -> None:
    op.drop_column("campaign", "growing")
