"""Route for what submitters use of their quotas."""

from __future__ import annotations

from fastapi import APIRouter

from windtunnel.store import usage
from windtunnel.tokens import Scope
from windtunnel_api.authorization import READ, Reader
from windtunnel_api.dependencies import CurrentSettings, ReadSession
from windtunnel_api.token_schemas import UsageOut, UsagesOut

router = APIRouter(tags=["usage"])


@router.get("/usage", dependencies=READ)
def show(session: ReadSession, settings: CurrentSettings, bearer: Reader) -> UsagesOut:
    """Show what the token's owner uses, and may; with scope admin, what every submitter does."""
    is_admin = bearer.scope is Scope.ADMIN
    rows = usage.usages(session, settings.quotas, None if is_admin else [bearer.name])
    return UsagesOut(
        submitters=[UsageOut.model_validate(row) for row in rows],
        stored_bytes=usage.total_stored_bytes(session) if is_admin else None,
    )
