"""Which worker executes which run: claims, heartbeats, landing, and what becomes of lost ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sqlalchemy import func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.quotas import UNLIMITED, Quotas
from windtunnel.result import RunResult, Series
from windtunnel.run import MAX_ATTEMPTS, FailureReason, RunState
from windtunnel.simulator import Cancelled, Failed, Lost, Outcome, Succeeded
from windtunnel.simulator.reader import Progress
from windtunnel.spec.campaign import RunLimits, most_generous
from windtunnel.store import controller, leases, locks, record_columns, turns, usage, verifications
from windtunnel.store.results import names_digest
from windtunnel.store.runs import run_spec
from windtunnel.store.series_codec import compress, pack_preview
from windtunnel.store.simulators import WORKER_MEMORY
from windtunnel.store.tables import (
    CLAIM_TURN,
    Attempt,
    Campaign,
    CampaignRun,
    CheckRow,
    MetricRow,
    Run,
    SeriesRow,
    Worker,
)
from windtunnel.store.verifications import VerificationLease

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Lease:
    """The right to execute one run, until it expires."""

    id: str
    owner: str
    attempt: int
    simulator_digest: str
    spec: dict[str, Any]
    limits: RunLimits


def claim(
    session: Session,
    owner: str,
    offered: Sequence[str],
    lease_seconds: float,
    max_attempts: int = MAX_ATTEMPTS,
    images: Mapping[str, str | None] | None = None,
    quotas: Quotas = UNLIMITED,
) -> Lease | VerificationLease | None:
    """Take the next run or verification that a simulator in ``offered`` (digests) can execute.

    Returns None if there is none. ``images`` says by digest which image will be executed, for the
    record. ``quotas`` are the service's defaults. `turns` decides what is next.
    """
    for turn in turns.in_order(session, offered, usage.out_of_cpu(session, quotas)):
        lease: Lease | VerificationLease | None = None
        if turn.campaign_id is None:
            lease = verifications.claim(session, owner, offered, lease_seconds, turn.submitter)
        elif run := _next_run(session, turn.campaign_id, offered, max_attempts):
            _end_attempt(session, run.id, run.attempt, "lost", "its lease expired")
            leases.take(run, owner, lease_seconds, turn.submitter)
            lease = _begin(session, run, turn.campaign_id, (images or {}).get(run.simulator_digest))
        if lease is not None:
            turns.record(session, turn)
            return lease
    return None


def _next_run(
    session: Session, campaign_id: str, offered: Sequence[str], max_attempts: int
) -> Run | None:
    """The campaign's next claimable run, locked."""
    query = (
        select(Run)
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(
            CampaignRun.campaign_id == campaign_id,
            CampaignRun.unfinished,
            CampaignRun.simulator_digest.in_(offered),
            leases.claimable(Run, max_attempts),
            ~Run.cancel_requested,
        )
        .order_by(CampaignRun.seed_index, CampaignRun.cell_index)
        .limit(1)
        .with_for_update(of=Run, skip_locked=True)
    )
    return session.scalars(query).first()


def _begin(session: Session, run: Run, campaign_id: str, image: str | None) -> Lease:
    """Record the attempt of a run that was leased in this campaign's turn."""
    owner = run.lease_owner or ""
    run.simulated_ns = 0
    run.events = 0
    session.add(Attempt(run_id=run.id, number=run.attempt, worker=owner, image=image))
    session.flush()
    controller.begin(session, campaign_id, run.id, CLAIM_TURN.next_value())
    spec = run_spec(session, run)
    limits = _limits(session, run)
    return Lease(run.id, owner, run.attempt, run.simulator_digest, spec, limits)


def _limits(session: Session, run: Run) -> RunLimits:
    """Campaigns that share a run share its outcome: the most generous of their limits hold."""
    query = (
        select(Campaign.limits)
        .join(CampaignRun, CampaignRun.campaign_id == Campaign.id)
        .where(CampaignRun.run_id == run.id, Campaign.state != CampaignState.CANCELLED)
    )
    return most_generous([RunLimits(**fields) for fields in session.scalars(query)])


