"""Authorization: one access rule per route; tokens are looked up on every request.

A route declares its rule with `dependencies=READ` (or SUBMIT, ADMIN, PUBLIC). The application does
not start if a route has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request, Security
from fastapi.routing import APIRoute
from fastapi.security import (
    APIKeyCookie,
    HTTPAuthorizationCredentials,
    HTTPBearer,
    SecurityScopes,
)
from sqlalchemy.orm import Session

from windtunnel.errors import ForbiddenError, ForeignOriginError, UnauthenticatedError
from windtunnel.settings import Settings
from windtunnel.store.database import Database
from windtunnel.store.tokens import Bearer, bearer_of
from windtunnel.tokens import Scope

COOKIE = "windtunnel_token"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
bearer_scheme = HTTPBearer(
    auto_error=False, scheme_name="token", description="Authorization: Bearer wt_..."
)
cookie_scheme = APIKeyCookie(
    name=COOKIE, auto_error=False, scheme_name="page", description="Set by POST /session."
)


def _authorize(
    request: Request,
    required: SecurityScopes,
    header: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_scheme)],
    cookie: Annotated[str | None, Depends(cookie_scheme)],
) -> Bearer | None:
    """The request's bearer, or None if tokens are off.

    Raises UnauthenticatedError without a valid token, ForbiddenError if its scope is insufficient.
    """
    settings: Settings = request.app.state.settings
    if settings.tokens == "off":
        return None
    if header is None and cookie is not None:
        _check_origin(request)
    token = header.credentials if header else cookie
    request.state.token = token
    if not token:
        raise UnauthenticatedError("a token is required: send 'Authorization: Bearer TOKEN'")
    database: Database = request.app.state.database
    with database.transaction() as session:
        bearer = bearer_of(session, token)
    if bearer is None:
        raise UnauthenticatedError("the token is unknown or was revoked")
    for scope in map(Scope, required.scopes):
        if not bearer.scope.includes(scope):
            raise ForbiddenError(
                f"the token {bearer.name!r} has scope '{bearer.scope}', but '{scope}' is required"
            )
    return bearer


def still_valid(request: Request, session: Session) -> bool:
    """Whether the request's token is still valid, for long-running responses."""
    token: str | None = getattr(request.state, "token", None)
    return token is None or bearer_of(session, token) is not None


def _check_origin(request: Request) -> None:
    """Protect cookies against cross-site requests in browsers that do not enforce SameSite."""
    origin = request.headers.get("origin")
    if request.method in _SAFE_METHODS or origin is None:
        return
    if urlsplit(origin).netloc != request.headers.get("host"):
        raise ForeignOriginError(f"Origin {origin!r} does not match this service's address")


def _public() -> None:
    """No token required: routes that reveal and change nothing, and the exchange for a cookie."""


PUBLIC = [Depends(_public)]
READ = [Security(_authorize, scopes=[Scope.READ])]
SUBMIT = [Security(_authorize, scopes=[Scope.SUBMIT])]
ADMIN = [Security(_authorize, scopes=[Scope.ADMIN])]
Submitter = Annotated[Bearer | None, Security(_authorize, scopes=[Scope.SUBMIT])]


def unprotected_routes(router: APIRouter) -> list[str]:
    """Routes without an access rule."""
    return [
        f"{' '.join(sorted(route.methods or ()))} {route.path}"
        for route in router.routes
        if isinstance(route, APIRoute) and not _has_rule(route.dependencies)
    ]


def _has_rule(dependencies: Sequence[Any]) -> bool:
    return any(dependency.dependency in (_authorize, _public) for dependency in dependencies)
