"""Runs executed a second time to be compared with what is kept of the first."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, func, or_, select, tuple_, update
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError, NotFoundError
from windtunnel.result import first_difference
from windtunnel.run import MAX_ATTEMPTS, RunState
from windtunnel.simulator import Outcome
from windtunnel.store.runs import run_spec
from windtunnel.store.simulators import workers
from windtunnel.store.tables import Run, Verification


@dataclass(frozen=True)
class VerificationLease:
    """The right to execute one verification."""

    id: str
    owner: str
    attempt: int
    simulator_digest: str
    kept_records: bytes
    kept_digest: str
    kept_events: int
    spec: dict[str, Any]


def request(session: Session, run: Run) -> str:
    """Ask for a verification; its id. Raises ConflictError unless the run succeeded."""
    if run.state != RunState.SUCCEEDED:
        raise ConflictError(f"only succeeded runs can be verified; this one is {run.state}")
    if run.simulator_digest not in _offered(session):
        short = run.simulator_digest[:12]
        raise ConflictError(f"no worker offers the simulator {run.simulator_name}@{short} now")
    verification = Verification(id=secrets.token_hex(8), run_id=run.id, state="queued")
    session.add(verification)
    return verification.id


def find(session: Session, id_: str) -> Verification:
    """Raises NotFoundError."""
    row = session.get(Verification, id_)
    if row is None:
        raise NotFoundError(f"there is no verification {id_}")
    return row


def waiting(session: Session) -> bool:
    """Whether any verification can be claimed by a live worker."""
    query = (
        select(Verification.id)
        .join(Run, Run.id == Verification.run_id)
        .where(_claimable(), Run.simulator_digest.in_(_offered(session)))
    )
    return session.scalar(query.limit(1)) is not None


def reconcile(session: Session) -> None:
    """End those whose last attempt was lost, and those that nobody can execute any more."""
    lost = and_(
        Verification.state == "running",
        Verification.lease_until < func.now(),
        Verification.attempt >= MAX_ATTEMPTS,
    )
    digest = select(Run.simulator_digest).where(Run.id == Verification.run_id).scalar_subquery()
    stranded = and_(Verification.state == "queued", digest.not_in(_offered(session)))
    for which, message in (
        (lost, "its workers were lost"),
        (stranded, "no worker offers its simulator any more"),
    ):
        session.execute(
            update(Verification)
            .where(which)
            .values(state="failed", message=message, ended_at=func.now(), lease_owner=None)
        )


def _offered(session: Session) -> list[str]:
    return [digest for worker in workers(session) for digest in worker.simulators]


def claim(
    session: Session, owner: str, offered: Sequence[str], lease_seconds: float
) -> VerificationLease | None:
    """Take the oldest verification whose simulator is in ``offered`` (digests), or None."""
    found = session.execute(
        select(Verification, Run)
        .join(Run, Run.id == Verification.run_id)
        .where(_claimable(), Run.simulator_digest.in_(offered))
        .order_by(Verification.created_at)
        .limit(1)
        .with_for_update(of=Verification, skip_locked=True)
    ).first()
    if found is None:
        return None
    row, run = found
    row.state = "running"
    row.attempt += 1
    row.lease_owner = owner
    row.lease_until = func.now() + timedelta(seconds=lease_seconds)
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


def held(session: Session, leases: Sequence[tuple[str, int]]) -> set[tuple[str, int]]:
    """Those of these leases (verification id, attempt) that have not come to an end."""
    query = select(Verification.id, Verification.attempt).where(
        tuple_(Verification.id, Verification.attempt).in_(leases), Verification.state == "running"
    )
    return {(id_, attempt) for id_, attempt in session.execute(query)}


def heartbeat(session: Session, lease: VerificationLease, lease_seconds: float) -> bool:
    """Keep the lease. False: somebody else has it."""
    until = func.now() + timedelta(seconds=lease_seconds)
    changed = session.execute(
        update(Verification)
        .where(_holds(lease))
        .values(lease_until=until)
        .returning(Verification.id)
    ).first()
    return changed is not None


def finish(session: Session, lease: VerificationLease, outcome: Outcome) -> bool:
    """Land the verdict. False: too late, refused."""
    values: dict[str, Any]
    if outcome.result is None:
        lost = outcome.executor_lost and lease.attempt < MAX_ATTEMPTS
        message = outcome.message.replace("\x00", "\ufffd")
        values = {"state": "queued" if lost else "failed", "message": message}
    else:
        difference = first_difference(lease.kept_records, outcome.result)
        if difference is None and outcome.result.events != lease.kept_events:
            difference = f"{outcome.result.events} events instead of {lease.kept_events}"
        values = {
            "state": "different" if difference else "identical",
            "message": f"the first difference is in {difference}" if difference else "",
            "digest": outcome.result.digest,
        }
    changed = session.execute(
        update(Verification)
        .where(_holds(lease))
        .values(
            ended_at=None if values["state"] == "queued" else func.now(),
            lease_owner=None,
            lease_until=None,
            **values,
        )
        .returning(Verification.id)
    ).first()
    return changed is not None


def _claimable() -> Any:
    expired = and_(Verification.state == "running", Verification.lease_until < func.now())
    return and_(or_(Verification.state == "queued", expired), Verification.attempt < MAX_ATTEMPTS)


def _holds(lease: VerificationLease) -> Any:
    return and_(
        Verification.id == lease.id,
        Verification.state == "running",
        Verification.lease_owner == lease.owner,
        Verification.attempt == lease.attempt,
    )
