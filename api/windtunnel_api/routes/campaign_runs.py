"""Routes for what a campaign consists of: its runs, their states and failures, and its file."""

from __future__ import annotations

import re
from typing import Annotated

import yaml
from fastapi import APIRouter, Header, Query, Response
from pydantic import Field, TypeAdapter

from windtunnel.run import RunState
from windtunnel.store import campaigns, distributions, failures, run_grid
from windtunnel_api.authorization import READ
from windtunnel_api.campaign_schemas import RunPage, RunRow
from windtunnel_api.dependencies import Limit, ReadSession, decode_cursor, encode_cursor
from windtunnel_api.etags import Tagged
from windtunnel_api.grid_schemas import DistributionsOut, FailuresOut, GridOut

router = APIRouter(prefix="/campaigns", tags=["campaigns"])

_Index = Annotated[int, Field(ge=0, lt=2**31)]
_QueryIndex = Annotated[int | None, Query(ge=0, lt=2**31)]
_RUN_CURSOR = TypeAdapter(tuple[_Index, _Index])


@router.get("/{campaign_id}/runs", dependencies=READ)
def list_runs(
    session: ReadSession,
    campaign_id: str,
    limit: Limit = 100,
    cursor: str | None = None,
    state: RunState | None = None,
    cell: _QueryIndex = None,
    seed: _QueryIndex = None,
) -> RunPage:
    """List a campaign's runs, ordered by seed index and cell.

    With ``cell`` and ``seed`` those of a cell, counted from 0, and of a seed, counted from 1.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    after = decode_cursor(cursor, _RUN_CURSOR) if cursor else None
    wanted = campaigns.RunFilter(state, cell, seed)
    runs = campaigns.campaign_runs(session, campaign, limit + 1, after, wanted)
    rows = [
        RunRow(
            cell_index=run.cell_index,
            coordinates=dict(run.coordinates),
            **{
                name: getattr(run.run, name)
                for name in RunRow.model_fields
                if name not in ("cell_index", "coordinates")
            },
        )
        for run in runs[:limit]
    ]
    has_more = len(runs) > limit
    end = encode_cursor([rows[-1].seed_index, rows[-1].cell_index]) if has_more else None
    return RunPage(runs=rows, next_cursor=end)


@router.get(
    "/{campaign_id}/grid",
    dependencies=READ,
    response_model=GridOut,
    responses={304: {"description": "Unchanged."}},
)
def grid(
    session: ReadSession,
    campaign_id: str,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Show the state of every run: one letter per cell and seed. The response has an ETag."""
    campaign = campaigns.find_campaign(session, campaign_id)
    content = GridOut.model_validate(run_grid.run_grid(session, campaign))
    return Tagged.of(content.model_dump_json().encode()).response(if_none_match)


@router.get("/{campaign_id}/failures", dependencies=READ)
def list_failures(session: ReadSession, campaign_id: str) -> FailuresOut:
    """List the failed runs in groups, the largest first.

    A group's messages differ only in their numbers.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    return FailuresOut.model_validate({"groups": failures.failure_groups(session, campaign)})


@router.get(
    "/{campaign_id}/distributions",
    dependencies=READ,
    response_model=DistributionsOut,
    responses={304: {"description": "Unchanged."}},
)
def show_distributions(
    session: ReadSession,
    campaign_id: str,
    field: Annotated[str | None, Query(max_length=200)] = None,
    cell: Annotated[
        list[_Index] | None,
        Query(max_length=distributions.MAX_CELLS, description="Index; repeat for several."),
    ] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Show how a numeric field of the flow records, or the packet delay, is distributed, by cell.

    Fields are those in ``available``; ``packet_delay_ms`` is the one-way delay of data packets, at
    the upper ends of the simulator's ranges of delays. Without ``field``, completion times or else
    goodput; without ``cell``, the first 50 cells. The response has an ETag.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    shown = distributions.distributions(session, campaign, field, cell or ())
    content = DistributionsOut.model_validate(shown)
    return Tagged.of(content.model_dump_json().encode()).response(if_none_match)


@router.get(
    "/{campaign_id}/file",
    dependencies=READ,
    response_class=Response,
    responses={
        200: {
            "description": "The campaign file.",
            "content": {
                "text/yaml": {"schema": {"type": "string"}},
                "application/json": {"schema": {"type": "object"}},
            },
        }
    },
)
def file(session: ReadSession, campaign_id: str) -> Response:
    """Download the campaign file as it was submitted, byte for byte.

    Campaigns that were submitted before files were kept get their document as YAML.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    content = campaign.file
    if content is None:
        content = yaml.safe_dump(campaign.document, sort_keys=False, allow_unicode=True).encode()
    name = re.sub(r"[^A-Za-z0-9._-]", "-", campaign.name)
    suffix, media_type = (
        ("json", "application/json") if campaign.file_is_json else ("yaml", "text/yaml")
    )
    headers = {"Content-Disposition": f'attachment; filename="{name}.{suffix}"'}
    return Response(content, media_type=media_type, headers=headers)
