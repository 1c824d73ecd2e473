"""Route for a metric's sensitivity to the axes of a campaign's sweep."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.store.campaigns import find_campaign
from windtunnel.store.sensitivity import metric_sensitivity
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import ReadSession
from windtunnel_api.sensitivity_schemas import SensitivityOut

router = APIRouter(prefix="/campaigns", tags=["campaigns"])


@router.get("/{campaign_id}/sensitivity", dependencies=READ)
def sensitivity(
    session: ReadSession,
    campaign_id: str,
    metric: Annotated[str, Query(max_length=200)],
    where: Annotated[
        list[str] | None,
        Query(
            max_length=50,
            description="Only cells with this label, such as `algorithm=vegas`; repeatable.",
        ),
    ] = None,
) -> SensitivityOut:
    """Show which axes a metric depends on.

    Analysis of variance of a grid, Sobol' indices of a saltelli design, elementary effects of a
    morris design, rank regression of a Latin hypercube; a sampled design has one analysis for each
    setting of its other axes.
    """
    campaign = find_campaign(session, campaign_id)
    found = metric_sensitivity(session, campaign, metric, _labels(where or []))
    return SensitivityOut.model_validate(found)


def _labels(texts: list[str]) -> dict[str, list[str]]:
    """Labels by axis. Raises InvalidRequestError."""
    labels: dict[str, list[str]] = {}
    for text in texts:
        axis, equals, label = text.partition("=")
        if not equals or not axis:
            message = f"{quoted(text)} is not an axis and its label, such as algorithm=vegas"
            raise InvalidRequestError([Problem("query.where", message)])
        labels.setdefault(axis, []).append(label)
    return labels
