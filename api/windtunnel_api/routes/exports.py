"""Route for exports of a campaign's results as files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response, status
from fastapi.responses import StreamingResponse

from windtunnel.exports import FORMATS, Origin, read_request
from windtunnel.store.campaigns import find_campaign
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import CurrentComparisons, CurrentDatabase
from windtunnel_api.etags import matches

router = APIRouter(prefix="/campaigns", tags=["campaigns"])

_Names = Annotated[list[str] | None, Query(max_length=1000)]
_Word = Annotated[str | None, Query(max_length=100)]
_MEDIA_TYPES: dict[str, dict[str, str]] = {
    info.media_type.partition(";")[0]: {} for info in FORMATS.values()
}


@router.get(
    "/{campaign_id}/export",
    dependencies=READ,
    response_class=StreamingResponse,
    responses={
        200: {"description": "The file, as it is made.", "content": _MEDIA_TYPES},
        304: {"description": "Unchanged."},
    },
)
def export(
    database: CurrentDatabase,
    comparisons: CurrentComparisons,
    campaign_id: str,
    file_format: Annotated[str | None, Query(alias="format", max_length=100)] = None,
    what: _Word = None,
    metric: _Names = None,
    series: _Names = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Export a campaign's results as a file.

    `format` is csv (the default), parquet, json, markdown, latex or flent; `what` is runs,
    comparison, flows, series or packet-delays. Markdown and LaTeX hold comparisons only; flent is a
    tar archive of Flent's data files, one per run.

    `Windtunnel-Complete: 28/40` says how many of the planned runs have finished and are part of it.
    If a run is deleted meanwhile, the connection is closed before the end of the response.
    """
    from windtunnel_api.exporting import Preparation

    request = read_request(file_format, what, metric or (), series or (), prefix="query.")
    with database.transaction() as session:
        campaign = find_campaign(session, campaign_id)
        prepared = Preparation(session, database, comparisons, campaign, request).prepare()
    headers = {
        "Cache-Control": "private, no-cache",
        "ETag": prepared.etag,
        "Vary": "Accept-Encoding",
        **_completeness(prepared.origin),
    }
    if if_none_match is not None and matches(prepared.etag, if_none_match):
        return Response(status_code=status.HTTP_304_NOT_MODIFIED, headers=headers)
    name = request.file_name(campaign.name)
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return StreamingResponse(
        _begun(prepared.open()), media_type=request.info.media_type, headers=headers
    )


def _completeness(origin: Origin) -> dict[str, str]:
    counts = {"Windtunnel-Complete": f"{origin.finished}/{origin.planned}"}
    return counts | ({"Windtunnel-Note": origin.note} if origin.note else {})


def _begun(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks. What fails in the first of them is answered with an error document."""
    return chain([next(chunks, b"")], chunks)
