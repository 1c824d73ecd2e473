"""Tokens, who submitted a campaign, the image of an attempt, the installation's id

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "installation",
        sa.Column("id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_installation"),
    )
    op.execute("INSERT INTO installation (id) VALUES (gen_random_uuid()::text)")
    op.create_table(
        "token",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("digest", name="uq_token_digest"),
    )
    # A name stands for one token at a time; a revoked one leaves it to its successor.
    op.create_index(
        "ix_token_name_in_use",
        "token",
        ["name"],
        unique=True,
        postgresql_where=sa.text("revoked_at IS NULL"),
    )
    op.add_column("campaign", sa.Column("submitted_by", sa.Text(), nullable=True))
    op.add_column("attempt", sa.Column("image", sa.Text(), nullable=True))
    # Deleting a campaign asks who else has its scenarios.
    op.create_index("ix_cell_scenario_digest", "cell", ["scenario_digest"])
    op.create_index("ix_run_scenario_digest", "run", ["scenario_digest"])


def downgrade() -> None:
    op.drop_index("ix_run_scenario_digest", "run")
    op.drop_index("ix_cell_scenario_digest", "cell")
    op.drop_column("attempt", "image")
    op.drop_column("campaign", "submitted_by")
    op.drop_table("token")
    op.drop_table("installation")
