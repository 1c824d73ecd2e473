"""Advisory locks that exclude concurrent operations across all processes."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

_DELETION = 0x64656C65  # "dele"
_GROWTH = 0x67726F77  # "grow"
_QUOTA = 0x71756F74  # "quot"
_RETENTION = 0x7265746E  # "retn"
_RECONCILER = 0x77696E64  # "wind"
_TOKENS = 0x746F6B65  # "toke"


def lock_runs_shared(session: Session) -> None:
    """Prevent deletion of runs until the end of the transaction, so that they can be linked."""
    session.execute(select(func.pg_advisory_xact_lock_shared(_DELETION)))


def lock_growth(session: Session, campaign_id: str) -> None:
    """Serialize transactions that add runs to a campaign or cancel it.

    Take this lock after `lock_runs_shared`.
    """
    session.execute(select(func.pg_advisory_xact_lock(_GROWTH, func.hashtext(campaign_id))))


def lock_idempotency_key(session: Session, submitter: str, key: str) -> None:
    """Serialize submissions with the same key by the same submitter. Take this lock first."""
    session.execute(
        select(func.pg_advisory_xact_lock(func.hashtextextended(f"{submitter} {key}", 0)))
    )


def lock_submitter(session: Session, name: str) -> None:
    """Serialize what counts against a submitter's quotas. Take this lock after all others."""
    session.execute(select(func.pg_advisory_xact_lock(_QUOTA, func.hashtext(name))))


def lock_runs_exclusive(session: Session) -> None:
    """Exclude submissions and other deletions until the end of the transaction."""
    session.execute(select(func.pg_advisory_xact_lock(_DELETION)))


def lock_admin_tokens(session: Session) -> None:
    """Serialize changes of admin tokens: two concurrent revocations could remove the last two."""
    session.execute(select(func.pg_advisory_xact_lock(_TOKENS)))


def reconcile_alone(session: Session) -> bool:
    """Try to become the only reconciling transaction; returns False immediately if taken."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(_RECONCILER))))


def lock_retention(session: Session) -> None:
    """Exclude pruning until the end of the transaction. Take this lock before all others."""
    session.execute(select(func.pg_advisory_xact_lock(_RETENTION)))


def prune_alone(session: Session) -> bool:
    """Try to become the only pruning transaction; returns False immediately if taken."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(_RETENTION))))


def try_lock_runs_exclusive(session: Session) -> bool:
    """As `lock_runs_exclusive`, but returns False immediately if runs are being added or deleted.

    Who waits for the exclusive lock makes submissions wait that come after it.
    """
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(_DELETION))))
