"""What has become of campaigns: their state, their runs, their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, select, tuple_
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on
from sqlalchemy.orm import Session, defer

from windtunnel.comparison import CellResults
from windtunnel.errors import NotFoundError
from windtunnel.run import RunState
from windtunnel.store.simulators import workers
from windtunnel.store.tables import Campaign, CampaignRun, Cell, MetricRow, Run


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign and how far its runs are."""

    id: str
    name: str
    description: str
    simulator_name: str
    simulator_digest: str
    cancelled: bool
    submitted_by: str | None
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
    counts = session.execute(cells.group_by(Cell.campaign_id))
    cell_counts = {row[0]: row[1] for row in counts}
    totals = (
        select(
            CampaignRun.campaign_id,
            Run.state,
            func.count(),
            func.coalesce(func.sum(Run.simulated_ns), 0),
            func.coalesce(func.sum(Run.duration_ns), 0),
            func.coalesce(func.sum(Run.events), 0),
            func.coalesce(func.sum(Run.cpu_seconds), 0.0),
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
        submitted_by=campaign.submitted_by,
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
        .options(defer(Run.record_digests), defer(Run.started), defer(Run.about))
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


def results_version(session: Session, campaign_id: str) -> tuple[int, str]:
    """Changes whenever a result of the campaign is added, replaced or taken away."""
    query = (
        select(func.count(), func.max(Run.ended_at))
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(CampaignRun.campaign_id == campaign_id, Run.state == RunState.SUCCEEDED)
    )
    count, last = session.execute(query).one()
    return count, str(last)


def cell_results(session: Session, campaign_id: str, metrics: Sequence[str]) -> list[CellResults]:
    """Values of these metrics of all succeeded runs of a campaign, cell by cell.

    One row a cell, and one a cell and metric, with arrays by seed: 20,000 runs are some thousand
    rows.
    """
    cells = session.scalars(
        select(Cell).where(Cell.campaign_id == campaign_id).order_by(Cell.index)
    ).all()
    of_campaign = CampaignRun.campaign_id == campaign_id
    by_seed = CampaignRun.seed_index
    runs_query = (
        select(
            CampaignRun.cell_index,
            func.array_agg(aggregate_order_by(by_seed, by_seed)),
            func.array_agg(aggregate_order_by(Run.id, by_seed)),
            func.array_agg(aggregate_order_by(Run.digest, by_seed)),
        )
        .join(Run, Run.id == CampaignRun.run_id)
        .where(of_campaign, Run.state == RunState.SUCCEEDED)
        .group_by(CampaignRun.cell_index)
    )
    runs: dict[int, list[Any]] = {
        index: found for index, *found in session.execute(runs_query).all()
    }
    values_query = (
        select(
            CampaignRun.cell_index,
            MetricRow.name,
            func.array_agg(by_seed),
            func.array_agg(MetricRow.value),
        )
        .join(MetricRow, MetricRow.run_id == CampaignRun.run_id)
        .where(of_campaign, MetricRow.name.in_(metrics))
        .group_by(CampaignRun.cell_index, MetricRow.name)
    )
    values: dict[int, dict[str, dict[int, float]]] = {cell.index: {} for cell in cells}
    for index, name, seeds, found in session.execute(values_query):
        values[index][name] = dict(zip(seeds, found, strict=True))
    none: list[list[Any]] = [[], [], []]
    return [
        CellResults(
            cell.index,
            cell.where,
            cell.baseline,
            values[cell.index],
            dict(zip(seeds, digests, strict=True)),
            dict(zip(seeds, ids, strict=True)),
        )
        for cell in cells
        for seeds, ids, digests in [runs.get(cell.index, none)]
    ]


def reported_metrics(session: Session, campaign_id: str) -> list[str]:
    """Names of metrics that any cell's first finished run has, labelled ones too."""
    first = (
        select(CampaignRun.run_id)
        .ext(distinct_on(CampaignRun.cell_index))
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id == campaign_id, Run.state == RunState.SUCCEEDED)
        .order_by(CampaignRun.cell_index, CampaignRun.seed_index)
        .subquery()
    )
    query = (
        select(MetricRow.name)
        .join(first, first.c.run_id == MetricRow.run_id)
        .distinct()
        .order_by(MetricRow.name)
    )
    return list(session.scalars(query))


def waiting_note(session: Session, thing: Campaign | Run) -> str | None:
    """What keeps a campaign's runs, or a run, from being claimed; None if nothing does."""
    offered = {digest for worker in workers(session) for digest in worker.simulators}
    if thing.simulator_digest in offered or not _has_queued(session, thing):
        return None
    short = thing.simulator_digest[:12]
    return f"waiting for simulator {thing.simulator_name}@{short}: no worker offers it"


def _has_queued(session: Session, thing: Campaign | Run) -> bool:
    if isinstance(thing, Run):
        return thing.state == RunState.QUEUED
    waiting = (
        select(Run.id)
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(
            CampaignRun.campaign_id == thing.id,
            Run.state.in_([RunState.QUEUED, RunState.RUNNING]),
        )
        .limit(1)
    )
    return session.scalar(waiting) is not None
