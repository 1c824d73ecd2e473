"""The FastAPI application."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from windtunnel import __version__
from windtunnel.settings import Settings
from windtunnel.store.database import Database
from windtunnel_api import authorization, problems
from windtunnel_api.authentication import Authenticator
from windtunnel_api.bodies import BodyLimits
from windtunnel_api.comparisons import Comparisons
from windtunnel_api.dependencies import API_PREFIX, known_parameters
from windtunnel_api.etags import WeakEtags
from windtunnel_api.events import EventHub
from windtunnel_api.export_slots import ExportSlots
from windtunnel_api.guards import NulGuard
from windtunnel_api.monitoring import Monitoring
from windtunnel_api.pages import serve_pages
from windtunnel_api.planner_pool import PlannerPool
from windtunnel_api.recent_queue import RecentQueue
from windtunnel_api.request_log import RequestLog
from windtunnel_api.routes import (
    audit,
    campaign_list,
    campaign_runs,
    campaigns,
    catalogue,
    events,
    exports,
    flows,
    gates,
    health,
    history,
    metrics,
    references,
    retention,
    runs,
    sensitivity,
    sessions,
    tokens,
    topology,
    usage,
    verifications,
)
from windtunnel_api.security_headers import SecurityHeaders
from windtunnel_api.wakeup import Wakeup

# Smaller responses are not compressed. Event streams never are: GZipMiddleware leaves them out.
_COMPRESSED_BYTES = 10_000
# Of exports, which are compressed inside.
_COMPRESSED_TYPES = ("application/vnd.apache.parquet", "application/x-tar")


def create_app(settings: Settings | None = None) -> FastAPI:
    """Create the application with the PostgreSQL and Redis of the settings."""
    settings = settings or Settings.from_environment()
    app = FastAPI(
        title="Windtunnel",
        version=__version__,
        description="A wind tunnel for TCP congestion control.",
        lifespan=_lifespan,
        openapi_url=f"{API_PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.started_at = datetime.now(UTC)
    app.state.database = Database(settings.database_url, pool_size=10)
    app.state.wakeup = Wakeup(settings.redis_url)
    app.state.comparisons = Comparisons()
    app.state.queue = RecentQueue()
    app.state.export_slots = ExportSlots()
    app.state.planners = PlannerPool(settings)
    app.state.hub = EventHub(settings.database_url)
    app.state.monitoring = Monitoring(app.state.database)
    app.state.authenticator = Authenticator(app.state.database)
    problems.install(app)
    problems.document(app)
    api = APIRouter(prefix=API_PREFIX, dependencies=[Depends(known_parameters)])
    for routes in (
        health,
        catalogue,
        campaign_list,
        campaigns,
        campaign_runs,
        exports,
        history,
        sensitivity,
        references,
        gates,
        events,
        flows,
        runs,
        topology,
        verifications,
        sessions,
        tokens,
        usage,
        retention,
        audit,
    ):
        unprotected = authorization.unprotected_routes(routes.router)
        if unprotected:
            raise LookupError(f"routes without an access rule: {', '.join(unprotected)}")
        api.include_router(routes.router)
    app.include_router(api)
    app.include_router(sessions.links)
    app.include_router(metrics.router)
    if settings.web:
        serve_pages(app, Path(settings.web))
    app.add_middleware(
        GZipMiddleware,
        minimum_size=_COMPRESSED_BYTES,
        compresslevel=1,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, *_COMPRESSED_TYPES),
    )
    app.add_middleware(
        BodyLimits,
        authenticator=app.state.authenticator,
        max_bytes=settings.max_body_bytes,
        sign_in_path=f"{API_PREFIX}/session",
    )
    app.add_middleware(WeakEtags)
    app.add_middleware(NulGuard)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestLog, monitoring=app.state.monitoring)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.planners.start()
    listener = asyncio.create_task(app.state.hub.listen())
    try:
        yield
    finally:
        listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener
        app.state.planners.close()
        app.state.database.close()
