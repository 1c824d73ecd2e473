"""The protocol that workers must speak

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "installation", sa.Column("protocol", sa.Integer(), nullable=False, server_default="1")
    )
    op.execute("UPDATE installation SET protocol = 2")


def downgrade() -> None:
    op.drop_column("installation", "protocol")
