"""Leases: time-limited, exclusive rights to execute a run or a verification.

Every write has the fencing token (owner, attempt) in its WHERE clause, so that a late write by a
worker that lost its lease has no effect. All times are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Protocol

from sqlalchemy import and_, func, or_, select, tuple_, update
from sqlalchemy.orm import Session

from windtunnel.run import MAX_ATTEMPTS
from windtunnel.store.tables import Leased, Run, Verification

# Leases that are longer by this are of a time before the clock was set back.
LONGEST_LEASE = timedelta(minutes=10)
LEASED: tuple[type[Leased], ...] = (Run, Verification)


class Lease(Protocol):
    """Identifies a lease; ``attempt`` distinguishes it from earlier leases of the same owner."""

    @property
    def id(self) -> str: ...

    @property
    def owner(self) -> str: ...

    @property
    def attempt(self) -> int: ...


def claimable(table: type[Leased], max_attempts: int = MAX_ATTEMPTS) -> Any:
    """SQL condition: queued, or leased with an expired lease, and with attempts left."""
    expired = and_(table.state == "running", table.lease_until < func.now())
    return and_(
        or_(table.state == "queued", expired), table.attempt - table.first_attempt < max_attempts
    )


def take(row: Leased, owner: str, lease_seconds: float, submitter: str) -> None:
    """Lease a claimable row, which this transaction must have locked, in a submitter's turn."""
    row.state = "running"
    row.charged_to = submitter
    row.leased_at = func.now()
    row.attempt += 1
    row.lease_owner = owner
    row.lease_until = func.now() + timedelta(seconds=lease_seconds)


def holds(table: type[Leased], lease: Lease) -> Any:
    """SQL condition: the row is still held under this lease."""
    return and_(
        table.id == lease.id,
        table.state == "running",
        table.lease_owner == lease.owner,
        table.attempt == lease.attempt,
    )


def extend(
    session: Session, table: type[Leased], lease: Lease, lease_seconds: float, **values: Any
) -> Any:
    """Extend a lease and update other columns.

    Returns None if the lease was lost, else a row with ``cancel_requested``.
    """
    until = func.now() + timedelta(seconds=lease_seconds)
    query = update(table).where(holds(table, lease)).values(lease_until=until, **values)
    return session.execute(query.returning(table.cancel_requested)).first()


def active(
    session: Session, table: type[Leased], leases: Sequence[tuple[str, int]]
) -> set[tuple[str, int]]:
    """The subset of these leases (id, attempt) that is still in force."""
    query = select(table.id, table.attempt).where(
        tuple_(table.id, table.attempt).in_(leases), table.state == "running"
    )
    return {(id_, attempt) for id_, attempt in session.execute(query)}


def expired(session: Session, table: type[Leased]) -> Sequence[Any]:
    """Lock and return rows with an expired lease; skips rows locked by other transactions."""
    return session.scalars(
        select(table)
        .where(table.state == "running", table.lease_until < func.now())
        .order_by(table.id)
        .with_for_update(skip_locked=True)
    ).all()


def cap(session: Session, lease_seconds: float) -> int:
    """Shorten leases that last longer than any worker asks for: the clock was set back. How many.

    A worker that lives renews its lease; a dead one's would block its run until then.
    """
    limit = func.now() + timedelta(seconds=lease_seconds) + LONGEST_LEASE
    until = func.now() + timedelta(seconds=lease_seconds)
    capped = 0
    for table in LEASED:
        too_long = and_(table.state == "running", table.lease_until > limit)
        query = update(table).where(too_long).values(lease_until=until).returning(table.id)
        capped += len(session.execute(query).all())
    return capped


def active_leases(session: Session, table: type[Leased], worker: str) -> Sequence[Any]:
    """Lock and return the rows leased by the processes of a worker."""
    return session.scalars(
        select(table)
        .where(table.state == "running", _belongs_to(table, worker))
        .order_by(table.id)
        .with_for_update()
    ).all()


def release(row: Leased, message: str, max_attempts: int = MAX_ATTEMPTS) -> bool:
    """Release the lease of a locked row and requeue it.

    Returns False, and does not requeue, if no attempts are left; ``message`` is then stored.
    """
    row.lease_owner = None
    row.lease_until = None
    if row.attempt - row.first_attempt >= max_attempts:
        row.message = f"{message}, {max_attempts} times"
        return False
    row.state = "queued"
    return True


def busy_slots(session: Session, worker: str | None = None) -> int:
    """Number of leases in force, of one worker's processes or of all workers."""
    busy = 0
    for table in LEASED:
        query = select(func.count()).where(
            table.state == "running", table.lease_until >= func.now()
        )
        if worker is not None:
            query = query.where(_belongs_to(table, worker))
        busy += session.scalar(query) or 0
    return busy


def _belongs_to(table: type[Leased], worker: str) -> Any:
    """SQL condition: the owner, named WORKER/PROCESS, is a process of this worker."""
    return table.lease_owner.startswith(f"{worker}/", autoescape=True)
