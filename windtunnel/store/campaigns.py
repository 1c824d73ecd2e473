"""Submitting campaigns and what has become of them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, exists, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.comparison import CellResults
from windtunnel.errors import ConflictError, NotFoundError
from windtunnel.plan import Plan
from windtunnel.run import RunState
from windtunnel.spec.description import Description
from windtunnel.store.tables import (
    Campaign,
    CampaignRun,
    Cell,
    MetricRow,
    Run,
    Scenario,
)

_CHUNK = 2000
_CALIBRATION_RUNS = 200
_LEAST_CALIBRATION_RUNS = 5


@dataclass(frozen=True)
class Prediction:
    """Cost of all runs of a plan: events, and seconds of CPU."""

    events: float
    cpu_seconds: float
    calibrated: bool


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign and how far its runs are."""

    id: str
    name: str
    description: str
    simulator_name: str
    simulator_digest: str
    cancelled: bool
    created_at: datetime
    cells: int
    replications: int
    reused_runs: int
    runs: Mapping[str, int]
    predicted_events: float
    predicted_cpu_seconds: float
    events: int
    actual_events: int
    actual_cpu_seconds: float
    simulated_ns: int
    planned_ns: int

    @property
    def total_runs(self) -> int:
        return sum(self.runs.values())

    @property
    def ended(self) -> bool:
        return self.runs.get("queued", 0) + self.runs.get("running", 0) == 0


def predict(session: Session, plan: Plan, description: Description) -> Prediction:
    """The simulator's own prediction, scaled by how it has done on this service's last runs."""
    recent = (
        select(Run.events, Run.predicted_events, Run.about["cpu_seconds"].as_float().label("cpu"))
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
    wanted = list(plan.runs())
    _store_scenarios(session, plan)
    _store_runs(session, plan, description)
    ids = [identity for _, _, identity in wanted]
    reused = _requeue(session, ids)
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
    return campaign.id, True


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


def notify(session: Session, campaign_ids: Sequence[str]) -> None:
    """Tell listeners that something about these campaigns has changed; ids only."""
    for campaign_id in campaign_ids:
        session.execute(select(func.pg_notify("windtunnel", campaign_id)))


def find_campaign(session: Session, id_or_prefix: str) -> Campaign:
    """A campaign by its id or the beginning of it. Raises NotFoundError."""
    found: Campaign = _find(session, Campaign, id_or_prefix, "campaign")
    return found


def find_run(session: Session, id_or_prefix: str) -> Run:
    """A run by its identity or the beginning of it. Raises NotFoundError."""
    found: Run = _find(session, Run, id_or_prefix, "run")
    return found


def _find(session: Session, table: Any, prefix: str, what: str) -> Any:
    if len(prefix) < 4 or not all(char in "0123456789abcdef" for char in prefix):
        raise NotFoundError(f"{prefix!r} is no {what} id; ids are hex, at least 4 digits of one")
    query = select(table).where(table.id.startswith(prefix)).order_by(table.id).limit(2)
    found = session.scalars(query).all()
    if not found:
        raise NotFoundError(f"there is no {what} {prefix}")
    if len(found) > 1 and found[0].id != prefix:
        raise NotFoundError(f"{prefix} is the beginning of several {what}s; give more of it")
    return found[0]


def campaign_status(session: Session, campaign: Campaign) -> CampaignStatus:
    return _statuses(session, [campaign])[0]


def list_campaigns(
    session: Session, limit: int, after: tuple[datetime, str] | None = None
) -> list[CampaignStatus]:
    """Newest first; ``after`` is (created_at, id) of the last one seen."""
    query = select(Campaign).order_by(Campaign.created_at.desc(), Campaign.id.desc()).limit(limit)
    if after:
        query = query.where(tuple_(Campaign.created_at, Campaign.id) < after)
    return _statuses(session, session.scalars(query).all())


def _statuses(session: Session, campaigns: Sequence[Campaign]) -> list[CampaignStatus]:
    ids = [campaign.id for campaign in campaigns]
    cells = select(Cell.campaign_id, func.count()).where(Cell.campaign_id.in_(ids))
    cell_counts = dict(session.execute(cells.group_by(Cell.campaign_id)).tuples().all())
    totals = (
        select(
            CampaignRun.campaign_id,
            Run.state,
            func.count(),
            func.coalesce(func.sum(Run.simulated_ns), 0),
            func.coalesce(func.sum(Run.duration_ns), 0),
            func.coalesce(func.sum(Run.events), 0),
            func.coalesce(func.sum(Run.about["cpu_seconds"].as_float()), 0.0),
        )
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id.in_(ids))
        .group_by(CampaignRun.campaign_id, Run.state)
    )
    by_campaign: dict[str, list[Any]] = {key: [] for key in ids}
    for campaign_id, *row in session.execute(totals):
        by_campaign[campaign_id].append(row)
    return [
        _status(campaign, cell_counts.get(campaign.id, 0), by_campaign[campaign.id])
        for campaign in campaigns
    ]


