"""Routes that sign browsers in and out: by a token, or by a link that holds once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response, status
from fastapi.responses import RedirectResponse

from windtunnel.errors import UnauthenticatedError
from windtunnel.store import sessions
from windtunnel.store.audit import Actor
from windtunnel.store.tokens import Bearer, bearer_of_id
from windtunnel_api.authentication import client_address, cookie_name, credentials
from windtunnel_api.authorization import OWN_TOKEN, PUBLIC, CurrentActor, Reader
from windtunnel_api.body import JSON_BODY
from windtunnel_api.dependencies import CurrentAuthenticator, CurrentDatabase
from windtunnel_api.token_schemas import LinkIn, LinkOut, SessionIn, SessionOut

router = APIRouter(tags=["sessions"])
# Beside the API: a person follows it.
links = APIRouter(include_in_schema=False)

SIGN_IN_PATH = "/sign-in"
LINK_ENDED = "/campaigns?sign-in=ended"


@router.get("/session", dependencies=PUBLIC)
async def show_session(request: Request, authenticator: CurrentAuthenticator) -> SessionOut:
    """Return the owner of the request's token or session; no name without a valid one."""
    try:
        bearer = await authenticator.bearer(request)
    except UnauthenticatedError:
        return SessionOut(name=None, scope=None)
    return SessionOut(name=bearer.name, scope=bearer.scope)


@router.post("/session", dependencies=[*PUBLIC, *JSON_BODY])
def open_session(
    request: Request,
    response: Response,
    authenticator: CurrentAuthenticator,
    database: CurrentDatabase,
    body: SessionIn,
) -> SessionOut:
    """Exchange a token for a session, in a cookie that is HttpOnly and SameSite=Strict."""
    bearer = authenticator.bearer_of_token(request, body.token)
    _sign_in(request, response, database, bearer)
    return SessionOut(name=bearer.name, scope=bearer.scope)


@router.delete("/session", status_code=status.HTTP_204_NO_CONTENT, dependencies=PUBLIC)
def close_session(request: Request, response: Response, database: CurrentDatabase) -> None:
    """Sign out: end the session and delete its cookie. The token stays valid."""
    given = credentials(request)
    if given is not None and given.is_session:
        with database.transaction() as session:
            bearer = sessions.bearer_of_session(session, given.secret)
            if bearer is not None:
                sessions.close_session(session, given.secret)
                Actor(bearer, client_address(request)).record(session, "session.close", bearer.name)
    response.delete_cookie(cookie_name(request), httponly=True, samesite="strict")


@router.post("/links", status_code=status.HTTP_201_CREATED, dependencies=[*OWN_TOKEN, *JSON_BODY])
def create_link(
    database: CurrentDatabase, bearer: Reader, actor: CurrentActor, body: LinkIn
) -> LinkOut:
    """Create a link that signs one browser in as the token's owner, once, within an hour."""
    with database.transaction() as session:
        code = sessions.create_link(session, bearer.token_id)
        actor.record(session, "link.create", bearer.name)
    seconds = round(sessions.LINK_LIFETIME.total_seconds())
    return LinkOut(path=f"{SIGN_IN_PATH}?code={code}&next={body.next}", expires_in_seconds=seconds)


@links.get(SIGN_IN_PATH, dependencies=PUBLIC)
def follow_link(
    request: Request,
    database: CurrentDatabase,
    code: Annotated[str, Query(max_length=100)] = "",
    next: Annotated[str, Query(max_length=300)] = "/",  # noqa: A002  (the parameter's name)
) -> RedirectResponse:
    """Sign the browser in and show the page ``next``; one that is signed in stays so."""
    with database.transaction() as session:
        token_id = sessions.redeem_link(session, code)
        bearer = bearer_of_id(session, token_id) if token_id else None
    if bearer is None:
        return RedirectResponse(LINK_ENDED, status.HTTP_303_SEE_OTHER)
    target = next if is_page(next) else "/"
    response = RedirectResponse(target, status.HTTP_303_SEE_OTHER)
    _sign_in(request, response, database, bearer)
    return response


def is_page(path: str) -> bool:
    """Whether a redirection to ``path`` stays on this service."""
    return path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()


def _sign_in(
    request: Request, response: Response, database: CurrentDatabase, bearer: Bearer
) -> None:
    with database.transaction() as session:
        secret = sessions.open_session(session, bearer.token_id)
        Actor(bearer, client_address(request)).record(session, "session.open", bearer.name)
    response.set_cookie(
        cookie_name(request),
        secret,
        max_age=round(sessions.SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        # Behind a TLS-terminating proxy the request is plain HTTP, but the page's origin is HTTPS.
        secure=request.headers.get("origin", str(request.url)).startswith("https://"),
    )
