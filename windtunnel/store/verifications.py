"""Verifications: executing a run again and comparing its records with the stored digests."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import case, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError, NotFoundError
from windtunnel.quotas import UNLIMITED, Quotas
from windtunnel.result import first_difference
from windtunnel.run import RunState
from windtunnel.simulator import Cancelled, Failed, Lost, Outcome, Succeeded
from windtunnel.store import leases, locks, submitters, usage
from windtunnel.store.runs import run_spec
from windtunnel.store.simulators import workers
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tables import OPEN_VERIFICATION, Run, Verification

# Grace period: the only worker that offers a simulator may be restarting.
STRANDED_AFTER = timedelta(seconds=30)


@dataclass(frozen=True)
class VerificationLease:
    """The right to execute one verification."""

    id: str
    run_id: str
    owner: str
    attempt: int
    simulator_digest: str
    expected_records: bytes
    expected_digest: str
    expected_events: int
    spec: dict[str, Any]


def request(
    session: Session, run: Run, requested_by: str = ANONYMOUS, quotas: Quotas = UNLIMITED
) -> tuple[str, bool]:
    """Queue a verification. Returns its id and whether it is new: a run has one at a time.

    ``quotas`` are the service's defaults. Raises ConflictError unless the run succeeded,
    QuotaExceededError, or NotFoundError if the run was deleted meanwhile.
    """
    if run.state != RunState.SUCCEEDED:
        raise ConflictError(f"only succeeded runs can be verified; this one is {run.state}")
    if run.simulator_digest not in _offered(session):
        short = run.simulator_digest[:12]
        raise ConflictError(
            f"no worker offers the simulator {run.simulator_name}@{short}; start one with this "
            "build and retry"
        )
    locks.lock_runs_shared(session)
    if session.scalar(select(Run.id).where(Run.id == run.id)) is None:
        raise NotFoundError(f"run {run.id} was deleted")
    submitters.register(session, requested_by)
    open_one = _open_one(session, run.id)
    if open_one is None:
        usage.admit_verification(session, requested_by, quotas)
        return _add(session, run.id, requested_by)
    return open_one, False


def _add(session: Session, run_id: str, requested_by: str) -> tuple[str, bool]:
    """Add a verification unless one is open; its id and whether it was added."""
    values = {
        "id": secrets.token_hex(8),
        "run_id": run_id,
        "state": "queued",
        "requested_by": requested_by,
    }
    added = session.scalar(
        insert(Verification)
        .values(values)
        .on_conflict_do_nothing(index_elements=[Verification.run_id], index_where=OPEN_VERIFICATION)
        .returning(Verification.id)
    )
    if added is not None:
        return added, True
    open_one = _open_one(session, run_id)
    if open_one is None:  # it ended between the two statements
        return _add(session, run_id, requested_by)
    return open_one, False


def _open_one(session: Session, run_id: str) -> str | None:
    """The run's verification that is under way. Raises ConflictError if it is being cancelled."""
    row = session.execute(
        select(Verification.id, Verification.cancel_requested).where(
            Verification.run_id == run_id, OPEN_VERIFICATION
        )
    ).first()
    if row is not None and row.cancel_requested:
        raise ConflictError(
            f"verification {row.id} of this run is being cancelled; retry in a few seconds"
        )
    return row.id if row else None


def page(
    session: Session,
    limit: int,
    after: tuple[datetime, str] | None = None,
    run_id: str | None = None,
) -> Sequence[Verification]:
    """Verifications, of one run or all, newest first.

    ``after`` is (created_at, id) of the last one seen.
    """
    newest_first = (Verification.created_at.desc(), Verification.id.desc())
    query = select(Verification).order_by(*newest_first).limit(limit)
    if after:
        query = query.where(tuple_(Verification.created_at, Verification.id) < after)
    if run_id is not None:
        query = query.where(Verification.run_id == run_id)
    return session.scalars(query).all()


def cancel(session: Session, id_: str) -> None:
    """Cancel a verification. A running one is marked, and its worker stops it. Idempotent.

    One that has ended keeps its state.
    """
    row = session.get(Verification, id_, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFoundError(f"verification {id_} does not exist")
    if row.state == "queued":
        _end_cancelled(row)
    elif row.state == "running":
        row.cancel_requested = True


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


def _end_cancelled(row: Verification) -> None:
    row.state, row.message, row.cancel_requested = "cancelled", "cancelled", False
    row.lease_owner, row.lease_until = None, None
    row.ended_at = func.now()


def _release_or_fail(row: Verification, message: str) -> None:
    """Queue a verification again whose execution was lost, unless it is cancelled or has failed
    too often.
    """
    if row.cancel_requested:
        _end_cancelled(row)
        return
    """Requeue a verification, or fail it if no attempts are left."""
    if not leases.release(row, message):
        row.state = "failed"
        row.ended_at = func.now()


def _offered(session: Session) -> list[str]:
    return [digest for worker in workers(session) for digest in worker.simulators]


def claim(
    session: Session, owner: str, offered: Sequence[str], lease_seconds: float, submitter: str
) -> VerificationLease | None:
    """Claim a submitter's oldest verification whose simulator is in ``offered`` (digests)."""
    claimed = session.execute(
        select(Verification, Run)
        .join(Run, Run.id == Verification.run_id)
        .where(
            Verification.requested_by == submitter,
            leases.claimable(Verification),
            ~Verification.cancel_requested,
            Run.simulator_digest.in_(offered),
        )
        .order_by(Verification.created_at)
        .limit(1)
        .with_for_update(of=Verification, skip_locked=True)
    ).first()
    if claimed is None:
        return None
    row, run = claimed
    leases.take(row, owner, lease_seconds, submitter)
    session.flush()
    return VerificationLease(
        row.id,
        run.id,
        owner,
        row.attempt,
        run.simulator_digest,
        run.record_digests or b"",
        run.digest or "",
        run.events,
        run_spec(session, run),
    )


def heartbeat(session: Session, lease: VerificationLease, lease_seconds: float) -> bool:
    """Extend the lease. False: lost or cancelled, stop the simulation."""
    kept = leases.extend(session, Verification, lease, lease_seconds)
    return kept is not None and not kept.cancel_requested


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
        .values(
            ended_at=func.now(),
            lease_owner=None,
            lease_until=None,
            cancel_requested=False,
            **values,
        )
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
