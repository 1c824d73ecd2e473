"""Authorization: one access rule per route.

A route declares its rule with `dependencies=READ` (or SUBMIT, ADMIN, ADMIN_TOKEN, PUBLIC). The
application does not start if a route has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Security
from fastapi.routing import APIRoute
from fastapi.security import APIKeyCookie, HTTPBearer, SecurityScopes

from windtunnel.errors import ForbiddenError
from windtunnel.store.audit import Actor
from windtunnel.store.tokens import Bearer
from windtunnel.tokens import Scope
from windtunnel_api.authentication import Authenticator, client_address

# These document the credentials; windtunnel_api.authentication reads them.
_token_scheme = HTTPBearer(
    auto_error=False, scheme_name="token", description="Authorization: Bearer wt_..."
)
_session_scheme = APIKeyCookie(
    name="windtunnel_session_PORT",
    auto_error=False,
    scheme_name="session",
    description="A browser's session: set by POST /session and by sign-in links.",
)


async def authenticated(
    request: Request,
    _token: Annotated[object, Depends(_token_scheme)],
    _session: Annotated[object, Depends(_session_scheme)],
) -> Bearer:
    """The request's bearer. Raises as `Authenticator.bearer`."""
    authenticator: Authenticator = request.app.state.authenticator
    return await authenticator.bearer(request)


def _authorize(
    required: SecurityScopes, bearer: Annotated[Bearer, Depends(authenticated)]
) -> Bearer:
    """The request's bearer. Raises ForbiddenError if the token's scope is insufficient."""
    for scope in map(Scope, required.scopes):
        if not bearer.scope.includes(scope):
            raise ForbiddenError(
                f"the token {bearer.name!r} has scope '{bearer.scope}', but '{scope}' is required"
            )
    return bearer


def _by_token(bearer: Annotated[Bearer, Depends(authenticated)]) -> None:
    """Raises ForbiddenError for a browser's session: what it can't do, a page's script can't."""
    if bearer.by_session:
        raise ForbiddenError(
            "tokens are managed with a token in the Authorization header, not with a browser's "
            "session; use 'windtunnel token'"
        )


def _public() -> None:
    """No token required: routes that reveal and change nothing, and those that sign in or out."""


PUBLIC = [Depends(_public)]
READ = [Security(_authorize, scopes=[Scope.READ])]
SUBMIT = [Security(_authorize, scopes=[Scope.SUBMIT])]
ADMIN = [Security(_authorize, scopes=[Scope.ADMIN])]
ADMIN_TOKEN = [*ADMIN, Depends(_by_token)]
# Any valid token, for what concerns the token itself.
OWN_TOKEN = [*READ, Depends(_by_token)]
Reader = Annotated[Bearer, Security(_authorize, scopes=[Scope.READ])]
Submitter = Annotated[Bearer, Security(_authorize, scopes=[Scope.SUBMIT])]


def _actor(request: Request, bearer: Annotated[Bearer, Depends(authenticated)]) -> Actor:
    return Actor(bearer, client_address(request))


CurrentActor = Annotated[Actor, Depends(_actor)]


def unprotected_routes(router: APIRouter) -> list[str]:
    """Routes without an access rule."""
    return [
        f"{' '.join(sorted(route.methods or ()))} {route.path}"
        for route in router.routes
        if isinstance(route, APIRoute) and not _has_rule(route.dependencies)
    ]


def _has_rule(dependencies: Sequence[Any]) -> bool:
    return any(dependency.dependency in (_authorize, _public) for dependency in dependencies)
