"""Route for the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field, TypeAdapter

from windtunnel.store import audit
from windtunnel_api.authorization import ADMIN
from windtunnel_api.dependencies import ReadSession, decode_cursor, encode_cursor
from windtunnel_api.retention_schemas import AuditEntryOut, AuditPage

router = APIRouter(tags=["audit"])

_CURSOR = TypeAdapter(tuple[Annotated[int, Field(ge=0, lt=2**63)]])


@router.get("/audit", dependencies=ADMIN)
def entries(
    session: ReadSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: str | None = None,
    actor: str | None = None,
    object: str | None = None,  # noqa: A002  (the parameter's name)
) -> AuditPage:
    """List who did what to what, when and from where; newest first."""
    before = decode_cursor(cursor, _CURSOR)[0] if cursor else None
    rows = audit.entries(session, limit + 1, before, actor, object)
    page = [AuditEntryOut.model_validate(row) for row in rows[:limit]]
    end = encode_cursor([rows[limit - 1].id]) if len(rows) > limit else None
    return AuditPage(entries=page, next_cursor=end)
