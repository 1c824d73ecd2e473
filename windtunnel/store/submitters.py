"""Submitters: the names of tokens, among which the workers' time is shared."""

from __future__ import annotations

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.store.tables import Submitter

# The submitter of what is submitted without a token. No token can have this name.
ANONYMOUS = ""


def register(session: Session, name: str) -> None:
    """Add a submitter, to whom campaigns and verifications then refer. Idempotent."""
    session.execute(insert(Submitter).values(name=name).on_conflict_do_nothing())
