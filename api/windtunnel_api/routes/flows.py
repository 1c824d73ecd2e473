"""Routes for analyses over flows: percentiles, and fairness over time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from pydantic import Field

from windtunnel.store import campaigns, fairness, flow_percentiles
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import ReadSession
from windtunnel_api.etags import Tagged
from windtunnel_api.flow_schemas import FairnessOut, FlowPercentilesOut

router = APIRouter(prefix="/campaigns", tags=["campaigns"])

_Index = Annotated[int, Field(ge=0, lt=2**31)]
_Percent = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]
_NS_PER_MS = 1_000_000


@router.get(
    "/{campaign_id}/flow-percentiles",
    dependencies=READ,
    response_model=FlowPercentilesOut,
    responses={304: {"description": "Unchanged."}},
)
def show_percentiles(
    session: ReadSession,
    campaign_id: str,
    field: Annotated[str | None, Query(max_length=200)] = None,
    percentile: Annotated[
        list[_Percent] | None, Query(max_length=20, description="Percent; repeat for several.")
    ] = None,
    cell: Annotated[
        list[_Index] | None,
        Query(max_length=flow_percentiles.MAX_CELLS, description="Index; repeat for several."),
    ] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Show percentiles of a numeric field of the flow records, by cell.

    Each is given twice: pooled over the flows of all seeds, and as the mean of the seeds' own
    percentiles with its 95 % interval; ``notes`` explain the difference. Without ``field``,
    completion times or else goodput; without ``percentile``, 50, 95 and 99; without ``cell``, the
    first 500 cells. The response has an ETag.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    percents = percentile or flow_percentiles.DEFAULT_PERCENTILES
    shown = flow_percentiles.flow_percentiles(session, campaign, field, percents, cell or ())
    content = FlowPercentilesOut.model_validate(shown)
    return Tagged.of(content.model_dump_json().encode()).response(if_none_match)


@router.get(
    "/{campaign_id}/fairness",
    dependencies=READ,
    response_model=FairnessOut,
    responses={304: {"description": "Unchanged."}},
)
def show_fairness(
    session: ReadSession,
    campaign_id: str,
    window_ms: Annotated[
        int | None,
        Query(ge=1, le=3_600_000, description="Length of an interval; default: the series' step."),
    ] = None,
    cell: Annotated[
        list[_Index] | None,
        Query(max_length=fairness.MAX_CELLS, description="Index; repeat for several."),
    ] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Show Jain's fairness index of the flows' goodput over time, by cell.

    A flow counts in intervals that begin after its start and end before its completion. Needs runs
    with the series ``{probe: goodput, at: flows}``. Without ``cell``, the first 50 cells. The
    response has an ETag.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    window = None if window_ms is None else window_ms * _NS_PER_MS
    content = FairnessOut.model_validate(fairness.fairness(session, campaign, window, cell or ()))
    return Tagged.of(content.model_dump_json().encode()).response(if_none_match)
