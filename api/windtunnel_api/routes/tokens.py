"""Routes for tokens. A browser's session can't use them, except to list."""

from __future__ import annotations

from datetime import timedelta

from fastapi import APIRouter, status

from windtunnel.errors import ForbiddenError
from windtunnel.quotas import Quotas
from windtunnel.store import tokens
from windtunnel.tokens import Scope
from windtunnel_api.authorization import ADMIN, ADMIN_TOKEN, OWN_TOKEN, CurrentActor, Reader
from windtunnel_api.body import JSON_BODY
from windtunnel_api.dependencies import CurrentDatabase, ReadSession
from windtunnel_api.token_schemas import NewTokenIn, NewTokenOut, TokenOut, TokensOut

router = APIRouter(tags=["tokens"])


@router.post(
    "/tokens", status_code=status.HTTP_201_CREATED, dependencies=[*ADMIN_TOKEN, *JSON_BODY]
)
def create(database: CurrentDatabase, actor: CurrentActor, body: NewTokenIn) -> NewTokenOut:
    """Create a token. It is returned only once; the service stores only its digest."""
    valid_for = timedelta(days=body.days) if body.days else None
    quotas = Quotas(body.max_open_runs, body.cpu_hours_per_day, body.max_storage_bytes)
    with database.transaction() as session:
        token, row = tokens.create_token(session, body.name, body.scope, valid_for, quotas)
        actor.record(session, "token.create", row.id, name=row.name, scope=row.scope)
        token_info = TokenOut.model_validate(row)
    return NewTokenOut(token=token, **token_info.model_dump())


@router.get("/tokens", dependencies=ADMIN)
def list_all(session: ReadSession) -> TokensOut:
    """List all tokens, including revoked ones, newest first, without their secrets."""
    return TokensOut(tokens=[TokenOut.model_validate(row) for row in tokens.list_tokens(session)])


@router.post(
    "/tokens/{token_id}/rotate", status_code=status.HTTP_201_CREATED, dependencies=OWN_TOKEN
)
def rotate(
    database: CurrentDatabase, bearer: Reader, actor: CurrentActor, token_id: str
) -> NewTokenOut:
    """Replace a token by a new one; the old one is revoked immediately.

    Everybody can rotate their own token; other tokens require an admin token.
    """
    if bearer.scope != Scope.ADMIN and bearer.token_id != token_id:
        raise ForbiddenError(f"token {token_id} is not yours; rotating it requires scope 'admin'")
    with database.transaction() as session:
        token, row = tokens.rotate_token(session, token_id)
        actor.record(session, "token.rotate", token_id, name=row.name, new_id=row.id)
        token_info = TokenOut.model_validate(row)
    return NewTokenOut(token=token, **token_info.model_dump())


@router.delete("/tokens/{token_id}", dependencies=ADMIN_TOKEN)
def revoke(database: CurrentDatabase, actor: CurrentActor, token_id: str) -> TokenOut:
    """Revoke a token immediately; its browsers are signed out."""
    with database.transaction() as session:
        row = tokens.revoke_token(session, token_id)
        actor.record(session, "token.revoke", token_id, name=row.name)
        return TokenOut.model_validate(row)
