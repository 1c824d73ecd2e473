"""The audit log: who did what to what, when, from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from windtunnel.store.tables import AuditEntry
from windtunnel.store.tokens import Bearer


@dataclass(frozen=True)
class Actor:
    """Who acts: the bearer of a token, and the client's address."""

    bearer: Bearer | None
    address: str | None

    def record(self, session: Session, action: str, object_: str, **detail: Any) -> None:
        """Log an action (``campaign.cancel``) on an object (its id) in its own transaction."""
        session.add(
            AuditEntry(
                actor=self.bearer.name if self.bearer else None,
                token_id=self.bearer.token_id if self.bearer else None,
                address=self.address,
                action=action,
                object=object_,
                detail=detail,
            )
        )


def entries(
    session: Session,
    limit: int,
    before: int | None = None,
    actor: str | None = None,
    object_: str | None = None,
) -> Sequence[AuditEntry]:
    """Entries, newest first: those before the id ``before``, of one actor, on one object."""
    query = select(AuditEntry).order_by(AuditEntry.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AuditEntry.id < before)
    if actor is not None:
        query = query.where(AuditEntry.actor == actor)
    if object_ is not None:
        query = query.where(AuditEntry.object == object_)
    return session.scalars(query).all()
