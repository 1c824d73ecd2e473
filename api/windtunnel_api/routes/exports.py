"""Route for exports of a campaign's results as files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Query, Response, status
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from windtunnel.exports import FORMATS, ExportRequest, Origin, read_request
from windtunnel.store.campaigns import find_campaign
from windtunnel.store.database import Database
from windtunnel_api.authorization import READ
from windtunnel_api.comparisons import Comparisons
from windtunnel_api.dependencies import CurrentComparisons, CurrentDatabase, CurrentExportSlots
from windtunnel_api.etags import matches
from windtunnel_api.export_slots import ExportResponse

if TYPE_CHECKING:
    from windtunnel_api.exporting import Export

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
async def export(
    slots: CurrentExportSlots,
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
    If a run is deleted meanwhile, the connection is closed before the end of the response. The API
    sends four exports at a time; others wait for up to 30 s.
    """
    request = read_request(file_format, what, metric or (), series or (), prefix="query.")
    prepared, campaign_name = await run_in_threadpool(
        _prepared, database, comparisons, campaign_id, request
    )
    headers = {
        "Cache-Control": "private, no-cache",
        "ETag": prepared.etag,
        "Vary": "Accept-Encoding",
        **_completeness(prepared.origin),
    }
    if if_none_match is not None and matches(prepared.etag, if_none_match):
        return Response(status_code=status.HTTP_304_NOT_MODIFIED, headers=headers)
    name = request.file_name(campaign_name)
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    await slots.acquire()
    try:
        chunks = await run_in_threadpool(lambda: _begun(prepared.open()))
        response = ExportResponse(chunks, media_type=request.info.media_type, headers=headers)
        response.slots = slots
    except BaseException:
        slots.release()
        raise
    return response


def _prepared(
    database: Database, comparisons: Comparisons, campaign_id: str, request: ExportRequest
) -> tuple[Export, str]:
    """The export, and the campaign's name."""
    from windtunnel_api.exporting import Preparation

    with database.transaction() as session:
        campaign = find_campaign(session, campaign_id)
        export = Preparation(session, database, comparisons, campaign, request).prepare()
        return export, campaign.name


def _completeness(origin: Origin) -> dict[str, str]:
    counts = {"Windtunnel-Complete": f"{origin.finished}/{origin.planned}"}
    return counts | ({"Windtunnel-Note": origin.note} if origin.note else {})


def _begun(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks. What fails in the first of them is answered with an error document."""
    return chain([next(chunks, b"")], chunks)
