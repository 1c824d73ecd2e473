"""The values of one metric in all campaigns of a name that have certain labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, defer

from windtunnel.campaign import CampaignState
from windtunnel.comparison import SimulatorBuild
from windtunnel.comparison.history import (
    History,
    HistoryView,
    MeasuredCampaign,
    MeasuredCell,
    history,
)
from windtunnel.errors import InvalidRequestError, NotFoundError, Problem
from windtunnel.labels import label_texts
from windtunnel.run import RunState
from windtunnel.spec.description import Metric, find_metric
from windtunnel.store.coordinates import coordinates
from windtunnel.store.labels import has_labels
from windtunnel.store.tables import Campaign, CampaignRun, Cell, MetricRow, Run
from windtunnel.suggestions import unknown_metric

_MAX_NAMES = 10  # in a message


def metric_history(
    session: Session,
    metric: str,
    labels: Mapping[str, str],
    name: str | None,
    limit: int,
    view: HistoryView,
) -> History:
    """A metric over the newest ``limit`` ended campaigns of a name that have all of ``labels``.

    Raises NotFoundError without any, InvalidRequestError if several names have the labels and none
    is chosen, for an unknown metric, or as `history` does.
    """
    name = name or _only_name(session, labels)
    query = (
        select(Campaign)
        .options(defer(Campaign.document), defer(Campaign.lints))
        .where(has_labels(labels), Campaign.name == name, Campaign.state == CampaignState.ENDED)
        .order_by(Campaign.created_at.desc(), Campaign.id.desc())
        .limit(limit)
    )
    campaigns = session.scalars(query).all()[::-1]
    if not campaigns:
        raise NotFoundError(f"no campaign named {name!r} {_with(labels)}has ended")
    defined = _metric(campaigns[-1], metric)
    return history(name, labels, defined, _measured(session, campaigns, defined), view)


def _with(labels: Mapping[str, str]) -> str:
    return f"with the label {' and '.join(label_texts(labels))} " if labels else ""


def _only_name(session: Session, labels: Mapping[str, str]) -> str:
    """The name that all campaigns with these labels have."""
    query = select(Campaign.name).where(has_labels(labels)).distinct()
    names = session.scalars(query.order_by(Campaign.name).limit(_MAX_NAMES + 1)).all()
    if not names:
        raise NotFoundError(f"no campaign {_with(labels)}exists")
    if len(names) > 1:
        listed = ", ".join(names[:_MAX_NAMES]) + (" and more" if len(names) > _MAX_NAMES else "")
        message = f"campaigns of several names {_with(labels)}exist: {listed}; choose one of them"
        raise InvalidRequestError([Problem("query.name", message)])
    return names[0]


def _metric(campaign: Campaign, name: str) -> Metric:
    """A metric as the newest campaign defines it."""
    metrics = [Metric.from_record(record) for record in campaign.metrics]
    metric = find_metric(metrics, name)
    if metric is None:
        message = unknown_metric(name, [known.name for known in metrics])
        raise InvalidRequestError([Problem("query.metric", message)])
    return metric


def _measured(
    session: Session, campaigns: Sequence[Campaign], metric: Metric
) -> list[MeasuredCampaign]:
    by_id = {campaign.id: campaign for campaign in campaigns}
    cells: dict[str, dict[int, MeasuredCell]] = {id_: {} for id_ in by_id}
    values = _values(session, list(by_id), metric)
    runs = _runs(session, list(by_id))
    query = select(Cell.campaign_id, Cell.index, Cell.value_indices)
    query = query.where(Cell.campaign_id.in_(by_id)).order_by(Cell.campaign_id, Cell.index)
    for campaign_id, index, value_indices in session.execute(query):
        planned, deterministic = runs.get((campaign_id, index), (0, False))
        cells[campaign_id][index] = MeasuredCell(
            coordinates(by_id[campaign_id], value_indices),
            planned,
            values.get((campaign_id, index), {}),
            deterministic,
        )
    return [
        MeasuredCampaign(
            id=campaign.id,
            created_at=campaign.created_at,
            labels=campaign.labels,
            simulators=tuple(
                SimulatorBuild(build["name"], digest)
                for digest, build in sorted(campaign.simulators.items())
            ),
            cells=cells[campaign.id],
        )
        for campaign in campaigns
    ]


def _runs(session: Session, campaign_ids: Sequence[str]) -> dict[tuple[str, int], Any]:
    """(planned runs, whether several all have the same records) by campaign and cell index."""
    succeeded = func.count().filter(Run.state == RunState.SUCCEEDED)
    query = (
        select(
            CampaignRun.campaign_id,
            CampaignRun.cell_index,
            func.count(),
            (succeeded > 1) & (func.count(Run.digest.distinct()) == 1),
        )
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id.in_(campaign_ids))
        .group_by(CampaignRun.campaign_id, CampaignRun.cell_index)
    )
    return {(id_, index): (planned, same) for id_, index, planned, same in session.execute(query)}


def _values(
    session: Session, campaign_ids: Sequence[str], metric: Metric
) -> dict[tuple[str, int], dict[int, float]]:
    """Values by seed in the metric's unit, by campaign and cell index."""
    query = (
        select(
            CampaignRun.campaign_id,
            CampaignRun.cell_index,
            func.array_agg(CampaignRun.seed_index),
            func.array_agg(MetricRow.value),
        )
        .join(MetricRow, MetricRow.run_id == CampaignRun.run_id)
        .where(
            CampaignRun.campaign_id.in_(campaign_ids),
            MetricRow.name == metric.name,
            MetricRow.unit == metric.unit,
        )
        .group_by(CampaignRun.campaign_id, CampaignRun.cell_index)
    )
    return {
        (id_, index): dict(sorted(zip(seeds, values, strict=True)))
        for id_, index, seeds, values in session.execute(query)
    }
