"""Middleware that rejects requests before they reach a route."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from windtunnel.errors import NotFoundError
from windtunnel_api.problems import error_response


class NulGuard:
    """Responds 404 to a NUL character in the URL, which PostgreSQL rejects."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and ("\x00" in scope["path"] or b"%00" in scope["query_string"]):
            error = NotFoundError("the URL contains a NUL character")
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)
