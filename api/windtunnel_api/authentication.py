"""Authentication: whose token, or whose browser session, a request carries.

Done once per request, before its body is read (windtunnel_api.bodies) or by its access rule
(windtunnel_api.authorization).
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from windtunnel.errors import ForeignOriginError, UnauthenticatedError, WindtunnelError
from windtunnel.store import sessions, tokens
from windtunnel.store.database import Database
from windtunnel.store.tokens import Bearer
from windtunnel_api.brake import FailureBrake

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Credentials:
    """What a request carries: a token in its Authorization header, or a session in its cookie."""

    secret: str
    is_session: bool


def cookie_name(connection: HTTPConnection) -> str:
    """The name of the session cookie.

    Browsers send a host's cookies to all its ports. The port in the name keeps services on one
    machine apart.
    """
    port = connection.url.port or _DEFAULT_PORTS.get(connection.url.scheme, 0)
    return f"windtunnel_session_{port}"


def credentials(connection: HTTPConnection) -> Credentials | None:
    """The request's credentials; a header goes before a cookie."""
    scheme, _, secret = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and secret.strip():
        return Credentials(secret.strip(), is_session=False)
    cookie = connection.cookies.get(cookie_name(connection))
    return Credentials(cookie, is_session=True) if cookie else None


def client_address(connection: HTTPConnection) -> str | None:
    """The client's address, for the brake and the audit log."""
    return connection.client.host if connection.client else None


class Authenticator:
    """Looks up bearers. Both methods raise UnavailableError without PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._brake = FailureBrake()

    async def bearer(self, connection: HTTPConnection) -> Bearer:
        """The request's bearer, looked up once.

        Raises UnauthenticatedError, TooManyFailuresError, or ForeignOriginError for a cookie that
        another site's page sent.
        """
        state = connection.state
        if not hasattr(state, "bearer"):
            try:
                state.bearer = await run_in_threadpool(self._look_up, connection)
            except WindtunnelError as error:
                state.bearer = error
        if isinstance(state.bearer, WindtunnelError):
            raise state.bearer
        bearer: Bearer = state.bearer
        return bearer

    def bearer_of_token(self, connection: HTTPConnection, token: str) -> Bearer:
        """The bearer of a token that a request carries in its body, as `bearer`."""
        return self._checked(connection, Credentials(token, is_session=False))

    def still_valid(self, connection: HTTPConnection) -> bool:
        """Whether the request's credentials are still valid, for long responses."""
        given = credentials(connection)
        return given is not None and self._find(given) is not None

    def _look_up(self, connection: HTTPConnection) -> Bearer:
        given = credentials(connection)
        if given is None:
            raise UnauthenticatedError("a token is required: send 'Authorization: Bearer TOKEN'")
        if given.is_session:
            check_origin(connection)
        return self._checked(connection, given)

    def _checked(self, connection: HTTPConnection, given: Credentials) -> Bearer:
        address = client_address(connection)
        self._brake.check(address, given.secret)
        bearer = self._find(given)
        if bearer is None:
            self._brake.failed(address)
            raise UnauthenticatedError(
                "the session has ended; sign in again"
                if given.is_session
                else "the token is unknown, revoked or expired"
            )
        self._brake.succeeded(given.secret)
        return bearer

    def _find(self, given: Credentials) -> Bearer | None:
        find = sessions.bearer_of_session if given.is_session else tokens.bearer_of
        with self._database.transaction() as session:
            return find(session, given.secret)


def check_origin(connection: HTTPConnection) -> None:
    """Protect cookies against cross-site requests in browsers that do not enforce SameSite.

    Raises ForeignOriginError unless Origin, where a browser sends it, has the host and port of
    this service.
    """
    origin = connection.headers.get("origin")
    if connection.scope["method"] in _SAFE_METHODS or origin is None:
        return
    try:
        foreign = urlsplit(origin).netloc != connection.headers.get("host")
    except ValueError:
        foreign = True
    if foreign:
        raise ForeignOriginError(f"Origin {origin!r} does not match this service's address")
