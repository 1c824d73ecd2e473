"""Submitting, extending, cancelling and resuming campaigns."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.errors import ConflictError, NotFoundError, Problem, SpecError
from windtunnel.plan import Cell as PlannedCell
from windtunnel.plan import Plan
from windtunnel.quotas import UNLIMITED, Quotas
from windtunnel.run import RunState
from windtunnel.spec.description import Description
from windtunnel.spec.limits import MAX_REPLICATIONS
from windtunnel.store import controller, coordinates, growth, locks, submitters
from windtunnel.store.prediction import Prediction
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run, Scenario, Simulator

_MANY_RUNS = 500


def submit(
    session: Session,
    plan: Plan,
    prediction: Prediction,
    request_digest: str,
    idempotency_key: str | None = None,
    submitted_by: str = ANONYMOUS,
    quotas: Quotas = UNLIMITED,
) -> tuple[str, bool]:
    """Store a campaign with all cells and runs. Returns its id and whether it is new.

    An idempotency key is its submitter's: others may use the same. ``quotas`` are the service's
    defaults. Raises ConflictError if the key was used for a different request, QuotaExceededError.
    """
    if idempotency_key:
        locks.lock_idempotency_key(session, submitted_by, idempotency_key)
        query = select(Campaign).where(
            Campaign.submitted_by == submitted_by, Campaign.idempotency_key == idempotency_key
        )
        earlier = session.scalars(query).first()
        if earlier is not None:
            if earlier.request_digest != request_digest:
                raise ConflictError("this Idempotency-Key was used for a different campaign")
            return earlier.id, False
    locks.lock_runs_shared(session)
    submitters.register(session, submitted_by)
    _store_scenarios(session, plan)
    campaign = Campaign(
        id=secrets.token_hex(5),
        name=plan.campaign.name,
        description=plan.campaign.description,
        document=dict(plan.campaign.document),
        state=CampaignState.PLANNED,
        simulators=_simulators(session, plan),
        axes=coordinates.stored_axes(plan.campaign.axes),
        baseline=dict(plan.campaign.baseline),
        metrics=[asdict(metric) for metric in plan.metrics],
        lints=[asdict(lint) for lint in plan.lints],
        limits=asdict(plan.campaign.limits),
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
    campaign.reused_runs = growth.add_runs(session, campaign, rows, plan.seed_indices, quotas)
    return campaign.id, True


def extend(
    session: Session,
    campaign_id: str,
    replications: int,
    max_runs: int,
    quotas: Quotas = UNLIMITED,
) -> bool:
    """Add seeds until every cell has ``replications``. Returns whether any were added. Idempotent.

    Adds only the missing runs. If all runs succeed, the result equals that of a campaign submitted
    with this number of replications. Raises ConflictError for a cancelled campaign, SpecError for
    fewer replications than it has or more than are allowed, QuotaExceededError.
    """
    locks.lock_runs_shared(session)
    locks.lock_growth(session, campaign_id)
    campaign = _current(session, campaign_id)
    if campaign.state == CampaignState.CANCELLED:
        raise ConflictError(f"{campaign_id} was cancelled; resume it first")
    cells = session.scalars(select(Cell).where(Cell.campaign_id == campaign_id)).all()
    current = campaign.replications
    _check_replications(current, replications, len(cells), max_runs)
    if replications == current:
        return False
    seeds = range(current + 1, replications + 1)
    # Change the campaign's row after its runs: this is the lock order.
    campaign.reused_runs += growth.add_runs(session, campaign, cells, seeds, quotas)
    campaign.replications = replications
    # All seeds of a campaign have the same predicted cost.
    campaign.predicted_events *= replications / current
    campaign.predicted_cpu_seconds *= replications / current
    return True


def _check_replications(current: int, requested: int, cells: int, max_runs: int) -> None:
    message = None
    if requested < current:
        message = (
            f"{requested} is less than the campaign's current {current}; replications can only "
            "be added"
        )
    elif requested > MAX_REPLICATIONS:
        message = f"{requested} is out of range; at most {MAX_REPLICATIONS}"
    elif requested * cells > max_runs:
        runs = requested * cells
        message = f"{cells} cells x {requested} are {runs} runs; at most {max_runs} are allowed"
    if message:
        raise SpecError([Problem("replications", message)])


def cancel(session: Session, campaign_id: str) -> None:
    """Cancel a campaign, and its runs that no other active campaign needs. Idempotent.

    A campaign that has ended keeps its state.
    """
    locks.lock_growth(session, campaign_id)
    runs = _lock_runs(session, campaign_id)
    session.execute(
        update(Campaign)
        .where(Campaign.id == campaign_id, Campaign.state != CampaignState.ENDED)
        .values(state=CampaignState.CANCELLED)
    )
    _cancel_unneeded(session, runs, campaign_id)
    controller.notify(session, [campaign_id])


def _cancel_unneeded(session: Session, runs: Select[str], campaign_id: str) -> None:
    """Cancel those of these unfinished runs that no active campaign but ``campaign_id`` needs.

    Running ones are marked, and their worker stops them.
    """
    needed = exists().where(
        CampaignRun.run_id == Run.id,
        Campaign.id == CampaignRun.campaign_id,
        Campaign.id != campaign_id,
        Campaign.state != CampaignState.CANCELLED,
    )
    unneeded = and_(Run.id.in_(runs), ~needed)
    session.execute(
        update(Run)
        .where(unneeded, Run.state == RunState.QUEUED)
        .values(state=RunState.CANCELLED, ended_at=func.now(), message="cancelled")
    )
    session.execute(
        update(Run).where(unneeded, Run.state == RunState.RUNNING).values(cancel_requested=True)
    )


def resume(session: Session, campaign_id: str, quotas: Quotas = UNLIMITED) -> None:
    """Resume a campaign: requeue its failed and cancelled runs. Idempotent.

    Raises QuotaExceededError.
    """
    locks.lock_runs_shared(session)
    locks.lock_growth(session, campaign_id)
    campaign = _current(session, campaign_id)
    cells = session.scalars(select(Cell).where(Cell.campaign_id == campaign_id)).all()
    seeds = range(1, campaign.replications + 1)
    growth.add_runs(session, campaign, cells, seeds, quotas, revive=True)


def analyze_tables(session: Session, runs: int) -> None:
    """Update PostgreSQL's statistics after a large submission, without waiting for autovacuum.

    Call this in its own transaction. With stale statistics a claim among 20,000 runs takes 50 ms.
    """
    if runs >= _MANY_RUNS:
        session.execute(text("ANALYZE campaign_run, run, cell, scenario"))


def _store_scenarios(session: Session, plan: Plan) -> None:
    bodies = {cell.digest: dict(cell.scenario) for cell in plan.cells}
    rows = [{"digest": digest, "body": bodies[digest]} for digest in sorted(bodies)]
    session.execute(insert(Scenario).on_conflict_do_nothing(), rows)


def _simulators(session: Session, plan: Plan) -> dict[str, Any]:
    digests = [simulator.digest for simulator in plan.simulators]
    query = select(Simulator.digest, Simulator.built_at).where(Simulator.digest.in_(digests))
    built_at: dict[str, datetime | None] = {row[0]: row[1] for row in session.execute(query)}
    with_metrics = len(plan.simulators) > 1
    return {
        simulator.digest: _build(simulator, built_at.get(simulator.digest), with_metrics)
        for simulator in plan.simulators
    }


def _build(simulator: Description, built_at: datetime | None, with_metrics: bool) -> dict[str, Any]:
    build: dict[str, Any] = {
        "name": simulator.name,
        "built_at": built_at.isoformat() if built_at else None,
    }
    # Metric names are needed only if another simulator may measure different metrics.
    if with_metrics:
        build["metrics"] = [metric.name for metric in simulator.metrics]
    return build


def _cell(campaign_id: str, cell: PlannedCell) -> dict[str, Any]:
    return {
        "campaign_id": campaign_id,
        "index": cell.index,
        "value_indices": list(cell.value_indices),
        "baseline": cell.baseline,
        "scenario_digest": cell.digest,
        "simulator_name": cell.simulator.name,
        "simulator_digest": cell.simulator.digest,
        "duration_ns": round(cell.cost.simulated_seconds * 1e9),
        "predicted_events": cell.cost.events,
    }


def _current(session: Session, campaign_id: str) -> Campaign:
    """Reload the campaign after taking locks. Raises NotFoundError if it was deleted."""
    campaign = session.get(Campaign, campaign_id, populate_existing=True)
    if campaign is None:
        raise NotFoundError(f"campaign {campaign_id} does not exist")
    return campaign


def _lock_runs(session: Session, campaign_id: str) -> Select[str]:
    """Lock runs before the campaign, in the same order as a claim, to prevent deadlocks."""
    runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
    session.execute(select(Run.id).where(Run.id.in_(runs)).order_by(Run.id).with_for_update())
    return runs
