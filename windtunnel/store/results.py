"""Builds the results table of a campaign for its comparison."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on
from sqlalchemy.orm import Session

from windtunnel.comparison import CellResults, CellRun, Design, ResultTable, SimulatorBuild
from windtunnel.run import ENDED, RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric, find_metric
from windtunnel.store.coordinates import axis_names, coordinates
from windtunnel.store.tables import Campaign, CampaignRun, Cell, MetricRow, Run

CellVersions = dict[int, tuple[Any, ...]]

_STATES = {state.value: state for state in RunState}


def design_of(campaign: Campaign) -> Design:
    """The comparison design that was stored when the campaign was submitted."""
    return Design(
        campaign=campaign.id,
        axes=tuple(axis_names(campaign)),
        baseline=campaign.baseline,
        metrics=tuple(Metric.from_record(metric) for metric in campaign.metrics),
        default_metrics=tuple(campaign.default_metrics),
        measured={
            digest: frozenset(build["metrics"])
            for digest, build in campaign.simulators.items()
            if "metrics" in build
        },
        analysis=Analysis.from_fields(campaign.analysis),
        groups=_groups(campaign.document),
    )


def _groups(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the groups that a campaign file's workload lists."""
    workload = document.get("scenario", {}).get("workload")
    groups = workload.get("groups") if isinstance(workload, dict) else None
    if not isinstance(groups, list) or not all(
        isinstance(group, dict) and isinstance(group.get("name"), str) for group in groups
    ):
        return ()
    return tuple(group["name"] for group in groups)


def metric_finder(session: Session, campaign_ids: Sequence[str]) -> Callable[[str], Metric | None]:
    """A function from name to metric, as the first of these campaigns defines it, if it does."""
    query = (
        select(Campaign.metrics).where(Campaign.id.in_(campaign_ids)).order_by(Campaign.id).limit(1)
    )
    metrics = [Metric.from_record(record) for record in session.scalars(query).first() or []]
    return partial(find_metric, metrics)


def cell_versions(session: Session, campaign_id: str) -> CellVersions:
    """A value for each cell that changes whenever a run of it is added, ends or is requeued."""
    by_state = [func.count().filter(Run.state == state) for state in ENDED]
    query = (
        select(
            CampaignRun.cell_index,
            func.count(),
            *by_state,
            func.sum(Run.attempt),
            func.max(Run.ended_at),
        )
        .join(Run, CampaignRun.run_id == Run.id)
        .where(CampaignRun.campaign_id == campaign_id)
        .group_by(CampaignRun.cell_index)
    )
    return {index: tuple(version) for index, *version in session.execute(query)}


def names_digest(names: Sequence[str]) -> str:
    """Identifies a set of metric names, as migration 0007 does for runs before it."""
    text = ",".join(sorted(names)).encode()
    return hashlib.md5(text, usedforsecurity=False).hexdigest()


def reported_metrics(session: Session, campaign_id: str) -> list[str]:
    """Names of all metrics, including labelled ones, that some finished run has.

    Reads the metrics of one run for each distinct set of names.
    """
    examples = (
        select(CampaignRun.run_id)
        .ext(distinct_on(Run.metric_names))
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id == campaign_id, Run.state == RunState.SUCCEEDED)
        .order_by(Run.metric_names)
        .subquery()
    )
    # OFFSET 0 prevents PostgreSQL from scanning the metrics of all campaigns for the join.
    names = select(MetricRow.name).where(MetricRow.run_id == examples.c.run_id).offset(0).lateral()
    query = select(names.c.name).select_from(examples.join(names, true())).distinct()
    return list(session.scalars(query.order_by(names.c.name)))


def result_table(
    session: Session, campaign: Campaign, design: Design, metrics: Sequence[str]
) -> ResultTable:
    """Every planned run of a campaign and the values of these metrics, by cell."""
    return ResultTable(design, tuple(read_cells(session, campaign, metrics)))


def read_cells(
    session: Session,
    campaign: Campaign,
    metrics: Sequence[str],
    indices: Collection[int] | None = None,
) -> list[CellResults]:
    """The results of the cells with these indices, or of all, in their order.

    The queries return one row per cell, or per cell and metric, with arrays over the seeds: a few
    thousand rows for 20,000 runs.
    """
    chosen = true() if indices is None else Cell.index.in_(indices)
    cells = session.scalars(
        select(Cell).where(Cell.campaign_id == campaign.id, chosen).order_by(Cell.index)
    ).all()
    linked = and_(
        CampaignRun.campaign_id == campaign.id,
        true() if indices is None else CampaignRun.cell_index.in_(indices),
    )
    runs = _runs(session, linked)
    values: dict[int, dict[str, dict[int, float]]] = {cell.index: {} for cell in cells}
    units: dict[int, dict[str, str]] = {cell.index: {} for cell in cells}
    for index, name, unit, seeds, seed_values in _values(session, linked, metrics):
        values[index][name] = dict(sorted(zip(seeds, seed_values, strict=True)))
        units[index][name] = unit
    return [
        CellResults(
            index=cell.index,
            coordinates=coordinates(campaign, cell.value_indices),
            simulator=SimulatorBuild(cell.simulator_name, cell.simulator_digest),
            baseline=cell.baseline,
            runs=runs.get(cell.index, {}),
            values=values[cell.index],
            units=units[cell.index],
        )
        for cell in cells
    ]


def _runs(session: Session, linked: ColumnElement[bool]) -> dict[int, dict[int, CellRun]]:
    """Planned runs by cell index and seed index."""
    by_seed = CampaignRun.seed_index
    attributes = (by_seed, Run.id, Run.state, Run.failure, Run.digest, Run.schedule)
    arrays = [func.array_agg(aggregate_order_by(column, by_seed)) for column in attributes]
    query = (
        select(CampaignRun.cell_index, *arrays)
        .join(Run, Run.id == CampaignRun.run_id)
        .where(linked)
        .group_by(CampaignRun.cell_index)
    )
    return {
        index: {
            seed: CellRun(id_, _STATES[state], *rest)
            for seed, id_, state, *rest in zip(*columns, strict=True)
        }
        for index, *columns in session.execute(query)
    }


def _values(session: Session, linked: ColumnElement[bool], metrics: Sequence[str]) -> Any:
    """Rows (cell index, metric, unit, seed indices, values), one per cell and metric."""
    query = (
        select(
            CampaignRun.cell_index,
            MetricRow.name,
            func.min(MetricRow.unit),
            func.array_agg(CampaignRun.seed_index),
            func.array_agg(MetricRow.value),
        )
        .join(MetricRow, MetricRow.run_id == CampaignRun.run_id)
        .where(linked, MetricRow.name.in_(metrics))
        .group_by(CampaignRun.cell_index, MetricRow.name)
    )
    return session.execute(query)
