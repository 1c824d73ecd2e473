"""Route for server-sent events: a campaign's state at every change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from windtunnel.errors import UnavailableError
from windtunnel.settings import Settings
from windtunnel.store.campaigns import find_campaign
from windtunnel.store.database import Database
from windtunnel_api.authentication import Authenticator
from windtunnel_api.authorization import READ
from windtunnel_api.campaign_schemas import CampaignOut
from windtunnel_api.events import EventHub
from windtunnel_api.routes.campaigns import campaign_or_none

router = APIRouter(tags=["campaigns"])

# Browsers do not see comments: a repeated state tells a page that the service is still there.
_REPEAT_SECONDS = 5.0
_MIN_INTERVAL_SECONDS = 0.5


@router.get(
    "/campaigns/{campaign_id}/events",
    dependencies=READ,
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "A stream of `campaign` events with a CampaignOut as data, at every "
            "change and at least every 5 seconds; the last event has `ended` set to true.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def events(request: Request, campaign_id: str) -> StreamingResponse:
    """Stream the campaign's state, at every change and every few seconds, until it has ended."""
    database: Database = request.app.state.database
    hub: EventHub = request.app.state.hub

    def resolve() -> str:
        with database.transaction() as session:
            return find_campaign(session, campaign_id).id

    full_id = await run_in_threadpool(resolve)
    return StreamingResponse(
        _stream(request, hub, full_id),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _stream(request: Request, hub: EventHub, campaign_id: str) -> AsyncIterator[str]:
    database: Database = request.app.state.database

    authenticator: Authenticator = request.app.state.authenticator
    settings: Settings = request.app.state.settings

    def state() -> CampaignOut | None:
        if not authenticator.still_valid(request):
            return None
        with database.transaction() as session:
            return campaign_or_none(session, campaign_id, settings.quotas)

    async for _ in hub.changes(campaign_id, _REPEAT_SECONDS):
        try:
            campaign = await run_in_threadpool(state)
        except UnavailableError:
            yield ": waiting for PostgreSQL\n\n"
            continue
        if campaign is None:
            return
        yield f"event: campaign\ndata: {campaign.model_dump_json()}\n\n"
        if campaign.ended:
            return
        await asyncio.sleep(_MIN_INTERVAL_SECONDS)
