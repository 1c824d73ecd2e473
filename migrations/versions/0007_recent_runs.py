"""An index for the newest succeeded runs of a simulator, which predict costs

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_run_succeeded",
        "run",
        ["simulator_name", "ended_at"],
        postgresql_where=sa.text("state = 'succeeded'"),
    )


def downgrade() -> None:
    op.drop_index("ix_run_succeeded", "run")
