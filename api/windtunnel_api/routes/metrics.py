"""Route for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from windtunnel_api.authorization import READ
from windtunnel_api.monitoring import Monitoring

# Where Prometheus looks for it, not below the API's prefix.
router = APIRouter(include_in_schema=False)


@router.get("/metrics", dependencies=READ)
def metrics(request: Request) -> Response:
    """Metrics in Prometheus' text format."""
    monitoring: Monitoring = request.app.state.monitoring
    return Response(monitoring.text(), media_type=CONTENT_TYPE_LATEST)