def _status(campaign: Campaign, cells: int, rows: Sequence[Any]) -> CampaignStatus:
    done = [row for row in rows if row[0] == RunState.SUCCEEDED]
    return CampaignStatus(
        id=campaign.id,
        name=campaign.name,
        description=str(campaign.document.get("description", "")),
        simulator_name=campaign.simulator_name,
        simulator_digest=campaign.simulator_digest,
        cancelled=campaign.cancelled,
        created_at=campaign.created_at,
        cells=cells,
        replications=campaign.replications,
        reused_runs=campaign.reused_runs,
        runs={state.value: sum(row[1] for row in rows if row[0] == state) for state in RunState},
        predicted_events=campaign.predicted_events,
        predicted_cpu_seconds=campaign.predicted_cpu_seconds,
        events=sum(int(row[4]) for row in rows),
        actual_events=sum(int(row[4]) for row in done),
        actual_cpu_seconds=sum(float(row[5]) for row in done),
        simulated_ns=sum(int(row[2]) for row in rows),
        planned_ns=sum(int(row[3]) for row in rows),
    )


@dataclass(frozen=True)
class CampaignRunStatus:
    """One run as a campaign's list shows it."""

    run: Run
    cell_index: int
    where: Mapping[str, str]


def campaign_runs(
    session: Session,
    campaign_id: str,
    limit: int,
    after: tuple[int, int] | None = None,
    state: str | None = None,
) -> list[CampaignRunStatus]:
    """Runs in the order of (seed index, cell index); ``after`` is that pair of the last one."""
    query = (
        select(Run, CampaignRun.cell_index, Cell.where)
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .join(
            Cell,
            and_(Cell.campaign_id == CampaignRun.campaign_id, Cell.index == CampaignRun.cell_index),
        )
        .where(CampaignRun.campaign_id == campaign_id)
        .order_by(CampaignRun.seed_index, CampaignRun.cell_index)
        .limit(limit)
    )
    if after:
        query = query.where(tuple_(CampaignRun.seed_index, CampaignRun.cell_index) > after)
    if state:
        query = query.where(Run.state == state)
    return [CampaignRunStatus(*row) for row in session.execute(query)]


def cell_results(
    session: Session, campaign_id: str, metrics: Sequence[str] | None = None
) -> list[CellResults]:
    """Metric values of all succeeded runs of a campaign, cell by cell."""
    cells = session.scalars(
        select(Cell).where(Cell.campaign_id == campaign_id).order_by(Cell.index)
    ).all()
    runs = session.execute(
        select(CampaignRun.cell_index, CampaignRun.seed_index, Run.id, Run.digest)
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id == campaign_id, Run.state == RunState.SUCCEEDED)
    ).all()
    values_query = (
        select(CampaignRun.cell_index, CampaignRun.seed_index, MetricRow.name, MetricRow.value)
        .join(MetricRow, MetricRow.run_id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id == campaign_id)
    )
    if metrics is not None:
        values_query = values_query.where(MetricRow.name.in_(metrics))
    values: dict[int, dict[str, dict[int, float]]] = {cell.index: {} for cell in cells}
    for index, seed, name, value in session.execute(values_query):
        values[index].setdefault(name, {})[seed] = value
    digests: dict[int, dict[int, str]] = {cell.index: {} for cell in cells}
    ids: dict[int, dict[int, str]] = {cell.index: {} for cell in cells}
    for index, seed, run_id, digest in runs:
        digests[index][seed] = digest or ""
        ids[index][seed] = run_id
    return [
        CellResults(
            cell.index,
            cell.where,
            cell.baseline,
            values[cell.index],
            digests[cell.index],
            ids[cell.index],
        )
        for cell in cells
    ]


def unserved(session: Session, campaign_id: str) -> bool:
    """Whether runs are waiting whose simulator no live worker offers."""
    from windtunnel.store.simulators import workers

    offered = {digest for worker in workers(session) for digest in worker.simulators}
    waiting = (
        select(Run.id)
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(
            CampaignRun.campaign_id == campaign_id,
            or_(Run.state == RunState.QUEUED, Run.state == RunState.RUNNING),
            Run.simulator_digest.not_in(offered),
        )
        .limit(1)
    )
    return session.scalar(waiting) is not None
