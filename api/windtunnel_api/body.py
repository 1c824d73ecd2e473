"""Request bodies: a submission's campaign file, JSON or YAML; else JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request

from windtunnel.errors import BodyTooLargeError, UnavailableError, UnsupportedMediaTypeError
from windtunnel.plan import Plan
from windtunnel.spec import Document, read_json, read_yaml
from windtunnel.spec.limits import MAX_GATES_BYTES
from windtunnel.store.submission import SubmittedFile
from windtunnel_api.planner import CampaignFile
from windtunnel_api.planner_pool import PlannerPool

JSON_TYPES = ("application/json",)
YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml")


@dataclass(frozen=True)
class PlannedFile:
    """The body and the plan of the campaign in it."""

    file: SubmittedFile
    plan: Plan


async def planned_file(request: Request, dry_run: bool = False) -> PlannedFile:  # noqa: ARG001
    """Read the body and plan the campaign, unless the client hangs up.

    Nothing is planned for a request whose query is malformed, which is why it is a parameter.
    Raises UnsupportedMediaTypeError, SpecError or UnavailableError.
    """
    media_type = _media_type(request, JSON_TYPES + YAML_TYPES)
    raw = await request.body()
    file = CampaignFile(raw, media_type in JSON_TYPES)
    submitted = SubmittedFile(file.content, file.is_json)
    return PlannedFile(submitted, await _while_connected(request, _planners(request).plan(file)))


async def _gates_file(request: Request) -> CampaignFile:
    """The body, a file of gates. Raises UnsupportedMediaTypeError or BodyTooLargeError."""
    media_type = _media_type(request, JSON_TYPES + YAML_TYPES)
    raw = await request.body()
    if len(raw) > MAX_GATES_BYTES:
        raise BodyTooLargeError(f"a file of gates has at most {MAX_GATES_BYTES} bytes")
    return CampaignFile(raw, media_type in JSON_TYPES)


def gates_document(file: Annotated[CampaignFile, Depends(_gates_file)]) -> Document:
    """Read a file of gates, in a thread: other requests go on. Raises SpecError."""
    return (read_json if file.is_json else read_yaml)(file.content)


def _planners(request: Request) -> PlannerPool:
    planners: PlannerPool = request.app.state.planners
    return planners


async def _while_connected(request: Request, work: Coroutine[Any, Any, Plan]) -> Plan:
    """The result of ``work``, which is cancelled when the client hangs up."""
    task = asyncio.ensure_future(work)
    disconnected = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise UnavailableError("the client hung up")
        return task.result()
    finally:
        for future in (task, disconnected):
            future.cancel()


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
PlannedBody = Annotated[PlannedFile, Depends(planned_file)]
GatesBody = Annotated[Document, Depends(gates_document)]


def openapi_body(*required: str) -> dict[str, Any]:
    """The description of a body that is a file with these fields."""
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"type": "object", "required": list(required)}},
                "application/yaml": {"schema": {"type": "string"}},
            },
        }
    }
