"""Routes for tokens, and for the session cookie that web pages use instead."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response, status
from fastapi.security import HTTPAuthorizationCredentials

from windtunnel.errors import UnauthenticatedError
from windtunnel.store import tokens
from windtunnel_api.authorization import ADMIN, COOKIE, PUBLIC, bearer_scheme, cookie_scheme
from windtunnel_api.body import JSON_BODY
from windtunnel_api.dependencies import CurrentDatabase, CurrentSettings, ReadSession
from windtunnel_api.schemas import (
    NewTokenIn,
    NewTokenOut,
    SessionIn,
    SessionOut,
    TokenOut,
    TokensOut,
)

router = APIRouter(tags=["tokens"])

_COOKIE_SECONDS = 30 * 24 * 3600


@router.post("/tokens", status_code=status.HTTP_201_CREATED, dependencies=[*ADMIN, *JSON_BODY])
def create(database: CurrentDatabase, body: NewTokenIn) -> NewTokenOut:
    """Create a token. It is returned only once; the service stores only its digest."""
    with database.transaction() as session:
        token, row = tokens.create_token(session, body.name, body.scope)
        token_info = TokenOut.model_validate(row)
    return NewTokenOut(token=token, **token_info.model_dump())


@router.get("/tokens", dependencies=ADMIN)
def list_all(session: ReadSession) -> TokensOut:
    """List all tokens, including revoked ones, newest first, without their secrets."""
    return TokensOut(tokens=[TokenOut.model_validate(row) for row in tokens.list_tokens(session)])


@router.delete("/tokens/{token_id}", dependencies=ADMIN)
def revoke(database: CurrentDatabase, token_id: str) -> TokenOut:
    """Revoke a token immediately."""
    with database.transaction() as session:
        return TokenOut.model_validate(tokens.revoke_token(session, token_id))


@router.get("/session", dependencies=PUBLIC)
def show_session(
    settings: CurrentSettings,
    database: CurrentDatabase,
    header: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_scheme)],
    cookie: Annotated[str | None, Depends(cookie_scheme)],
) -> SessionOut:
    """Return whether tokens are required, and the owner of the request's token."""
    if settings.tokens == "off":
        return SessionOut(tokens=False, name=None, scope=None)
    token = header.credentials if header else cookie
    if not token:
        return SessionOut(tokens=True, name=None, scope=None)
    with database.transaction() as session:
        bearer = tokens.bearer_of(session, token)
    return SessionOut(
        tokens=True, name=bearer.name if bearer else None, scope=bearer.scope if bearer else None
    )


@router.post("/session", dependencies=[*PUBLIC, *JSON_BODY])
def open_session(
    request: Request,
    response: Response,
    settings: CurrentSettings,
    database: CurrentDatabase,
    body: SessionIn,
) -> SessionOut:
    """Exchange a token for a cookie that is HttpOnly and SameSite=Strict."""
    if settings.tokens == "off":
        return SessionOut(tokens=False, name=None, scope=None)
    with database.transaction() as session:
        bearer = tokens.bearer_of(session, body.token)
    if bearer is None:
        raise UnauthenticatedError("the token is unknown or was revoked")
    response.set_cookie(
        COOKIE,
        body.token,
        max_age=_COOKIE_SECONDS,
        httponly=True,
        samesite="strict",
        # Behind a TLS-terminating proxy the request is plain HTTP, but the page's origin is HTTPS.
        secure=request.headers.get("origin", str(request.url)).startswith("https://"),
    )
    return SessionOut(tokens=True, name=bearer.name, scope=bearer.scope)


@router.delete("/session", status_code=status.HTTP_204_NO_CONTENT, dependencies=PUBLIC)
def close_session(response: Response) -> None:
    """Delete the session cookie."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
