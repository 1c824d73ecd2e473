"""Request bodies: a submission's campaign file, JSON or YAML; else JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from windtunnel.errors import UnsupportedMediaTypeError
from windtunnel.spec import Document, read_json, read_yaml

JSON_TYPES = ("application/json",)
YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml")


@dataclass(frozen=True)
class CampaignFile:
    """The body's bytes and the parsed document."""

    raw: bytes
    document: Document


async def campaign_file(request: Request) -> CampaignFile:
    """Read the body. Raises UnsupportedMediaTypeError or SpecError."""
    media_type = _media_type(request, JSON_TYPES + YAML_TYPES)
    raw = await request.body()
    parse = read_json if media_type in JSON_TYPES else read_yaml
    # Parsing a large file takes seconds and would block the event loop.
    return CampaignFile(raw, await run_in_threadpool(parse, raw))


def _media_type(request: Request, supported: tuple[str, ...]) -> str:
    """The body's type without parameters. Raises UnsupportedMediaTypeError."""
    media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media_type not in supported:
        usable = [kind for kind in ("application/json", "application/yaml") if kind in supported]
        raise UnsupportedMediaTypeError(
            f"unsupported Content-Type {media_type!r}; use {' or '.join(usable)}"
        )
    return media_type


def _require_json(request: Request) -> None:
    _media_type(request, JSON_TYPES)


# For routes whose body is a model.
JSON_BODY = [Depends(_require_json)]
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
