"""Answers with an ETag: the hash of their bytes, so that equal tags mean equal answers."""

from __future__ import annotations

import hashlib

from fastapi import Response, status

_HEADERS = {"Cache-Control": "private, no-cache"}


def tagged(body: bytes, if_none_match: str | None) -> Response:
    """A JSON answer, or 304 if the client has these very bytes (RFC 9110, section 13.1.2)."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**_HEADERS, "ETag": etag}
    if if_none_match is not None and _matches(etag, if_none_match):
        return Response(status_code=status.HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


def _matches(etag: str, if_none_match: str) -> bool:
    known = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return "*" in known or etag in known
