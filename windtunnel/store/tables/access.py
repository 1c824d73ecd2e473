"""Tokens, sessions and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Identity,
    Index,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from windtunnel.store.tables.base import Base


class Token(Base):
    """Who may do what. The token itself is not kept, only its SHA-256."""

    __tablename__ = "token"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    scope: Mapped[str]
    digest: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Never, where it is null.
    expires_at: Mapped[datetime | None]
    # Its own quotas; the service's where null, unlimited where 0 (windtunnel.quotas).
    max_open_runs: Mapped[int | None]
    cpu_hours_per_day: Mapped[float | None]
    max_storage_bytes: Mapped[int | None] = mapped_column(BigInteger)
    # To the minute.
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


Index("ix_token_name_in_use", Token.name, unique=True, postgresql_where=Token.revoked_at.is_(None))


class BrowserSession(Base):
    """A signed-in browser. Its cookie is a random secret of which only the SHA-256 is kept."""

    __tablename__ = "browser_session"
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("token.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


class SignInLink(Base):
    """A link that signs a browser in, once. Only the SHA-256 of its code is kept."""

    __tablename__ = "sign_in_link"
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("token.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime]


class AuditEntry(Base):
    """Who did what to what, when, from where. Never changed; kept when its object is deleted.

    Only retention removes entries, by age.
    """

    __tablename__ = "audit_entry"
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    # Name and id of the token; none for what the service itself does.
    actor: Mapped[str | None]
    token_id: Mapped[str | None]
    # Of the client, as the service saw it.
    address: Mapped[str | None]
    action: Mapped[str]
    object: Mapped[str]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
