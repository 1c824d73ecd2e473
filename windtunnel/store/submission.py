"""Submitting campaigns, cancelling and resuming them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError
from windtunnel.plan import Plan
from windtunnel.run import ENDED, RunState
from windtunnel.spec.description import Description
from windtunnel.store import locks
from windtunnel.store.campaigns import notify
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run, Scenario

_CHUNK = 2000
_MANY_RUNS = 500
_CALIBRATION_RUNS = 200
_LEAST_CALIBRATION_RUNS = 5


@dataclass(frozen=True)
class Prediction:
    """Cost of all runs of a plan: events, and seconds of CPU."""

    events: float
    cpu_seconds: float
    calibrated: bool


def predict(session: Session, plan: Plan, description: Description) -> Prediction:
    """The simulator's own prediction, scaled by how it has done on this service's last runs."""
    recent = (
        select(Run.events, Run.predicted_events, Run.cpu_seconds.label("cpu"))
        .where(Run.simulator_name == description.name, Run.state == RunState.SUCCEEDED)
        .order_by(Run.ended_at.desc())
        .limit(_CALIBRATION_RUNS)
        .subquery()
    )
    totals = select(
        func.count(),
        func.sum(recent.c.events),
        func.sum(recent.c.predicted_events),
        func.sum(recent.c.cpu),
    )
    count, events, predicted, cpu = session.execute(totals).one()
    cost = plan.cost
    if count < _LEAST_CALIBRATION_RUNS or not predicted or not cpu or not events:
        return Prediction(cost.events, cost.events / cost.events_per_second, calibrated=False)
    expected = cost.events * float(events) / float(predicted)
    return Prediction(expected, expected * float(cpu) / float(events), calibrated=True)


def submit(
    session: Session,
    plan: Plan,
    prediction: Prediction,
    description: Description,
    request_digest: str,
    idempotency_key: str | None = None,
    submitted_by: str | None = None,
) -> tuple[str, bool]:
    """Store a campaign with all cells and runs; (id, whether it is new).

    Succeeded runs of equal identity are reused, queued and running ones shared, failed and
    cancelled ones queued again. Raises ConflictError if the key came with another request before.
    """
    if idempotency_key:
        session.execute(select(func.pg_advisory_xact_lock(func.hashtext(idempotency_key))))
        query = select(Campaign).where(Campaign.idempotency_key == idempotency_key)
        earlier = session.scalars(query).first()
        if earlier is not None:
            if earlier.request_digest != request_digest:
                raise ConflictError("this Idempotency-Key was used for a different campaign")
            return earlier.id, False
    locks.keep_runs(session)
    wanted = list(plan.runs())
    _store_scenarios(session, plan)
    _store_runs(session, plan, description)
    ids = [identity for _, _, identity in wanted]
    reused = _requeue(session, sorted(ids))  # everybody locks in one order
    campaign = Campaign(
        id=secrets.token_hex(5),
        name=plan.campaign.name,
        document=dict(plan.campaign.document),
        simulator_name=description.name,
        simulator_digest=description.digest,
        replications=plan.campaign.replications,
        predicted_events=prediction.events,
        predicted_cpu_seconds=prediction.cpu_seconds,
        reused_runs=reused,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        submitted_by=submitted_by,
    )
    session.add(campaign)
    session.flush()
    cells = [
        {
            "campaign_id": campaign.id,
            "index": cell.index,
            "where": dict(cell.where),
            "baseline": cell.baseline,
            "scenario_digest": cell.digest,
        }
        for cell in plan.cells
    ]
    session.execute(insert(Cell), cells)
    links = [
        {
            "campaign_id": campaign.id,
            "cell_index": cell.index,
            "seed_index": seed_index,
            "run_id": identity,
        }
        for cell, seed_index, identity in wanted
    ]
    session.execute(insert(CampaignRun), links)
    ended = exists().where(Run.id == CampaignRun.run_id, Run.state.in_(ENDED))
    session.execute(
        update(CampaignRun).where(CampaignRun.campaign_id == campaign.id, ended).values(open=False)
    )
    return campaign.id, True


def tell_planner(session: Session, runs: int) -> None:
    """After a large submission: PostgreSQL would plan by yesterday's sizes until autovacuum looks.

    To be called in a transaction of its own. A claim without it takes 50 ms among 20,000 runs.
    """
    if runs >= _MANY_RUNS:
        session.execute(text("ANALYZE campaign_run, run, cell, scenario"))


def _store_scenarios(session: Session, plan: Plan) -> None:
    rows = [{"digest": cell.digest, "body": dict(cell.scenario)} for cell in plan.cells]
    rows.sort(key=lambda row: str(row["digest"]))  # one order of locks for everybody
    session.execute(insert(Scenario).on_conflict_do_nothing(), rows)


def _store_runs(session: Session, plan: Plan, description: Description) -> None:
    costs = {cell.index: description.cost(cell.scenario) for cell in plan.cells}
    rows = [
        {
            "id": identity,
            "scenario_digest": cell.digest,
            "seed_index": seed_index,
            "simulator_name": description.name,
            "simulator_digest": plan.simulator_digest,
            "duration_ns": round(costs[cell.index].simulated_seconds * 1e9),
            "predicted_events": costs[cell.index].events,
            "state": RunState.QUEUED,
        }
        for cell, seed_index, identity in plan.runs()
    ]
    rows.sort(key=lambda row: str(row["id"]))
    session.execute(insert(Run).on_conflict_do_nothing(), rows)


def _requeue(session: Session, ids: Sequence[str]) -> int:
    """Queue failed and cancelled runs again, keep running ones; how many are done already."""
    reused = 0
    for begin in range(0, len(ids), _CHUNK):
        chunk = ids[begin : begin + _CHUNK]
        chosen = Run.id.in_(chunk)
        session.execute(select(Run.id).where(chosen).order_by(Run.id).with_for_update())
        _queue_again(session, chosen)
        done = select(func.count()).where(chosen, Run.state == RunState.SUCCEEDED)
        reused += session.scalar(done) or 0
    return reused


def _queue_again(session: Session, chosen: Any) -> None:
    session.execute(
        update(Run)
        .where(chosen, Run.state.in_([RunState.FAILED, RunState.CANCELLED]))
        .values(
            state=RunState.QUEUED,
            failure=None,
            message="",
            cancel=False,
            first_attempt=Run.attempt,
            simulated_ns=0,
            events=0,
            ended_at=None,
        )
    )
    session.execute(
        update(Run).where(chosen, Run.state == RunState.RUNNING, Run.cancel).values(cancel=False)
    )


def count_succeeded(session: Session, ids: Sequence[str]) -> int:
    """How many of these runs are done."""
    return sum(
        session.scalar(
            select(func.count()).where(
                Run.id.in_(ids[begin : begin + _CHUNK]), Run.state == RunState.SUCCEEDED
            )
        )
        or 0
        for begin in range(0, len(ids), _CHUNK)
    )


def cancel(session: Session, campaign_id: str) -> None:
    """Give up a campaign: its runs that nobody else wants are cancelled. Twice is once."""
    runs = _lock_runs(session, campaign_id)
    session.execute(update(Campaign).where(Campaign.id == campaign_id).values(cancelled=True))
    wanted = exists().where(
        CampaignRun.run_id == Run.id, Campaign.id == CampaignRun.campaign_id, ~Campaign.cancelled
    )
    chosen = and_(Run.id.in_(runs), ~wanted)
    session.execute(
        update(Run)
        .where(chosen, Run.state == RunState.QUEUED)
        .values(state=RunState.CANCELLED, ended_at=func.now(), message="cancelled")
    )
    session.execute(update(Run).where(chosen, Run.state == RunState.RUNNING).values(cancel=True))
    notify(session, [campaign_id])


def resume(session: Session, campaign_id: str) -> None:
    """Want a campaign again: its failed and cancelled runs are queued."""
    runs = _lock_runs(session, campaign_id)
    session.execute(update(Campaign).where(Campaign.id == campaign_id).values(cancelled=False))
    _queue_again(session, Run.id.in_(runs))
    notify(session, [campaign_id])


def _lock_runs(session: Session, campaign_id: str) -> Select[str]:
    """Lock runs before the campaign, as a claim does, so that the two can't block each other."""
    runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
    session.execute(select(Run.id).where(Run.id.in_(runs)).order_by(Run.id).with_for_update())
    return runs
