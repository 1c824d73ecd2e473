"""What a request must be before any route sees it: from here, and free of NUL characters."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from windtunnel.errors import ForeignOriginError, NotFoundError
from windtunnel_api.problems import of_error

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})


class LoopbackGuard:
    """Refuses a foreign Host (DNS rebinding), a foreign Origin (another page's script), and NUL."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            for name in ("host", "origin"):
                value = headers.get(name)
                if value is not None and not _is_loopback(value):
                    error = ForeignOriginError(
                        f"{name.title()} {value!r} is not this machine's; the service answers on "
                        "127.0.0.1 and localhost only"
                    )
                    await of_error(error)(scope, receive, send)
                    return
            if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
                missing = NotFoundError("nothing here has a NUL character in its address")
                await of_error(missing)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _is_loopback(value: str) -> bool:
    try:
        host = urlsplit(value if "//" in value else f"//{value}").hostname
    except ValueError:
        return False
    return host in _LOOPBACK