def heartbeat(
    session: Session, lease: Lease, lease_seconds: float, progress: Progress | None
) -> bool:
    """Keep the lease and report progress. False: lost or cancelled, stop the simulation."""
    values: dict[str, Any] = {}
    if progress:
        values = {"simulated_ns": progress.simulated_ns, "events": progress.events}
    kept = leases.extend(session, Run, lease, lease_seconds, **values)
    if kept is None:
        return False
    if progress:
        controller.notify(session, controller.campaigns_of(session, [lease.id]))
    return not kept.cancel_requested


def finish(session: Session, lease: Lease, outcome: Outcome) -> bool:
    """Store an execution's outcome and the run's new state. False if the lease was lost."""
    values: dict[str, Any] = {"wall_seconds": outcome.wall_seconds}
    match outcome:
        case Lost(message=message):
            return _release(session, lease, message, outcome.stderr)
        case Cancelled():
            return _end_cancelled(session, lease, outcome.stderr)
        case Failed(reason=reason, message=message):
            state = RunState.FAILED
            values |= {"failure": reason, "message": message.replace("\x00", "\ufffd")}
        case Succeeded(result=result):
            state, message = RunState.SUCCEEDED, ""
            values |= {"failure": None, "message": message, **_columns(result)}
    if not _end(session, lease, state, values):
        return False
    if isinstance(outcome, Succeeded):
        _store_result(session, lease.id, outcome.result)
    _end_attempt(session, lease.id, lease.attempt, state, message, outcome.stderr)
    usage.measure(session, lease.id)
    _step(session, [lease.id])
    return True


def reconcile(session: Session, max_attempts: int = MAX_ATTEMPTS) -> int:
    """End expired leases: queued again, cancelled, or failed after the last attempt. How many.

    Run in every worker, effective in one at a time (advisory lock); an expired run could also be
    claimed directly, so nothing is lost while nobody reconciles.
    """
    if not locks.reconcile_alone(session):
        return 0
    lost = leases.expired(session, Run)
    for run in lost:
        _end_attempt(session, run.id, run.attempt, "lost", "its lease expired")
        _after_loss(run, "its worker was lost", max_attempts)
    _step(session, [run.id for run in lost])
    usage.compact(session)
    return len(lost)


def release_all(session: Session, worker: str) -> int:
    """Queue again what the processes of a worker have leased that is about to leave; how many."""
    runs = leases.active_leases(session, Run, worker)
    for run in runs:
        _end_attempt(session, run.id, run.attempt, "lost", "its worker was stopped")
        run.first_attempt += 1  # an orderly end is nobody's failure and does not count
        _after_loss(run, "its worker was stopped", MAX_ATTEMPTS)
    _step(session, [run.id for run in runs])
    return len(runs)


def wakeups(session: Session, quotas: Quotas) -> int:
    """How many workers to wake up for what they could claim now.

    ``quotas`` are the service's defaults: nobody is woken up for submitters that wait.
    """
    if not turns.is_anybodys(session, usage.out_of_cpu(session, quotas)):
        return 0
    return startable_runs(session) or int(verifications.waiting(session))


def startable_runs(session: Session) -> int:
    """How many claimable runs could be started right now: the smaller of runs and free slots."""
    live = select(Worker).where(Worker.seen_at >= func.now() - WORKER_MEMORY).subquery()
    slots = session.scalar(select(func.coalesce(func.sum(live.c.slots), 0))) or 0
    digests = select(func.jsonb_array_elements_text(live.c.simulators))
    free = slots - leases.busy_slots(session)
    if free <= 0:
        return 0
    waiting = (
        select(literal(1))
        .select_from(Run)
        .where(
            Run.state.in_([RunState.QUEUED, RunState.RUNNING]),
            leases.claimable(Run),
            ~Run.cancel_requested,
            Run.simulator_digest.in_(digests),
        )
        .limit(free)
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(waiting)) or 0


def _step(session: Session, run_ids: Sequence[str]) -> None:
    if run_ids:
        session.flush()
        controller.step(session, controller.campaigns_of(session, run_ids))


def _end(session: Session, lease: Lease, state: RunState, values: dict[str, Any]) -> bool:
    changed = session.execute(
        update(Run)
        .where(leases.holds(Run, lease))
        .values(
            state=state,
            lease_owner=None,
            lease_until=None,
            cancel_requested=False,
            ended_at=func.now(),
            **values,
        )
        .returning(Run.id)
    ).first()
    return changed is not None


