"""Sessions of browsers apart from tokens, sign-in links, expiry and last use of tokens, audit log

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("token", sa.Column("expires_at", _TIME, nullable=True))
    op.add_column("token", sa.Column("last_used_at", _TIME, nullable=True))
    op.create_table(
        "browser_session",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False, server_default=sa.func.now()),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_browser_session"),
        sa.ForeignKeyConstraint(
            ["token_id"], ["token.id"], name="fk_browser_session_token_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_browser_session_token_id", "browser_session", ["token_id"])
    op.create_table(
        "sign_in_link",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_sign_in_link"),
        sa.ForeignKeyConstraint(
            ["token_id"], ["token.id"], name="fk_sign_in_link_token_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_sign_in_link_token_id", "sign_in_link", ["token_id"])
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("at", _TIME, nullable=False, server_default=sa.func.now()),
        sa.Column("actor", sa.Text(), nullable=True),
        sa.Column("token_id", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False, server_default=sa.text("'{}'")),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entry"),
    )
    op.create_index("ix_audit_entry_at", "audit_entry", ["at"])


def downgrade() -> None:
    op.drop_table("audit_entry")
    op.drop_table("sign_in_link")
    op.drop_table("browser_session")
    op.drop_column("token", "last_used_at")
    op.drop_column("token", "expires_at")
