"""How a campaign is compared: its family of metrics, relevance thresholds, kind of interval

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaign", sa.Column("analysis", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("campaign", "analysis")
