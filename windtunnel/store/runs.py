"""What is kept of single runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, select
from sqlalchemy.orm import Session, defer

from windtunnel.errors import NotFoundError, PrunedError
from windtunnel.store.coordinates import axis_names, coordinates
from windtunnel.store.tables import (
    Attempt,
    Campaign,
    CampaignRun,
    Cell,
    CheckRow,
    MetricRow,
    Run,
    Scenario,
    SeriesRow,
)


def run_spec(session: Session, run: Run) -> dict[str, Any]:
    """What a simulator is given for this run: enough to do it again without this service.

    Raises NotFoundError if the run was deleted meanwhile.
    """
    scenario = session.get(Scenario, run.scenario_digest)
    if scenario is None:
        raise NotFoundError(f"run {run.id} was deleted")
    return {
        "simulator": run.simulator_name,
        "seed_index": run.seed_index,
        "scenario": scenario.body,
    }


def metrics(session: Session, run_id: str) -> Sequence[MetricRow]:
    query = select(MetricRow).where(MetricRow.run_id == run_id).order_by(MetricRow.name)
    return session.scalars(query).all()


def checks(session: Session, run_id: str) -> Sequence[CheckRow]:
    return session.scalars(select(CheckRow).where(CheckRow.run_id == run_id)).all()


def attempts(session: Session, run_id: str) -> Sequence[Attempt]:
    query = select(Attempt).where(Attempt.run_id == run_id).order_by(Attempt.number)
    return session.scalars(query).all()


def series_list(session: Session, run_id: str) -> Sequence[SeriesRow]:
    """All series of a run without their values, the fullest first."""
    query = (
        select(SeriesRow)
        .where(SeriesRow.run_id == run_id)
        .options(defer(SeriesRow.data), defer(SeriesRow.preview))
        .order_by(SeriesRow.mean.desc(), SeriesRow.name)
    )
    return session.scalars(query).all()


@dataclass(frozen=True)
class Sibling:
    """A run of a campaign with a certain seed."""

    id: str
    cell_index: int
    coordinates: Mapping[str, str]
    state: str


@dataclass(frozen=True)
class Siblings:
    """A run's place in a campaign, and the campaign's runs with the same seed, itself included."""

    campaign: str
    campaign_name: str
    axes: Sequence[str]
    cell_index: int
    coordinates: Mapping[str, str]
    seed_index: int
    baseline_run: str | None
    is_baseline: bool
    runs: Sequence[Sibling]


def siblings(session: Session, run: Run, campaign_id: str | None, limit: int) -> Siblings:
    """In this campaign, or in the newest that contains the run. Raises NotFoundError.

    At most ``limit`` runs: itself and the first others by cell.
    """
    query = (
        select(Campaign, Cell, CampaignRun.seed_index)
        .join(CampaignRun, CampaignRun.campaign_id == Campaign.id)
        .join(
            Cell,
            and_(Cell.campaign_id == Campaign.id, Cell.index == CampaignRun.cell_index),
        )
        .where(CampaignRun.run_id == run.id)
        .order_by(Campaign.created_at.desc(), Campaign.id.desc())
        .limit(1)
    )
    if campaign_id is not None:
        query = query.where(Campaign.id == campaign_id)
    place = session.execute(query).first()
    if place is None:
        where = (
            f"campaign {campaign_id} does not contain" if campaign_id else "no campaign contains"
        )
        raise NotFoundError(f"{where} run {run.id[:12]}")
    campaign, cell, seed_index = place
    of_seed = and_(CampaignRun.campaign_id == campaign.id, CampaignRun.seed_index == seed_index)
    rows = (
        select(Run.id, Run.state, Cell.index, Cell.value_indices)
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .join(
            Cell,
            and_(Cell.campaign_id == campaign.id, Cell.index == CampaignRun.cell_index),
        )
        .where(of_seed)
        .order_by((Cell.index == cell.index).desc(), Cell.index)
        .limit(limit)
    )
    listed = [
        Sibling(id_, index, coordinates(campaign, value_indices), state)
        for id_, state, index, value_indices in session.execute(rows)
    ]
    baseline = select(CampaignRun.run_id).where(of_seed, CampaignRun.cell_index == cell.baseline)
    return Siblings(
        campaign=campaign.id,
        campaign_name=campaign.name,
        axes=axis_names(campaign),
        cell_index=cell.index,
        coordinates=coordinates(campaign, cell.value_indices),
        seed_index=seed_index,
        baseline_run=session.scalar(baseline),
        is_baseline=cell.baseline == cell.index,
        runs=sorted(listed, key=lambda sibling: sibling.cell_index),
    )


def series(session: Session, run: Run, name: str) -> SeriesRow:
    """Raises NotFoundError, naming what there is, or PrunedError if there was any."""
    row = session.get(SeriesRow, (run.id, name))
    if row is None and run.series_pruned_at is not None:
        raise PrunedError(
            f"the series of run {run.id[:12]} were pruned on {run.series_pruned_at:%Y-%m-%d}; its "
            "metrics and records are kept. To compute the series again: "
            f"windtunnel simulate --run {run.id[:12]}"
        )
    if row is None:
        names = [one.name for one in series_list(session, run.id)]
        known = ", ".join(names) if names else "none"
        raise NotFoundError(f"the run has no series {name!r}; it has: {known}")
    return row
