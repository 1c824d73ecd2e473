"""Who may do what: one rule for every route, looked up in PostgreSQL at every request.

A route says its rule by `dependencies=READ` (or SUBMIT, ADMIN, PUBLIC); the application does not
start with a route that has none.
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
    name=COOKIE, auto_error=False, scheme_name="page", description="What POST /session sets."
)


def _authorize(
    request: Request,
    needed: SecurityScopes,
    header: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_scheme)],
    cookie: Annotated[str | None, Depends(cookie_scheme)],
) -> Bearer | None:
    """Who asks; None where no token is asked for.

    Raises UnauthenticatedError without a valid token, ForbiddenError if its scope does not do.
    """
    settings: Settings = request.app.state.settings
    if settings.tokens == "off":
        return None
    if header is None and cookie is not None:
        _refuse_other_pages(request)
    token = header.credentials if header else cookie
    request.state.token = token
    if not token:
        raise UnauthenticatedError("a token is needed: send 'Authorization: Bearer TOKEN'")
    database: Database = request.app.state.database
    with database.transaction() as session:
        bearer = bearer_of(session, token)
    if bearer is None:
        raise UnauthenticatedError("this token is unknown or was revoked")
    for scope in map(Scope, needed.scopes):
        if not bearer.scope.includes(scope):
            raise ForbiddenError(
                f"the token {bearer.name!r} has the scope '{bearer.scope}', '{scope}' is needed"
            )
    return bearer


def still_valid(request: Request, session: Session) -> bool:
    """For answers that go on for long: whether the token that began this one was not revoked."""
    token: str | None = getattr(request.state, "token", None)
    return token is None or bearer_of(session, token) is not None


def _refuse_other_pages(request: Request) -> None:
    """A cookie comes along with what another page's script asks for, where SameSite is not kept."""
    origin = request.headers.get("origin")
    if request.method in _SAFE_METHODS or origin is None:
        return
    if urlsplit(origin).netloc != request.headers.get("host"):
        raise ForeignOriginError(f"Origin {origin!r} is not this service's page")


def _open() -> None:
    """Everybody may: what tells nothing and changes nothing, and trading a token for a cookie."""


PUBLIC = [Depends(_open)]
READ = [Security(_authorize, scopes=[Scope.READ])]
SUBMIT = [Security(_authorize, scopes=[Scope.SUBMIT])]
ADMIN = [Security(_authorize, scopes=[Scope.ADMIN])]
Submitter = Annotated[Bearer | None, Security(_authorize, scopes=[Scope.SUBMIT])]


def unprotected_routes(router: APIRouter) -> list[str]:
    """Routes that say nothing about who may use them."""
    return [
        f"{' '.join(sorted(route.methods or ()))} {route.path}"
        for route in router.routes
        if isinstance(route, APIRoute) and not _has_rule(route.dependencies)
    ]


def _has_rule(dependencies: Sequence[Any]) -> bool:
    return any(one.dependency in (_authorize, _open) for one in dependencies)
