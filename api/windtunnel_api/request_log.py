"""One log line and one observation a request, under an id that its response carries."""

from __future__ import annotations

import logging
import re
import secrets
import time
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from windtunnel import logs
from windtunnel.store.tokens import Bearer
from windtunnel_api.authentication import client_address
from windtunnel_api.dependencies import API_PREFIX
from windtunnel_api.monitoring import Monitoring

log = logging.getLogger("windtunnel.requests")

HEADER = "X-Request-Id"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """Logs id, token's name, status and time. A client may give the id (a proxy's, say)."""

    def __init__(self, app: ASGIApp, monitoring: Monitoring) -> None:
        self._app = app
        self._monitoring = monitoring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        given = connection.headers.get(HEADER, "")
        request_id = given if _GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        connection.state.request_id = request_id
        status = int(HTTPStatus.INTERNAL_SERVER_ERROR)
        begun = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        try:
            with logs.fields(request=request_id):
                await self._app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - begun
            self._monitoring.observe(scope["method"], _route(scope), status, seconds)
            bearer = getattr(connection.state, "bearer", None)
            log.info(
                "%s %r %d",
                scope["method"],
                scope["path"],
                status,
                extra={
                    "request": request_id,
                    "token": bearer.name if isinstance(bearer, Bearer) else "-",
                    "client": client_address(connection),
                    "milliseconds": round(1000 * seconds, 1),
                    **_named(scope),
                },
            )


def _named(scope: Scope) -> dict[str, str]:
    """The campaign, run or verification in the path, as the client named it."""
    kinds = ("campaign", "run", "verification")
    parameters = scope.get("path_params") or {}
    return {kind: parameters[f"{kind}_id"] for kind in kinds if f"{kind}_id" in parameters}


def _route(scope: Scope) -> str:
    """The path template of the route that answered; requests without one share a name."""
    template: str = getattr(scope.get("route"), "path", "")
    if scope["path"].startswith(f"{API_PREFIX}/"):
        return API_PREFIX + template if template else "unknown"
    return template if template in ("/metrics", "/sign-in") else "page"