def _locked(session: Session, lease: Lease) -> Run | None:
    return session.scalars(select(Run).where(leases.holds(Run, lease)).with_for_update()).first()


def _end_cancelled(session: Session, lease: Lease, stderr: str) -> bool:
    """A cancelled run, unless it was resumed meanwhile or the lease was lost: then it goes on."""
    run = _locked(session, lease)
    if run is None:
        return False
    if not run.cancel_requested:
        return _release(session, lease, "cancelled", stderr)
    _end(session, lease, RunState.CANCELLED, {"message": "cancelled"})
    _end_attempt(session, run.id, lease.attempt, "cancelled", "cancelled", stderr)
    usage.measure(session, run.id)
    _step(session, [run.id])
    return True


def _release(session: Session, lease: Lease, message: str, stderr: str) -> bool:
    run = _locked(session, lease)
    if run is None:
        return False
    _end_attempt(session, run.id, lease.attempt, "lost", message, stderr)
    _after_loss(run, message, MAX_ATTEMPTS)
    session.flush()
    usage.measure(session, run.id)
    _step(session, [run.id])
    return True


def _after_loss(run: Run, message: str, max_attempts: int) -> None:
    """Queue a run again whose execution was lost, unless it is cancelled or has no attempt left."""
    if run.cancel_requested:
        run.lease_owner, run.lease_until = None, None
        run.state, run.message, run.cancel_requested = RunState.CANCELLED, "cancelled", False
        run.ended_at = func.now()
    elif not leases.release(run, message, max_attempts):
        run.state, run.failure = RunState.FAILED, FailureReason.LOST_WORKER
        run.ended_at = func.now()


def _end_attempt(
    session: Session, run_id: str, number: int, outcome: str, message: str, stderr: str = ""
) -> None:
    """End an attempt, unless it has ended already."""
    ended = session.execute(
        update(Attempt)
        .where(Attempt.run_id == run_id, Attempt.number == number, Attempt.ended_at.is_(None))
        .values(
            ended_at=func.now(),
            outcome=outcome,
            message=message.replace("\x00", "\ufffd"),
            stderr=stderr.replace("\x00", "\ufffd"),
        )
        .returning(Attempt.worker)
    ).first()
    if ended is not None:
        level = logging.WARNING if outcome == "lost" else logging.INFO
        reason = f": {message}" if message else ""
        log.log(level, "%s%s", outcome, reason, extra={"run": run_id, "attempt": number})


def _columns(result: RunResult) -> dict[str, Any]:
    return {
        "digest": result.digest,
        "record_digests": result.record_digests,
        "started": dict(result.started),
        "schedule": result.schedule,
        "run_metadata": dict(result.metadata),
        "cpu_seconds": result.metadata.get("cpu_seconds"),
        "metric_names": names_digest([metric.name for metric in result.metrics]),
        "events": result.events,
        "simulated_ns": Run.duration_ns,
    }


def _store_result(session: Session, run_id: str, result: RunResult) -> None:
    metrics = [{"name": m.name, "value": m.value, "unit": m.unit} for m in result.metrics]
    checks = [{"name": c.name, "held": c.held, "detail": c.detail} for c in result.checks]
    rows: list[tuple[Any, list[dict[str, Any]]]] = [
        (MetricRow, metrics),
        (SeriesRow, [_series_row(series) for series in result.series]),
        (CheckRow, checks),
    ]
    for table, values in rows:
        if values:
            session.execute(insert(table), [{"run_id": run_id, **row} for row in values])
    record_columns.store(session, run_id, "flow", result.flows)
    record_columns.store(session, run_id, "port", result.ports)
    delays = [asdict(delay) for delay in result.packet_delays]
    record_columns.store(session, run_id, "packet_delay", delays)


def _series_row(series: Series) -> dict[str, Any]:
    values = series.values
    return {
        "name": series.name,
        "unit": series.unit,
        "first_ns": series.first_ns,
        "step_ns": series.step_ns,
        "length": len(values),
        "maximum": float(values.max()) if len(values) else 0.0,
        # In double precision: a sum of float32 may overflow to infinity.
        "mean": float(values.mean(dtype=np.float64)) if len(values) else 0.0,
        "data": compress(values),
        "preview": pack_preview(values),
    }
