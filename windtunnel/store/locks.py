"""Advisory locks: what must not happen at the same time, across all processes."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

_DELETION = 0x64656C65  # "dele"
_GROWTH = 0x67726F77  # "grow"
_RECONCILER = 0x77696E64  # "wind"
_TOKENS = 0x746F6B65  # "toke"


def lock_runs_shared(session: Session) -> None:
    """Until the transaction's end no run disappears: what a submission finds, it can link."""
    session.execute(select(func.pg_advisory_xact_lock_shared(_DELETION)))


def grow(session: Session, campaign_id: str) -> None:
    """One transaction at a time adds runs to a campaign, or cancels it.

    Taken after the lock that keeps runs from being deleted.
    """
    session.execute(select(func.pg_advisory_xact_lock(_GROWTH, func.hashtext(campaign_id))))


def lock_runs_exclusive(session: Session) -> None:
    """Alone among submissions and deletions until the transaction's end."""
    session.execute(select(func.pg_advisory_xact_lock(_DELETION)))


def change_admins(session: Session) -> None:
    """So that two transactions can't both leave the other one's admin token as the last."""
    session.execute(select(func.pg_advisory_xact_lock(_TOKENS)))


def reconcile_alone(session: Session) -> bool:
    """Whether this transaction is the one that reconciles; never waits."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(_RECONCILER))))
