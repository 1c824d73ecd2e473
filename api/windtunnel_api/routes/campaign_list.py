"""Routes for finding campaigns: the list with its filters, and what there is to filter by."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime, Field, TypeAdapter

from windtunnel.store import campaign_search
from windtunnel.store.campaign_search import CampaignFilter, SortOrder, StateFilter
from windtunnel_api.authorization import READ
from windtunnel_api.campaign_schemas import CampaignOut, CampaignPage, FacetsOut
from windtunnel_api.dependencies import Limit, ReadSession, decode_cursor, encode_cursor
from windtunnel_api.labels import QueryLabels

router = APIRouter(prefix="/campaigns", tags=["campaigns"])

_Id = Annotated[str, Field(pattern="^[0-9a-f]{1,64}$")]
_Number = Annotated[float, Field(allow_inf_nan=False)]
# The order, and the sort value and id of the last campaign: valid for this order only.
_CURSORS: dict[SortOrder, TypeAdapter[Any]] = {
    SortOrder.NEWEST: TypeAdapter(tuple[Literal["-created"], AwareDatetime, _Id]),
    SortOrder.OLDEST: TypeAdapter(tuple[Literal["created"], AwareDatetime, _Id]),
    SortOrder.NAME: TypeAdapter(tuple[Literal["name"], str, _Id]),
    SortOrder.NAME_REVERSED: TypeAdapter(tuple[Literal["-name"], str, _Id]),
    SortOrder.CHEAPEST: TypeAdapter(tuple[Literal["cost"], _Number, _Id]),
    SortOrder.COSTLIEST: TypeAdapter(tuple[Literal["-cost"], _Number, _Id]),
}


def _conditions(
    labels: QueryLabels,
    q: Annotated[
        str | None,
        Query(
            max_length=200,
            description="Part of the name, the description or a label, or the id's beginning.",
        ),
    ] = None,
    state: Annotated[
        list[StateFilter] | None,
        Query(description="Repeat for several; `failures`: ended with a failed run."),
    ] = None,
    submitter: Annotated[str | None, Query(max_length=63)] = None,
    algorithm: Annotated[
        list[str] | None, Query(max_length=50, description="Repeat for several: any of them.")
    ] = None,
    topology: Annotated[str | None, Query(max_length=200)] = None,
) -> CampaignFilter:
    return CampaignFilter(q, labels, state or (), submitter, algorithm or (), topology)


@router.get("", dependencies=READ)
def list_campaigns(
    session: ReadSession,
    conditions: Annotated[CampaignFilter, Depends(_conditions)],
    sort: Annotated[
        SortOrder, Query(description="`-`: greatest first. `cost`: predicted CPU time.")
    ] = SortOrder.NEWEST,
    limit: Limit = 50,
    cursor: str | None = None,
) -> CampaignPage:
    """List campaigns that satisfy all of these conditions, newest first.

    With ``label`` those that have all of these labels. A cursor continues the ``sort`` order that
    it was made for.
    """
    after = decode_cursor(cursor, _CURSORS[sort])[1:] if cursor else None
    found = campaign_search.list_campaigns(session, limit + 1, conditions, sort, after)
    page = [CampaignOut.model_validate(campaign) for campaign in found[:limit]]
    end = None
    if len(found) > limit:
        last = found[limit - 1]
        end = encode_cursor([sort.value, campaign_search.sort_value(last, sort), last.id])
    return CampaignPage(campaigns=page, next_cursor=end)


@router.get("/facets", dependencies=READ)
def facets(session: ReadSession) -> FacetsOut:
    """List what campaigns can be filtered by, with the number of campaigns that have it."""
    return FacetsOut.model_validate(campaign_search.facets(session))
