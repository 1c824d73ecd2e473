"""Which worker executes which run: claims, leases and their end.

Every change of a running run carries the fencing token (lease owner, attempt) in its WHERE clause:
a worker that was thought dead and writes late changes nothing. All times are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, exists, func, literal, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.result import RunResult, Series
from windtunnel.run import MAX_ATTEMPTS, FailureReason, RunState
from windtunnel.simulator import Outcome
from windtunnel.simulator.reader import Progress
from windtunnel.store import locks
from windtunnel.store.campaigns import notify
from windtunnel.store.series_codec import compress, pack_preview
from windtunnel.store.simulators import WORKER_MEMORY
from windtunnel.store.tables import (
    CLAIM_TURN,
    Attempt,
    Campaign,
    CampaignRun,
    CheckRow,
    DetailRow,
    MetricRow,
    Run,
    Scenario,
    SeriesRow,
    Verification,
    Worker,
)


@dataclass(frozen=True)
class Lease:
    """The right to execute one run, until it expires."""

    run_id: str
    owner: str
    attempt: int
    simulator_digest: str
    spec: dict[str, Any]


def _claimable(max_attempts: int) -> Any:
    return and_(
        or_(
            Run.state == RunState.QUEUED,
            and_(Run.state == RunState.RUNNING, Run.lease_until < func.now()),
        ),
        Run.attempt - Run.first_attempt < max_attempts,
        ~Run.cancel,
    )


def claim(
    session: Session,
    owner: str,
    offered: Sequence[str],
    lease_seconds: float,
    max_attempts: int = MAX_ATTEMPTS,
    images: Mapping[str, str | None] | None = None,
) -> Lease | None:
    """Take the next run that a simulator in ``offered`` (digests) can execute, or None.

    ``images`` says by digest which image will be executed, for the record.

    Campaigns take turns: the one whose last turn is longest ago is next, so that a campaign of
    20,000 runs does not hold up one of three.
    """
    found = _next_run(session, offered, max_attempts)
    if found is None:
        return None
    run, campaign_id = found
    _end_attempt(session, run.id, run.attempt, "lost", "its lease expired")
    run.state = RunState.RUNNING
    run.attempt += 1
    run.lease_owner = owner
    run.lease_until = func.now() + timedelta(seconds=lease_seconds)
    run.simulated_ns = 0
    run.events = 0
    image = (images or {}).get(run.simulator_digest)
    session.add(Attempt(run_id=run.id, number=run.attempt, worker=owner, image=image))
    session.execute(
        update(Campaign).where(Campaign.id == campaign_id).values(last_turn=CLAIM_TURN.next_value())
    )
    session.flush()
    scenario = session.get_one(Scenario, run.scenario_digest).body
    spec = {"simulator": run.simulator_name, "seed_index": run.seed_index, "scenario": scenario}
    return Lease(run.id, owner, run.attempt, run.simulator_digest, spec)


def _next_run(
    session: Session, offered: Sequence[str], max_attempts: int
) -> tuple[Run, str] | None:
    """The next claimable run, locked, and the campaign whose turn it is.

    Only runs that have not ended are looked at (ix_campaign_run_open), so that a claim costs the
    same at the beginning and at the end of a campaign of 20,000 runs.
    """
    has_open = exists().where(CampaignRun.campaign_id == Campaign.id, CampaignRun.open)
    turns = (
        select(Campaign.id)
        .where(~Campaign.cancelled, Campaign.simulator_digest.in_(offered), has_open)
        .order_by(Campaign.last_turn, Campaign.created_at)
    )
    for campaign_id in session.scalars(turns).all():
        query = (
            select(Run)
            .join(CampaignRun, CampaignRun.run_id == Run.id)
            .where(
                CampaignRun.campaign_id == campaign_id, CampaignRun.open, _claimable(max_attempts)
            )
            .order_by(CampaignRun.seed_index, CampaignRun.cell_index)
            .limit(1)
            .with_for_update(of=Run, skip_locked=True)
        )
        run = session.scalars(query).first()
        if run is not None:
            return run, campaign_id
    return None


def heartbeat(
    session: Session, lease: Lease, lease_seconds: float, progress: Progress | None
) -> bool:
    """Keep the lease and report progress. False: lost or cancelled, stop the simulation."""
    values: dict[str, Any] = {"lease_until": func.now() + timedelta(seconds=lease_seconds)}
    if progress:
        values |= {"simulated_ns": progress.simulated_ns, "events": progress.events}
    changed = session.execute(
        update(Run).where(_holds(lease)).values(**values).returning(Run.cancel)
    ).first()
    if changed is None:
        return False
    if progress:
        notify(session, _wanting(session, lease.run_id))
    return not changed.cancel


def finish(session: Session, lease: Lease, outcome: Outcome) -> bool:
    """Land what became of an execution, results and state together. False: too late, refused."""
    if outcome.executor_lost:
        return _give_back(session, lease, outcome)
    state = RunState.FAILED
    if outcome.cancelled:
        return _end_cancelled(session, lease, outcome)
    values: dict[str, Any] = {
        "failure": outcome.failure,
        "message": outcome.message.replace("\x00", "\ufffd"),
        "wall_seconds": outcome.wall_seconds,
    }
    if outcome.result is not None:
        state = RunState.SUCCEEDED
        values |= _columns(outcome.result)
    if not _end(session, lease, state, values):
        return False
    if outcome.result is not None:
        _store_result(session, lease.run_id, outcome.result)
    _end_attempt(session, lease.run_id, lease.attempt, state, outcome.message, outcome.stderr)
    notify(session, _wanting(session, lease.run_id))
    return True


def reconcile(session: Session, max_attempts: int = MAX_ATTEMPTS) -> int:
    """End expired leases: queued again, cancelled, or failed after the last attempt. How many.

    Run in every worker, effective in one at a time (advisory lock); an expired run could also be
    claimed directly, so nothing is lost while nobody reconciles.
    """
    if not locks.reconcile_alone(session):
        return 0
    expired = session.scalars(
        select(Run)
        .where(Run.state == RunState.RUNNING, Run.lease_until < func.now())
        .with_for_update(skip_locked=True)
    ).all()
    for run in expired:
        _end_attempt(session, run.id, run.attempt, "lost", "its lease expired")
        _after_loss(run, "its worker was lost", max_attempts)
        session.flush()
        notify(session, _wanting(session, run.id))
    return len(expired)


def held(session: Session, leases: Sequence[tuple[str, int]]) -> set[tuple[str, int]]:
    """Those of these leases (run id, attempt) that have not come to an end."""
    query = select(Run.id, Run.attempt).where(
        tuple_(Run.id, Run.attempt).in_(leases), Run.state == RunState.RUNNING
    )
    return {(id_, attempt) for id_, attempt in session.execute(query)}


def give_back_all(session: Session, worker: str) -> int:
    """Queue again what the processes of a worker have leased that is about to leave; how many."""
    runs = session.scalars(
        select(Run)
        .where(Run.state == RunState.RUNNING, _belongs_to(Run.lease_owner, worker))
        .order_by(Run.id)
        .with_for_update()
    ).all()
    for run in runs:
        _end_attempt(session, run.id, run.attempt, "lost", "its worker was stopped")
        run.first_attempt += 1  # an orderly end is nobody's failure and does not count
        _after_loss(run, "its worker was stopped", MAX_ATTEMPTS)
        session.flush()
        notify(session, _wanting(session, run.id))
    return len(runs)


def busy_slots(session: Session, worker: str) -> int:
    """How many leases the processes of one worker hold; their owners are ``WORKER/PROCESS``."""
    return sum(
        session.scalar(
            select(func.count()).where(
                table.state == "running",
                table.lease_until >= func.now(),
                _belongs_to(table.lease_owner, worker),
            )
        )
        or 0
        for table in (Run, Verification)
    )


def idle_slots(session: Session) -> int:
    """How many claimable runs could be started right now: the smaller of runs and free slots."""
    live = select(Worker).where(Worker.seen_at >= func.now() - WORKER_MEMORY).subquery()
    slots = session.scalar(select(func.coalesce(func.sum(live.c.slots), 0))) or 0
    digests = select(func.jsonb_array_elements_text(live.c.simulators))
    running = session.scalar(
        select(func.count()).where(Run.state == RunState.RUNNING, Run.lease_until >= func.now())
    )
    verifying = session.scalar(
        select(func.count()).where(
            Verification.state == "running", Verification.lease_until >= func.now()
        )
    )
    free = slots - (running or 0) - (verifying or 0)
    if free <= 0:
        return 0
    waiting = (
        select(literal(1))
        .select_from(Run)
        .where(
            Run.state.in_([RunState.QUEUED, RunState.RUNNING]),
            _claimable(MAX_ATTEMPTS),
            Run.simulator_digest.in_(digests),
        )
        .limit(free)
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(waiting)) or 0


def _belongs_to(owner: Any, worker: str) -> Any:
    return owner.startswith(f"{worker}/", autoescape=True)


def _holds(lease: Lease) -> Any:
    return and_(
        Run.id == lease.run_id,
        Run.state == RunState.RUNNING,
        Run.lease_owner == lease.owner,
        Run.attempt == lease.attempt,
    )


def _end(session: Session, lease: Lease, state: RunState, values: dict[str, Any]) -> bool:
    changed = session.execute(
        update(Run)
        .where(_holds(lease))
        .values(
            state=state,
            lease_owner=None,
            lease_until=None,
            cancel=False,
            ended_at=func.now(),
            **values,
        )
        .returning(Run.id)
    ).first()
    return changed is not None


def _end_cancelled(session: Session, lease: Lease, outcome: Outcome) -> bool:
    """A cancelled run, unless it was resumed meanwhile or the lease was lost: then it goes on."""
    run = session.scalars(select(Run).where(_holds(lease)).with_for_update()).first()
    if run is None:
        return False
    if not run.cancel:
        return _give_back(session, lease, outcome)
    _end(session, lease, RunState.CANCELLED, {"message": "cancelled"})
    _end_attempt(session, run.id, lease.attempt, "cancelled", "cancelled", outcome.stderr)
    notify(session, _wanting(session, run.id))
    return True


def _give_back(session: Session, lease: Lease, outcome: Outcome) -> bool:
    run = session.scalars(select(Run).where(_holds(lease)).with_for_update()).first()
    if run is None:
        return False
    _end_attempt(session, run.id, lease.attempt, "lost", outcome.message, outcome.stderr)
    _after_loss(run, outcome.message, MAX_ATTEMPTS)
    session.flush()
    notify(session, _wanting(session, run.id))
    return True


def _after_loss(run: Run, message: str, max_attempts: int) -> None:
    run.lease_owner = None
    run.lease_until = None
    if run.cancel:
        run.state, run.message, run.cancel = RunState.CANCELLED, "cancelled", False
        run.ended_at = func.now()
    elif run.attempt - run.first_attempt >= max_attempts:
        run.state, run.failure = RunState.FAILED, FailureReason.LOST_WORKER
        run.message = f"{message}, {max_attempts} times"
        run.ended_at = func.now()
    else:
        run.state = RunState.QUEUED


def _end_attempt(
    session: Session, run_id: str, number: int, outcome: str, message: str, stderr: str = ""
) -> None:
    session.execute(
        update(Attempt)
        .where(Attempt.run_id == run_id, Attempt.number == number, Attempt.ended_at.is_(None))
        .values(
            ended_at=func.now(),
            outcome=outcome,
            message=message.replace("\x00", "\ufffd"),
            stderr=stderr.replace("\x00", "\ufffd"),
        )
    )


def _wanting(session: Session, run_id: str) -> Sequence[str]:
    query = select(CampaignRun.campaign_id).where(CampaignRun.run_id == run_id).distinct()
    return session.scalars(query).all()


def _columns(result: RunResult) -> dict[str, Any]:
    return {
        "digest": result.digest,
        "record_digests": result.record_digests,
        "started": dict(result.started),
        "about": dict(result.about),
        "cpu_seconds": result.about.get("cpu_seconds"),
        "events": result.events,
        "simulated_ns": Run.duration_ns,
    }


def _store_result(session: Session, run_id: str, result: RunResult) -> None:
    metrics = [{"name": m.name, "value": m.value, "unit": m.unit} for m in result.metrics]
    checks = [{"name": c.name, "held": c.held, "detail": c.detail} for c in result.checks]
    details = _detail_rows("flow", result.flows) + _detail_rows("port", result.ports)
    rows: list[tuple[Any, list[dict[str, Any]]]] = [
        (MetricRow, metrics),
        (SeriesRow, [_series_row(series) for series in result.series]),
        (DetailRow, details),
        (CheckRow, checks),
    ]
    for table, values in rows:
        if values:
            session.execute(insert(table), [{"run_id": run_id, **row} for row in values])


def _detail_rows(kind: str, records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "index": index, "fields": dict(record)}
        for index, record in enumerate(records)
    ]


def _series_row(series: Series) -> dict[str, Any]:
    values = series.values
    return {
        "name": series.name,
        "unit": series.unit,
        "first_ns": series.first_ns,
        "step_ns": series.step_ns,
        "length": len(values),
        "maximum": float(values.max()) if len(values) else 0.0,
        "mean": float(values.mean()) if len(values) else 0.0,
        "data": compress(values),
        "preview": pack_preview(values),
    }
