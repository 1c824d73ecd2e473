"""Middleware that rejects requests before they reach a route."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from windtunnel.errors import ForeignOriginError, NotFoundError
from windtunnel_api.problems import error_response

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})


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


class LoopbackGuard:
    """Without tokens, accepts only requests from this machine.

    Rejects non-loopback client addresses, a foreign Host (DNS rebinding) and a foreign Origin
    (scripts of other sites).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = _foreign(scope) if scope["type"] == "http" else None
        if error is not None:
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _foreign(scope: Scope) -> ForeignOriginError | None:
    client = scope.get("client")
    if client is not None and not ip_address(client[0]).is_loopback:
        return ForeignOriginError(
            "without tokens the service accepts requests from this machine only"
        )
    headers = Headers(scope=scope)
    for name in ("host", "origin"):
        value = headers.get(name)
        if value is not None and not _is_loopback(value):
            return ForeignOriginError(
                f"{name.title()} {value!r} is not allowed; without tokens the service answers on "
                "127.0.0.1 and localhost only"
            )
    return None


def _is_loopback(value: str) -> bool:
    try:
        host = urlsplit(value if "//" in value else f"//{value}").hostname
    except ValueError:
        return False
    return host in _LOOPBACK
