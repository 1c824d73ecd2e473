"""Submitting campaigns, extending, cancelling and resuming them."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.errors import ConflictError, NotFoundError, Problem, SpecError
from windtunnel.plan import Cell as PlannedCell
from windtunnel.plan import Plan
from windtunnel.run import RunState
from windtunnel.spec.campaign import MAX_REPLICATIONS
from windtunnel.spec.description import Cost, Description
from windtunnel.store import controller, growth, locks
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run, Scenario, Simulator

_MANY_RUNS = 500
_CALIBRATION_RUNS = 200
_LEAST_CALIBRATION_RUNS = 5


@dataclass(frozen=True)
class Prediction:
    """Cost of all runs of a plan: events, and seconds of CPU."""

    events: float
    cpu_seconds: float
    calibrated: bool


def predict(session: Session, plan: Plan) -> Prediction:
    """The simulators' own predictions, scaled by how each has done on this service's last runs."""
    predictions = [_calibrated(session, name, cost) for name, cost in plan.costs.items()]
    return Prediction(
        events=sum(one.events for one in predictions),
        cpu_seconds=sum(one.cpu_seconds for one in predictions),
        calibrated=all(one.calibrated for one in predictions),
    )


def _calibrated(session: Session, simulator: str, cost: Cost) -> Prediction:
    recent = (
        select(Run.events, Run.predicted_events, Run.cpu_seconds.label("cpu"))
        .where(Run.simulator_name == simulator, Run.state == RunState.SUCCEEDED)
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
    if count < _LEAST_CALIBRATION_RUNS or not predicted or not cpu or not events:
        return Prediction(cost.events, cost.cpu_seconds, calibrated=False)
    expected = cost.events * float(events) / float(predicted)
    return Prediction(expected, expected * float(cpu) / float(events), calibrated=True)


def submit(
    session: Session,
    plan: Plan,
    prediction: Prediction,
    request_digest: str,
    idempotency_key: str | None = None,
    submitted_by: str | None = None,
) -> tuple[str, bool]:
    """Store a campaign with all cells and runs; (id, whether it is new).

    Raises ConflictError if the key came with another request before.
    """
    if idempotency_key:
        session.execute(select(func.pg_advisory_xact_lock(func.hashtext(idempotency_key))))
        query = select(Campaign).where(Campaign.idempotency_key == idempotency_key)
        earlier = session.scalars(query).first()
        if earlier is not None:
            if earlier.request_digest != request_digest:
                raise ConflictError("this Idempotency-Key was used for a different campaign")
            return earlier.id, False
    locks.lock_runs_shared(session)
    _store_scenarios(session, plan)
    campaign = Campaign(
        id=secrets.token_hex(5),
        name=plan.campaign.name,
        description=plan.campaign.description,
        document=dict(plan.campaign.document),
        state=CampaignState.PLANNED,
        simulators=_simulators(session, plan),
        axes=[axis.name for axis in plan.campaign.axes],
        baseline=dict(plan.campaign.baseline),
        metrics=[asdict(metric) for metric in plan.metrics],
        default_metrics=list(plan.default_metrics),
        replications=plan.campaign.replications,
        predicted_events=prediction.events,
        predicted_cpu_seconds=prediction.cpu_seconds,
        reused_runs=0,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        submitted_by=submitted_by,
    )
    session.add(campaign)
    session.flush()
    cells = [_cell(campaign.id, cell) for cell in plan.cells]
    session.execute(insert(Cell), cells)
    rows = [Cell(**cell) for cell in cells]
    campaign.reused_runs = growth.add_runs(session, campaign.id, rows, plan.seed_indices)
    return campaign.id, True


def extend(session: Session, campaign_id: str, replications: int, max_runs: int) -> bool:
    """Add seeds until every cell has so many; whether any were added. Idempotent.

    Adds exactly the runs that are not there. Where all runs succeed, the result is that of a
    campaign which was submitted with so many replications. Raises ConflictError for a cancelled
    campaign, SpecError for fewer replications than it has or more than are allowed.
    """
    locks.lock_runs_shared(session)
    locks.grow(session, campaign_id)
    campaign = _current(session, campaign_id)
    if campaign.state == CampaignState.CANCELLED:
        raise ConflictError(f"{campaign_id} was cancelled; resume it first")
    cells = session.scalars(select(Cell).where(Cell.campaign_id == campaign_id)).all()
    before = campaign.replications
    _check_replications(before, replications, len(cells), max_runs)
    if replications == before:
        return False
    seeds = range(before + 1, replications + 1)
    # The campaign's row is changed after its runs: locks are taken in that order.
    campaign.reused_runs += growth.add_runs(session, campaign_id, cells, seeds)
    campaign.replications = replications
    # Every seed of a campaign is predicted to cost the same.
    campaign.predicted_events *= replications / before
    campaign.predicted_cpu_seconds *= replications / before
    return True


def _check_replications(before: int, wanted: int, cells: int, max_runs: int) -> None:
    message = None
    if wanted < before:
        message = f"the campaign has {before} already; give more (runs are never taken away)"
    elif wanted > MAX_REPLICATIONS:
        message = f"{wanted} is out of range; at most {MAX_REPLICATIONS}"
    elif wanted * cells > max_runs:
        runs = wanted * cells
        message = f"{cells} cells x {wanted} are {runs} runs; at most {max_runs} are allowed"
    if message:
        raise SpecError([Problem("replications", message)])


def cancel(session: Session, campaign_id: str) -> None:
    """Cancel a campaign, and its runs that no other campaign wants. Idempotent.

    A campaign that has ended stays as it is.
    """
    locks.grow(session, campaign_id)
    runs = _lock_runs(session, campaign_id)
    session.execute(
        update(Campaign)
        .where(Campaign.id == campaign_id, Campaign.state != CampaignState.ENDED)
        .values(state=CampaignState.CANCELLED)
    )
    cancel_unwanted(session, runs, campaign_id)
    controller.notify(session, [campaign_id])


def cancel_unwanted(session: Session, runs: Select[str], but: str) -> None:
    """Cancel those of these unfinished runs that no campaign wants, left out the one ``but``.

    Running ones are marked; their worker stops them.
    """
    wanted = exists().where(
        CampaignRun.run_id == Run.id,
        Campaign.id == CampaignRun.campaign_id,
        Campaign.id != but,
        Campaign.state != CampaignState.CANCELLED,
    )
    chosen = and_(Run.id.in_(runs), ~wanted)
    session.execute(
        update(Run)
        .where(chosen, Run.state == RunState.QUEUED)
        .values(state=RunState.CANCELLED, ended_at=func.now(), message="cancelled")
    )
    session.execute(
        update(Run).where(chosen, Run.state == RunState.RUNNING).values(cancel_requested=True)
    )


def resume(session: Session, campaign_id: str) -> None:
    """Want a campaign again: its failed and cancelled runs are queued. Idempotent."""
    locks.lock_runs_shared(session)
    locks.grow(session, campaign_id)
    campaign = _current(session, campaign_id)
    cells = session.scalars(select(Cell).where(Cell.campaign_id == campaign_id)).all()
    seeds = range(1, campaign.replications + 1)
    growth.add_runs(session, campaign_id, cells, seeds, revive=True)


def analyze_tables(session: Session, runs: int) -> None:
    """After a large submission: PostgreSQL would plan by yesterday's sizes until autovacuum looks.

    To be called in a transaction of its own. A claim without it takes 50 ms among 20,000 runs.
    """
    if runs >= _MANY_RUNS:
        session.execute(text("ANALYZE campaign_run, run, cell, scenario"))


def _store_scenarios(session: Session, plan: Plan) -> None:
    bodies = {cell.digest: dict(cell.scenario) for cell in plan.cells}
    rows = [{"digest": digest, "body": bodies[digest]} for digest in sorted(bodies)]
    session.execute(insert(Scenario).on_conflict_do_nothing(), rows)


def _simulators(session: Session, plan: Plan) -> dict[str, Any]:
    digests = [one.digest for one in plan.simulators]
    query = select(Simulator.digest, Simulator.built_at).where(Simulator.digest.in_(digests))
    built: dict[str, datetime | None] = {row[0]: row[1] for row in session.execute(query)}
    return {
        one.digest: _build(one, built.get(one.digest), several=len(plan.simulators) > 1)
        for one in plan.simulators
    }


def _build(simulator: Description, built_at: datetime | None, several: bool) -> dict[str, Any]:
    build = {
        "name": simulator.name,
        "built_at": built_at.isoformat() if built_at else None,
    }
    # What each measures has to be known only where another may measure something else.
    return {**build, "metrics": [one.name for one in simulator.metrics]} if several else build


def _cell(campaign_id: str, cell: PlannedCell) -> dict[str, Any]:
    return {
        "campaign_id": campaign_id,
        "index": cell.index,
        "coordinates": dict(cell.coordinates),
        "baseline": cell.baseline,
        "scenario_digest": cell.digest,
        "simulator_name": cell.simulator.name,
        "simulator_digest": cell.simulator.digest,
        "duration_ns": round(cell.cost.simulated_seconds * 1e9),
        "predicted_events": cell.cost.events,
    }


def _current(session: Session, campaign_id: str) -> Campaign:
    """The campaign as it is now that the locks are held. Raises NotFoundError if it is gone."""
    campaign = session.get(Campaign, campaign_id, populate_existing=True)
    if campaign is None:
        raise NotFoundError(f"there is no campaign {campaign_id}")
    return campaign


def _lock_runs(session: Session, campaign_id: str) -> Select[str]:
    """Lock runs before the campaign, as a claim does, so that the two can't block each other."""
    runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
    session.execute(select(Run.id).where(Run.id.in_(runs)).order_by(Run.id).with_for_update())
    return runs
