"""Queries for campaigns: their state, progress and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, select, tuple_
from sqlalchemy.orm import Session, aliased, defer

from windtunnel.campaign import CampaignState
from windtunnel.errors import NotFoundError
from windtunnel.quotas import Quotas
from windtunnel.run import RunState
from windtunnel.store import usage
from windtunnel.store.coordinates import coordinates
from windtunnel.store.simulators import workers
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run
from windtunnel.store.totals import totals_of


@dataclass(frozen=True)
class UsedSimulator:
    """A build used by a campaign's cells, and its compilation time if known."""

    name: str
    digest: str
    built_at: datetime | None


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign and the progress of its runs."""

    id: str
    name: str
    description: str
    state: CampaignState
    superseded_by: str | None
    simulators: tuple[UsedSimulator, ...]
    submitted_by: str | None
    created_at: datetime
    cells: int
    replications: int
    reused_runs: int
    runs: Mapping[str, int]
    algorithms: Sequence[str]
    topologies: Sequence[str]
    workloads: Sequence[str]
    predicted_events: float
    predicted_cpu_seconds: float
    events: int
    actual_events: int
    actual_cpu_seconds: float
    simulated_ns: int
    planned_ns: int
    lints: Sequence[Mapping[str, Any]]
    labels: Mapping[str, str]
    keep: bool
    stored_bytes: int
    pruned_runs: int

    @property
    def total_runs(self) -> int:
        """Its runs, including those that were pruned."""
        return sum(self.runs.values()) + self.pruned_runs

    @property
    def ended(self) -> bool:
        """Whether all runs have ended.

        A cancelled campaign may still have runs that are being stopped or are needed by other
        campaigns.
        """
        if self.state is CampaignState.CANCELLED:
            return self.runs.get("queued", 0) + self.runs.get("running", 0) == 0
        return self.state is CampaignState.ENDED


def find_campaign(session: Session, id_or_prefix: str) -> Campaign:
    """Find a campaign by its id or a unique prefix. Raises NotFoundError."""
    campaign: Campaign = _find(session, Campaign, id_or_prefix, "campaign")
    return campaign


def find_run(session: Session, id_or_prefix: str) -> Run:
    """Find a run by its id or a unique prefix. Raises NotFoundError."""
    run: Run = _find(session, Run, id_or_prefix, "run")
    return run


def _find(session: Session, table: Any, prefix: str, kind: str) -> Any:
    if len(prefix) < 4 or not all(char in "0123456789abcdef" for char in prefix):
        raise NotFoundError(f"{prefix!r} is not a {kind} id (expected at least 4 hex digits)")
    query = select(table).where(table.id.startswith(prefix)).order_by(table.id).limit(2)
    matches = session.scalars(query).all()
    if not matches:
        raise NotFoundError(f"{kind} {prefix} does not exist")
    if len(matches) > 1 and matches[0].id != prefix:
        raise NotFoundError(f"{kind} id {prefix} is ambiguous; give more digits")
    return matches[0]


def campaign_status(session: Session, campaign: Campaign) -> CampaignStatus:
    return statuses(session, [campaign])[0]


def statuses(session: Session, campaigns: Sequence[Campaign]) -> list[CampaignStatus]:
    """Stored totals are used: only campaigns that have not ended are summed up."""
    computed = totals_of(session, [row.id for row in campaigns if row.totals is None])
    return [_status(campaign, campaign.totals or computed[campaign.id]) for campaign in campaigns]


def _status(campaign: Campaign, totals: Mapping[str, Any]) -> CampaignStatus:
    runs = totals["runs"]
    succeeded = runs.get(RunState.SUCCEEDED, {"events": 0, "cpu_seconds": 0.0})
    return CampaignStatus(
        id=campaign.id,
        name=campaign.name,
        description=campaign.description,
        state=CampaignState(campaign.state),
        superseded_by=campaign.superseded_by,
        simulators=_simulators(campaign),
        submitted_by=campaign.submitted_by or None,
        created_at=campaign.created_at,
        cells=totals["cells"],
        replications=campaign.replications,
        reused_runs=campaign.reused_runs,
        runs={state.value: runs[state]["count"] if state in runs else 0 for state in RunState},
        algorithms=campaign.algorithms,
        topologies=campaign.topologies,
        workloads=campaign.workloads,
        predicted_events=campaign.predicted_events,
        predicted_cpu_seconds=campaign.predicted_cpu_seconds,
        events=sum(sums["events"] for sums in runs.values()),
        actual_events=succeeded["events"],
        actual_cpu_seconds=succeeded["cpu_seconds"],
        simulated_ns=sum(sums["simulated_ns"] for sums in runs.values()),
        planned_ns=sum(sums["duration_ns"] for sums in runs.values()),
        lints=campaign.lints,
        labels=campaign.labels,
        keep=campaign.keep,
        stored_bytes=sum(sums["stored_bytes"] for sums in runs.values()),
        pruned_runs=campaign.pruned_runs,
    )


def _simulators(campaign: Campaign) -> tuple[UsedSimulator, ...]:
    return tuple(
        UsedSimulator(
            build["name"],
            digest,
            datetime.fromisoformat(build["built_at"]) if build["built_at"] else None,
        )
        for digest, build in sorted(campaign.simulators.items(), key=lambda item: item[1]["name"])
    )


@dataclass(frozen=True)
class Storage:
    """How many bytes a campaign shares with others, and how much of its runs was pruned."""

    shared_bytes: int
    runs_without_series: int
    runs_without_logs: int


def storage(session: Session, campaign: Campaign) -> Storage:
    """Reads all runs of the campaign: too slow for a list of campaigns."""
    other = aliased(CampaignRun)
    shared = exists().where(other.run_id == Run.id, other.campaign_id != campaign.id)
    query = (
        select(
            func.coalesce(func.sum(Run.stored_bytes).filter(shared), 0),
            func.count(Run.series_pruned_at),
            func.count(Run.log_pruned_at),
        )
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(CampaignRun.campaign_id == campaign.id)
    )
    shared_bytes, series, logs = session.execute(query).one()
    return Storage(int(shared_bytes), series, logs)


@dataclass(frozen=True)
class CampaignRunStatus:
    """A run in a campaign's list of runs."""

    run: Run
    cell_index: int
    coordinates: Mapping[str, str]


