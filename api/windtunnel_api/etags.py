"""Responses with an ETag, which is the hash of the body."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from fastapi import Response, status
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class Tagged:
    """A JSON text and its ETag."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, body: bytes) -> Tagged:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')

    def response(self, if_none_match: str | None) -> Response:
        """The response, or 304 if the client has the same body (RFC 9110, section 13.1.2)."""
        headers = {
            "Cache-Control": "private, no-cache",
            "ETag": self.etag,
            "Vary": "Accept-Encoding",
        }
        if if_none_match is not None and matches(self.etag, if_none_match):
            return Response(status_code=status.HTTP_304_NOT_MODIFIED, headers=headers)
        return Response(self.body, media_type="application/json", headers=headers)


def matches(etag: str, if_none_match: str) -> bool:
    """Whether a client has what the ETag stands for, compressed or not."""
    etags = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return "*" in etags or etag in etags


class WeakEtags:
    """Makes the ETags of compressed responses weak: the bytes are not those that were hashed.

    RFC 9110, section 8.8.3.3.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_weakened(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                etag = headers.get("etag", "")
                if etag.startswith('"') and headers.get("content-encoding") == "gzip":
                    headers["ETag"] = f"W/{etag}"
            await send(message)

        await self._app(scope, receive, send_weakened if scope["type"] == "http" else send)
