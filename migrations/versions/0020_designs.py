"""Designs that sample axes: what their analysis needs

Revision ID: 0020
Revises: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # None for grids, which all campaigns from before are.
    op.add_column("campaign", sa.Column("design", postgresql.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("campaign", "design")
