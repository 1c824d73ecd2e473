"""A submitted campaign file, JSON or YAML, not larger than allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from windtunnel.errors import BodyTooLargeError, UnsupportedMediaTypeError
from windtunnel.spec import Document, read_json, read_yaml

JSON_TYPES = ("application/json",)
YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml")


@dataclass(frozen=True)
class CampaignFile:
    """The body's bytes and what they say."""

    raw: bytes
    document: Document


async def campaign_file(request: Request) -> CampaignFile:
    """Read the body. Raises an error of ours for what is too large or neither JSON nor YAML."""
    media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media_type not in JSON_TYPES + YAML_TYPES:
        raise UnsupportedMediaTypeError(
            f"Content-Type {media_type!r} is not taken; send application/json or application/yaml"
        )
    limit: int = request.app.state.settings.max_body_bytes
    raw = bytearray()
    async for block in request.stream():
        raw += block
        if len(raw) > limit:
            raise BodyTooLargeError(f"the body is larger than {limit} bytes")
    read = read_json if media_type in JSON_TYPES else read_yaml
    # A large file takes seconds to parse: not on the event loop.
    return CampaignFile(bytes(raw), await run_in_threadpool(read, bytes(raw)))


CampaignBody = Annotated[CampaignFile, Depends(campaign_file)]

OPENAPI_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "object", "required": ["name", "scenario"]}},
            "application/yaml": {"schema": {"type": "string"}},
        },
    }
}
