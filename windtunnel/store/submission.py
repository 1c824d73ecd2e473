"""Submitting, extending and resuming campaigns."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import product
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.errors import ConflictError, NotFoundError, Problem, SpecError
from windtunnel.plan import Cell as PlannedCell
from windtunnel.plan import Plan, kinds_of
from windtunnel.quotas import UNLIMITED, Quotas
from windtunnel.spec.description import Description
from windtunnel.spec.limits import MAX_REPLICATIONS
from windtunnel.store import cancellation, coordinates, growth, locks, submitters
from windtunnel.store.prediction import Prediction
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Scenario, Simulator

_MANY_RUNS = 500


@dataclass(frozen=True)
class Submitted:
    """A stored campaign, whether it is new, and the campaigns that it superseded."""

    campaign_id: str
    created: bool
    superseded: Sequence[str]


@dataclass(frozen=True)
class SubmittedFile:
    """A campaign file's bytes, JSON or YAML."""

    content: bytes
    is_json: bool


def submit(
    session: Session,
    plan: Plan,
    prediction: Prediction,
    request_digest: str,
    idempotency_key: str | None = None,
    submitted_by: str = ANONYMOUS,
    quotas: Quotas = UNLIMITED,
    keep: bool = False,
    supersede: Sequence[str] = (),
    file: SubmittedFile | None = None,
) -> Submitted:
    """Store a campaign with all cells and runs.

    An idempotency key is its submitter's: others may use the same. ``quotas`` are the service's
    defaults. ``keep``: retention never touches its runs. ``supersede`` names labels of the
    campaign: the submitter's unfinished campaigns of the same name and with the same values of
    these are cancelled. Raises ConflictError if the key was used for a different request,
    QuotaExceededError.
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
            return Submitted(earlier.id, False, cancellation.superseded_by(session, earlier.id))
    if supersede:
        locks.lock_runs_exclusive(session)
    else:
        locks.lock_runs_shared(session)
    submitters.register(session, submitted_by)
    _store_scenarios(session, plan)
    kinds = kinds_of(plan.cells)
    campaign = Campaign(
        id=secrets.token_hex(5),
        name=plan.campaign.name,
        description=plan.campaign.description,
        document=dict(plan.campaign.document),
        file=file.content if file else None,
        file_is_json=file.is_json if file else False,
        state=CampaignState.PLANNED,
        simulators=_simulators(session, plan),
        axes=coordinates.stored_axes(plan.campaign.axes),
        design=plan.campaign.design.record() if plan.campaign.design else None,
        baseline=dict(plan.campaign.baseline),
        metrics=[asdict(metric) for metric in plan.metrics],
        lints=[asdict(lint) for lint in plan.lints],
        limits=asdict(plan.campaign.limits),
        default_metrics=list(plan.default_metrics),
        analysis=asdict(plan.campaign.analysis),
        growing=plan.campaign.analysis.stopping is not None,
        algorithms=list(kinds.algorithms),
        topologies=list(kinds.topologies),
        workloads=list(kinds.workloads),
        labels=dict(plan.campaign.labels),
        notify_url=plan.campaign.notify_url,
        replications=plan.campaign.replications,
        predicted_events=prediction.events,
        predicted_cpu_seconds=prediction.cpu_seconds,
        reused_runs=0,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        submitted_by=submitted_by,
        keep=keep,
    )
    session.add(campaign)
    session.flush()
    cells = [_cell(campaign.id, cell) for cell in plan.cells]
    session.execute(insert(Cell), cells)
    rows = [Cell(**cell) for cell in cells]
    runs = product(rows, plan.seed_indices)
    superseded: Sequence[str] = ()
    if supersede:
        run_ids = [run_id for _, _, run_id in plan.runs()]
        superseded = cancellation.supersede(session, campaign, supersede, run_ids)
    campaign.reused_runs = growth.add_runs(session, campaign, runs, quotas)
    cancellation.cancel_unneeded_runs(session, superseded)
    return Submitted(campaign.id, True, superseded)


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
    runs = product(cells, range(current + 1, replications + 1))
    # Change the campaign's row after its runs: this is the lock order.
    campaign.reused_runs += growth.add_runs(session, campaign, runs, quotas)
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


def resume(session: Session, campaign_id: str, quotas: Quotas = UNLIMITED) -> None:
    """Resume a campaign: requeue its failed and cancelled runs. Idempotent.

    Raises QuotaExceededError.
    """
    locks.lock_runs_shared(session)
    locks.lock_growth(session, campaign_id)
    campaign = _current(session, campaign_id)
    cells = session.scalars(select(Cell).where(Cell.campaign_id == campaign_id)).all()
    planned = set(product(cells, range(1, campaign.replications + 1)))
    by_index = {cell.index: cell for cell in cells}
    added = select(CampaignRun.cell_index, CampaignRun.seed_index).where(
        CampaignRun.campaign_id == campaign_id, CampaignRun.seed_index > campaign.replications
    )
    planned |= {(by_index[index], seed) for index, seed in session.execute(added)}
    growth.add_runs(session, campaign, planned, quotas, revive=True)
    campaign.growing = bool(campaign.analysis.get("stopping"))


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