@dataclass(frozen=True)
class RunFilter:
    """Which runs of a campaign to list: those that satisfy every condition that is set."""

    state: str | None = None
    cell_index: int | None = None
    seed_index: int | None = None

    def conditions(self) -> list[tuple[ColumnElement[Any], str | int]]:
        """Columns and the values that they must have."""
        wanted: list[tuple[ColumnElement[Any], str | int | None]] = [
            (Run.state.expression, self.state),
            (CampaignRun.cell_index.expression, self.cell_index),
            (CampaignRun.seed_index.expression, self.seed_index),
        ]
        return [(column, value) for column, value in wanted if value is not None]


def campaign_runs(
    session: Session,
    campaign: Campaign,
    limit: int,
    after: tuple[int, int] | None = None,
    wanted: RunFilter | None = None,
) -> list[CampaignRunStatus]:
    """Runs ordered by (seed index, cell index); ``after`` is that pair of the last run seen."""
    query = (
        select(Run, CampaignRun.cell_index, Cell.value_indices)
        .options(defer(Run.record_digests), defer(Run.started), defer(Run.run_metadata))
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .join(
            Cell,
            and_(Cell.campaign_id == CampaignRun.campaign_id, Cell.index == CampaignRun.cell_index),
        )
        .where(CampaignRun.campaign_id == campaign.id)
        .order_by(CampaignRun.seed_index, CampaignRun.cell_index)
        .limit(limit)
    )
    if after:
        query = query.where(tuple_(CampaignRun.seed_index, CampaignRun.cell_index) > after)
    for column, value in wanted.conditions() if wanted else ():
        query = query.where(column == value)
    return [
        CampaignRunStatus(run, cell_index, coordinates(campaign, value_indices))
        for run, cell_index, value_indices in session.execute(query)
    ]


def blocked_reason(session: Session, subject: Campaign | Run, quotas: Quotas) -> str | None:
    """Why a campaign's unfinished runs, or a run, can't be claimed now; None if they can.

    ``quotas`` are the service's defaults.
    """
    return _missing_simulators(session, subject) or _used_up_quota(session, subject, quotas)


def _used_up_quota(session: Session, subject: Campaign | Run, quotas: Quotas) -> str | None:
    waiting = usage.out_of_cpu(session, quotas)
    submitters = _submitters_of(session, subject) if waiting else []
    if not submitters or not all(name in waiting for name in submitters):
        return None
    used, limit = waiting[submitters[0]]
    return (
        f"waiting for CPU hours: {submitters[0]} has used {used:.3g} of {limit:g} in the last 24 "
        "hours"
    )


def _submitters_of(session: Session, subject: Campaign | Run) -> Sequence[str]:
    """The submitters in whose turns a campaign's runs, or a queued run, can be claimed."""
    if isinstance(subject, Campaign):
        return [subject.submitted_by]
    if subject.state != RunState.QUEUED:
        return []
    query = (
        select(Campaign.submitted_by)
        .join(CampaignRun, CampaignRun.campaign_id == Campaign.id)
        .where(CampaignRun.run_id == subject.id, Campaign.state != CampaignState.CANCELLED)
        .distinct()
    )
    return session.scalars(query.order_by(Campaign.submitted_by)).all()


def _missing_simulators(session: Session, subject: Campaign | Run) -> str | None:
    offered = {digest for worker in workers(session) for digest in worker.simulators}
    required = _required_simulators(session, subject, offered)
    missing = [(name, digest) for name, digest in required if digest not in offered]
    if not missing:
        return None
    names = ", ".join(f"{name}@{digest[:12]}" for name, digest in missing)
    plural = "s" if len(missing) > 1 else ""
    return f"waiting for simulator{plural} {names}: no worker offers {'them' if plural else 'it'}"


def _required_simulators(
    session: Session, subject: Campaign | Run, offered: set[str]
) -> Sequence[tuple[str, str]]:
    """(name, digest) of simulators that unfinished runs need; may be empty if all are offered."""
    if isinstance(subject, Run):
        queued = subject.state == RunState.QUEUED
        return [(subject.simulator_name, subject.simulator_digest)] if queued else []
    if offered.issuperset(subject.simulators):
        return []
    query = select(CampaignRun.simulator_digest).where(
        CampaignRun.campaign_id == subject.id, CampaignRun.unfinished
    )
    required = session.scalars(query.distinct())
    return sorted((subject.simulators[digest]["name"], digest) for digest in required)
