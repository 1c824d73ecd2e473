"""Verifications: executing a run again and comparing its records with the stored digests."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import case, func, select, update
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError, NotFoundError
from windtunnel.result import first_difference
from windtunnel.run import RunState
from windtunnel.simulator import Cancelled, Failed, Lost, Outcome, Succeeded
from windtunnel.store import leases
from windtunnel.store.runs import run_spec
from windtunnel.store.simulators import workers
from windtunnel.store.tables import Run, Verification

# Grace period: the only worker that offers a simulator may be restarting.
STRANDED_AFTER = timedelta(seconds=30)


@dataclass(frozen=True)
class VerificationLease:
    """The right to execute one verification."""

    id: str
    owner: str
    attempt: int
    simulator_digest: str
    expected_records: bytes
    expected_digest: str
    expected_events: int
    spec: dict[str, Any]


def request(session: Session, run: Run) -> str:
    """Queue a verification and return its id. Raises ConflictError unless the run succeeded."""
    if run.state != RunState.SUCCEEDED:
        raise ConflictError(f"only succeeded runs can be verified; this one is {run.state}")
    if run.simulator_digest not in _offered(session):
        short = run.simulator_digest[:12]
        raise ConflictError(
            f"no worker offers the simulator {run.simulator_name}@{short}; start one with this "
            "build and retry"
        )
    verification = Verification(id=secrets.token_hex(8), run_id=run.id, state="queued")
    session.add(verification)
    return verification.id


def find(session: Session, id_: str) -> Verification:
    """The verification with this id. Raises NotFoundError."""
    row = session.get(Verification, id_)
    if row is None:
        raise NotFoundError(f"verification {id_} does not exist")
    return row


def waiting(session: Session) -> bool:
    """Whether a live worker could claim a verification."""
    query = (
        select(Verification.id)
        .join(Run, Run.id == Verification.run_id)
        .where(leases.claimable(Verification), Run.simulator_digest.in_(_offered(session)))
    )
    return session.scalar(query.limit(1)) is not None


def reconcile(session: Session) -> None:
    """Requeue verifications with an expired lease; fail those that no worker can execute."""
    for row in leases.expired(session, Verification):
        _release_or_fail(row, "its workers were lost")
    session.flush()
    digest = select(Run.simulator_digest).where(Run.id == Verification.run_id).scalar_subquery()
    stranded = digest.not_in(_offered(session))
    since = Verification.stranded_since
    session.execute(
        update(Verification)
        .where(Verification.state == "queued", stranded != since.is_not(None))
        .values(stranded_since=case((stranded, func.now())))
    )
    session.execute(
        update(Verification)
        .where(Verification.state == "queued", since < func.now() - STRANDED_AFTER)
        .values(
            state="failed",
            message="no worker offers its simulator",
            ended_at=func.now(),
            lease_owner=None,
        )
    )


def release_all(session: Session, worker: str) -> int:
    """Requeue the verifications leased by a worker that is shutting down. Returns their number."""
    rows = leases.active_leases(session, Verification, worker)
    for row in rows:
        row.first_attempt += 1  # a clean shutdown does not count as an attempt
        _release_or_fail(row, "its worker was stopped")
    return len(rows)


def _release_or_fail(row: Verification, message: str) -> None:
    """Requeue a verification, or fail it if no attempts are left."""
    if not leases.release(row, message):
        row.state = "failed"
        row.ended_at = func.now()


def _offered(session: Session) -> list[str]:
    return [digest for worker in workers(session) for digest in worker.simulators]


def claim(
    session: Session, owner: str, offered: Sequence[str], lease_seconds: float
) -> VerificationLease | None:
    """Claim the oldest verification whose simulator is in ``offered`` (digests), or None."""
    claimed = session.execute(
        select(Verification, Run)
        .join(Run, Run.id == Verification.run_id)
        .where(leases.claimable(Verification), Run.simulator_digest.in_(offered))
        .order_by(Verification.created_at)
        .limit(1)
        .with_for_update(of=Verification, skip_locked=True)
    ).first()
    if claimed is None:
        return None
    row, run = claimed
    leases.take(row, owner, lease_seconds)
    session.flush()
    return VerificationLease(
        row.id,
        owner,
        row.attempt,
        run.simulator_digest,
        run.record_digests or b"",
        run.digest or "",
        run.events,
        run_spec(session, run),
    )


def heartbeat(session: Session, lease: VerificationLease, lease_seconds: float) -> bool:
    """Extend the lease. Returns False if it was lost."""
    return leases.extend(session, Verification, lease, lease_seconds) is not None


def finish(session: Session, lease: VerificationLease, outcome: Outcome) -> bool:
    """Store the verification's outcome. Returns False if the lease was lost."""
    values: dict[str, Any]
    match outcome:
        case Lost(message=message):
            return _release(session, lease, message)
        case Cancelled():
            return _release(session, lease, "cancelled")
        case Failed(message=message):
            values = {"state": "failed", "message": message.replace("\x00", "\ufffd")}
        case Succeeded(result=result):
            difference = first_difference(lease.expected_records, result)
            if difference is None and result.events != lease.expected_events:
                difference = f"{result.events} events instead of {lease.expected_events}"
            values = {
                "state": "different" if difference else "identical",
                "message": f"first difference: {difference}" if difference else "",
                "digest": result.digest,
            }
    changed = session.execute(
        update(Verification)
        .where(leases.holds(Verification, lease))
        .values(ended_at=func.now(), lease_owner=None, lease_until=None, **values)
        .returning(Verification.id)
    ).first()
    return changed is not None


def _release(session: Session, lease: VerificationLease, message: str) -> bool:
    query = select(Verification).where(leases.holds(Verification, lease)).with_for_update()
    row = session.scalars(query).first()
    if row is None:
        return False
    _release_or_fail(row, message.replace("\x00", "\ufffd"))
    return True
