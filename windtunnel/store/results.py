"""Builds the results table of a campaign for its comparison."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on
from sqlalchemy.orm import Session

from windtunnel.comparison import CellResults, CellRun, Design, ResultTable, SimulatorBuild
from windtunnel.run import RunState
from windtunnel.spec.description import Metric, find_metric
from windtunnel.store.coordinates import axis_names, coordinates
from windtunnel.store.tables import Campaign, CampaignRun, Cell, MetricRow, Run

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
    )


def metric_titles(session: Session, campaign_ids: Sequence[str]) -> Callable[[str], str]:
    """A function from metric name to title, as defined by the first of these campaigns.

    Metrics without a definition have their name as title.
    """
    query = (
        select(Campaign.metrics).where(Campaign.id.in_(campaign_ids)).order_by(Campaign.id).limit(1)
    )
    metrics = [Metric.from_record(record) for record in session.scalars(query).first() or []]

    def title(name: str) -> str:
        metric = find_metric(metrics, name)
        return metric.title if metric else name

    return title


def results_version(session: Session, campaign_id: str) -> tuple[Any, ...]:
    """A value that changes whenever a run of the campaign is added, ends or is requeued."""
    unfinished = func.count().filter(CampaignRun.unfinished)
    query = (
        select(func.count(), unfinished, func.max(Run.ended_at))
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(CampaignRun.campaign_id == campaign_id)
    )
    return tuple(session.execute(query).one())


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
    """Every planned run of a campaign and the values of these metrics, by cell.

    The queries return one row per cell, or per cell and metric, with arrays over the seeds: a few
    thousand rows for 20,000 runs.
    """
    cells = session.scalars(
        select(Cell).where(Cell.campaign_id == design.campaign).order_by(Cell.index)
    ).all()
    runs = _runs(session, design.campaign)
    values: dict[int, dict[str, dict[int, float]]] = {cell.index: {} for cell in cells}
    units: dict[int, dict[str, str]] = {cell.index: {} for cell in cells}
    for index, name, unit, seeds, seed_values in _values(session, design.campaign, metrics):
        values[index][name] = dict(sorted(zip(seeds, seed_values, strict=True)))
        units[index][name] = unit
    return ResultTable(
        design,
        tuple(
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
        ),
    )


def _runs(session: Session, campaign_id: str) -> dict[int, dict[int, CellRun]]:
    """Planned runs by cell index and seed index."""
    by_seed = CampaignRun.seed_index
    attributes = (by_seed, Run.id, Run.state, Run.failure, Run.digest, Run.schedule)
    arrays = [func.array_agg(aggregate_order_by(column, by_seed)) for column in attributes]
    query = (
        select(CampaignRun.cell_index, *arrays)
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id == campaign_id)
        .group_by(CampaignRun.cell_index)
    )
    return {
        index: {
            seed: CellRun(id_, _STATES[state], *rest)
            for seed, id_, state, *rest in zip(*columns, strict=True)
        }
        for index, *columns in session.execute(query)
    }


def _values(session: Session, campaign_id: str, metrics: Sequence[str]) -> Any:
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
        .where(CampaignRun.campaign_id == campaign_id, MetricRow.name.in_(metrics))
        .group_by(CampaignRun.cell_index, MetricRow.name)
    )
    return session.execute(query)
