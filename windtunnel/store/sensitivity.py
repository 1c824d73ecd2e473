"""The sensitivity of a campaign's metric to the axes of its sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from windtunnel.comparison import metric_definitions
from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.sensitivity import Sensitivity, analyze
from windtunnel.spec.description import Metric
from windtunnel.store import results
from windtunnel.store.coordinates import axis_labels
from windtunnel.store.tables import Campaign
from windtunnel.suggestions import unknown_metric


def metric_sensitivity(
    session: Session, campaign: Campaign, metric: str, where: Mapping[str, Sequence[str]]
) -> Sensitivity:
    """Analyze a metric over the cells that have the labels in ``where``, by axis.

    Raises InvalidRequestError for an unknown metric or label, ConflictError if too many values are
    missing.
    """
    defined = _metric(session, campaign, metric)
    cells = results.read_cells(session, campaign, [defined.name])
    labels = axis_labels(campaign)
    return analyze(campaign.id, cells, labels, campaign.design, defined, where)


def _metric(session: Session, campaign: Campaign, name: str) -> Metric:
    design = results.design_of(campaign)
    reported = metric_definitions(design, results.reported_metrics(session, campaign.id))
    by_name = {metric.name: metric for metric in (*design.metrics, *reported)}
    if name not in by_name:
        message = unknown_metric(name, list(by_name))
        raise InvalidRequestError([Problem("query.metric", message)])
    return by_name[name]
