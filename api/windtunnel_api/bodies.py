"""Request bodies: read once the sender is known, within limits of size and time."""

from __future__ import annotations

import asyncio

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from windtunnel.errors import BodyTooLargeError, RequestTimeoutError, WindtunnelError
from windtunnel_api.authentication import Authenticator
from windtunnel_api.problems import error_response

# What may be sent without a valid token, to the one route that reads it: a token.
ANONYMOUS_BYTES = 4096
SECONDS = 30.0


class BodyLimits:
    """Reads a body before the application sees the request: it can be neither large nor slow.

    Without valid credentials only ``sign_in_path`` has a body; every other request with one is
    refused unread.
    """

    def __init__(
        self, app: ASGIApp, authenticator: Authenticator, max_bytes: int, sign_in_path: str
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._max_bytes = max_bytes
        self._sign_in_path = sign_in_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except WindtunnelError as error:
            await error_response(error, close=True)(scope, receive, send)
            return
        if body is None:  # the client is gone
            return
        await self._app(scope, _replaying(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        limit = await self._limit(scope)
        too_large = BodyTooLargeError(f"the body exceeds the limit of {limit} bytes")
        if int(HTTPConnection(scope).headers.get("content-length", "0")) > limit:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(SECONDS):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > limit:
                        raise too_large
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError as error:
            raise RequestTimeoutError(
                f"the body did not arrive within {SECONDS:.0f} seconds"
            ) from error

    async def _limit(self, scope: Scope) -> int:
        """How many bytes the sender may send. Raises as `Authenticator.bearer`."""
        if scope["path"] == self._sign_in_path:
            return ANONYMOUS_BYTES
        await self._authenticator.bearer(HTTPConnection(scope))
        return self._max_bytes


def _has_body(scope: Scope) -> bool:
    headers = HTTPConnection(scope).headers
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns the body that was read, then what follows it."""
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
