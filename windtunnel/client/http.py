"""HTTP client for the REST API."""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import httpx2

from windtunnel.errors import (
    NotFoundError,
    Problem,
    RefusedError,
    SpecError,
    UnavailableError,
)

if TYPE_CHECKING:
    from windtunnel.client.files import InputFile

TOKEN_VARIABLE = "WINDTUNNEL_TOKEN"  # noqa: S105  (a name, not a token)
RETRY_SECONDS = 120.0
# Nothing may be there: whoever mistyped an address should not wait for long.
FIRST_ANSWER_SECONDS = 10.0
_FIRST_DELAY_SECONDS = 0.2
_MAX_DELAY_SECONDS = 5.0
_PREFIX = "/api/v1"
_TIMEOUT = httpx2.Timeout(30, connect=5)
_STREAM_TIMEOUT = httpx2.Timeout(60, connect=5)


_KEPT_CONTROLS = "\n\t"
# C0, C1, and those that change the direction of text.
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_REPLACED_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}" for code in _CONTROLS if chr(code) not in _KEPT_CONTROLS
}


class ByteSink(Protocol):
    """What bytes can be written to: a binary file."""

    def write(self, data: bytes, /) -> int: ...


class HttpClient:
    """Client of one service, authenticated by ``token`` or WINDTUNNEL_TOKEN.

    Inside `retrying`, an idempotent request is retried while the service does not answer: a GET, a
    submission with its key, an extension. Any other request is sent once.

    Methods raise SpecError, RefusedError or UnavailableError.
    """

    def __init__(self, server: str, token: str | None = None, options: str = "") -> None:
        """``options``: what commands that are suggested to the user need to reach this service."""
        check_server(server)
        self.options = options
        self.server = server.rstrip("/")
        token = token or os.environ.get(TOKEN_VARIABLE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx2.Client(
            base_url=self.server + _PREFIX, timeout=_TIMEOUT, headers=headers
        )
        self._retry_seconds = 0.0
        self._on_wait: Callable[[str], None] = lambda _: None
        self._answered = False

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    @contextmanager
    def retrying(
        self, on_wait: Callable[[str], None], seconds: float = RETRY_SECONDS
    ) -> Iterator[None]:
        """Retry requests inside the block; ``on_wait`` is called once per outage.

        A service that has not answered this client before gets FIRST_ANSWER_SECONDS at most.
        """
        previous = self._retry_seconds, self._on_wait
        self._retry_seconds, self._on_wait = seconds, on_wait
        try:
            yield
        finally:
            self._retry_seconds, self._on_wait = previous

    def submit(
        self,
        file: InputFile,
        dry_run: bool = False,
        keep: bool = False,
        labels: Sequence[str] = (),
        supersede: Sequence[str] = (),
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Submit a campaign file. Returns the campaign, or the plan of a dry run.

        ``labels`` are written ``branch=main``; ``supersede`` are names of labels. With the
        ``idempotency_key`` of an earlier submission, returns the campaign of that one.
        """
        flags = {"dry_run": dry_run, "keep": keep}
        params: dict[str, Any] = {name: "true" for name, value in flags.items() if value}
        if labels:
            params["label"] = list(labels)
        if supersede:
            params["supersede"] = list(supersede)
        key = idempotency_key or secrets.token_hex(16)
        return self._call(
            "POST",
            "/campaigns",
            params=params or None,
            content=file.content,
            headers={"Content-Type": file.media_type, "Idempotency-Key": key},
            idempotent=True,
        )

    def extend(self, campaign_id: str, replications: int) -> dict[str, Any]:
        """Add seeds to a campaign until every cell has ``replications``."""
        path = f"/campaigns/{campaign_id}/replications"
        return self._call("POST", path, idempotent=True, json={"replications": replications})

    def evaluate(
        self, campaign_id: str, gates: InputFile, against: str | None = None
    ) -> dict[str, Any]:
        """Evaluate the gates in a file on a campaign's results, or ``against`` another campaign."""
        return self._call(
            "POST",
            f"/campaigns/{campaign_id}/gates",
            params=None if against is None else {"against": against},
            content=gates.content,
            headers={"Content-Type": gates.media_type},
        )

    def get(self, path: str, **params: Any) -> dict[str, Any]:
        return self._call("GET", path, params=params or None, idempotent=True)

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._call("POST", path, json=body)

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._call("PATCH", path, json=body)

    def delete(self, path: str) -> dict[str, Any]:
        return self._call("DELETE", path)

    def download(
        self,
        path: str,
        params: Mapping[str, Any],
        sink: ByteSink,
        etags: Collection[str] = (),
    ) -> Mapping[str, str]:
        """Write a response's body to ``sink`` as it arrives; its headers.

        ``etags`` are those of bodies that the caller has, without quotes: nothing is written if one
        of them is still valid. Raises UnavailableError if the response breaks off, which leaves a
        part of it in ``sink``.
        """
        headers = {"If-None-Match": ", ".join(f'"{etag}"' for etag in etags)} if etags else {}
        size = 0
        try:
            with self._http.stream(
                "GET", path, params=params, headers=headers, timeout=_STREAM_TIMEOUT
            ) as response:
                if response.status_code == httpx2.codes.NOT_MODIFIED:
                    return response.headers
                if not response.is_success:
                    response.read()
                    self._raise_for_error(response)
                for chunk in response.iter_bytes():
                    size += sink.write(chunk)
                return response.headers
        except httpx2.TransportError as error:
            if not size:
                raise self._unreachable(error) from error
            message = f"{self.server} broke off after {size} bytes: {_cause(error)}; try again"
            raise UnavailableError(message) from error

    def sign_in_link(self, page: str = "/") -> str:
        """A link that signs a browser in as the token's owner, once, and shows a page."""
        path: str = self.post("/links", {"next": page})["path"]
        return self.server + path

    def follow(self, campaign_id: str, seconds: float | None = None) -> Iterator[dict[str, Any]]:
        """Yield the campaign's state at every change until it has ended.

        Raises RefusedError if it was deleted meanwhile, TimeoutError after ``seconds``.
        """
        deadline = math.inf if seconds is None else time.monotonic() + seconds
        path = f"/campaigns/{campaign_id}/events"
        retries = _Retries(self._outage_seconds, self._on_wait)
        known = False
        last = ""
        while True:
            received = False
            try:
                with self._http.stream("GET", path, timeout=_until(deadline)) as response:
                    if response.status_code != httpx2.codes.OK:
                        response.read()
                        self._raise_for_error(response)
                    for line in response.iter_lines():
                        if time.monotonic() > deadline:
                            raise TimeoutError
                        if line.startswith("data: "):
                            retries.reset()
                            known = received = self._answered = True
                            if line == last:
                                continue
                            last = line
                            state = without_controls(json.loads(line.removeprefix("data: ")))
                            yield state
                            if state["ended"]:
                                return
                # The service stopped, the campaign was deleted or the token was revoked; the next
                # request will tell.
                if received:
                    time.sleep(_FIRST_DELAY_SECONDS)
                else:
                    retries.wait(UnavailableError(f"{self.server} closed the stream"))
            except RefusedError as error:
                if known and error.code == NotFoundError.code:
                    message = f"campaign {campaign_id} was deleted"
                    raise RefusedError(error.code, message) from error
                raise
            except httpx2.TransportError as error:
                if time.monotonic() > deadline:
                    raise TimeoutError from error
                retries.wait(self._unreachable(error))
            except UnavailableError as error:
                retries.wait(error)

    def _call(
        self, method: str, path: str, idempotent: bool = False, **options: Any
    ) -> dict[str, Any]:
        """Send one request. Idempotent requests are retried, after a read timeout at least once."""
        retries = _Retries(self._outage_seconds if idempotent else lambda: 0.0, self._on_wait)
        retried = False
        while True:
            try:
                response = self._http.request(method, path, **options)
                if not response.is_success:
                    self._raise_for_error(response)
                content: dict[str, Any] = (
                    without_controls(response.json()) if response.content else {}
                )
                self._answered = True
                return content
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                retries.wait(self._unreachable(error))
            except httpx2.TransportError as error:  # the request may have been sent
                if not idempotent:
                    raise UnavailableError(_outcome_unknown(self.server, method, path)) from error
                if retried or not isinstance(error, httpx2.ReadTimeout):
                    retries.wait(self._unreachable(error))
                retried = True
            except UnavailableError as error:
                retries.wait(error)

    def _outage_seconds(self) -> float:
        """How long to wait for the end of an outage that begins now."""
        if self._answered:
            return self._retry_seconds
        return min(self._retry_seconds, FIRST_ANSWER_SECONDS)

    def _unreachable(self, error: Exception) -> UnavailableError:
        return UnavailableError(f"{self.server} does not answer: {_cause(error)}")

    def _raise_for_error(self, response: httpx2.Response) -> None:
        try:
            problem = without_controls(response.json())
            detail, code = problem["detail"], problem["code"]
        except (ValueError, KeyError, TypeError):
            message = (
                f"{self.server} answered {response.status_code}, but is not a Windtunnel service"
            )
            raise UnavailableError(message) from None
        if response.status_code >= httpx2.codes.INTERNAL_SERVER_ERROR:
            raise UnavailableError(f"{self.server}: {detail}")
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            detail = f"{self.server}: {detail}; set {TOKEN_VARIABLE} to a valid token"
        if problem.get("errors"):
            raise SpecError([Problem(**error) for error in problem["errors"]])
        raise RefusedError(code, detail)


def _until(deadline: float) -> httpx2.Timeout:
    """Time limits of a stream that nobody waits for after the deadline."""
    remaining = max(0.0, deadline - time.monotonic())
    return httpx2.Timeout(min(60.0, remaining + 0.01), connect=5)


def without_controls(value: Any) -> Any:
    """JSON with control characters replaced, so that no text of a service commands a terminal.

    Line ends and tabs stay.
    """
    if isinstance(value, str):
        return value.translate(_REPLACED_CONTROLS)
    if isinstance(value, list):
        return [without_controls(member) for member in value]
    if isinstance(value, dict):
        return {without_controls(name): without_controls(member) for name, member in value.items()}
    return value


def check_server(server: str) -> None:
    """Raise RefusedError for what is not the URL of a server."""
    try:
        parts = urlsplit(server)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        host = server.rpartition("//")[2] or "localhost"
        port = "" if ":" in host else ":8000"
        message = f"--server {server!r} is not a URL such as http://127.0.0.1:8000"
        suggestion = f"http://{host}{port}"
        if suggestion != server:
            message += f"; did you mean {suggestion!r}?"
        raise RefusedError("invalid_server", message)


class _Retries:
    """Exponential backoff between attempts, up to a total time per outage, told as it begins."""

    def __init__(self, seconds: Callable[[], float], on_wait: Callable[[str], None]) -> None:
        self._seconds = seconds
        self._on_wait = on_wait
        self._deadline: float | None = None
        self._delay = _FIRST_DELAY_SECONDS

    def reset(self) -> None:
        """Start over after a success: the next outage gets the full time."""
        self._deadline = None
        self._delay = _FIRST_DELAY_SECONDS

    def wait(self, error: UnavailableError) -> None:
        """Sleep before the next attempt. Raises ``error`` when the time is used up."""
        if self._deadline is None:
            seconds = self._seconds()
            self._deadline = time.monotonic() + seconds
            if seconds > 0:
                self._on_wait(f"{error}; retrying for up to {seconds:.0f} s")
        if time.monotonic() + self._delay > self._deadline:
            raise error
        time.sleep(self._delay)
        self._delay = min(2 * self._delay, _MAX_DELAY_SECONDS)


def _cause(error: BaseException) -> str:
    """Why a server does not answer, in a few words; the HTTP library's text if it has no others."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "there is no such host"
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed ({cause.reason or cause})"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
        cause = cause.__cause__ or cause.__context__
    for kind, text in _CAUSES.items():
        if isinstance(error, kind):
            return text
    return str(error)


_CAUSES: dict[type[Exception], str] = {
    httpx2.ConnectTimeout: f"no connection within {_TIMEOUT.connect:g} s",
    httpx2.TimeoutException: f"no answer within {_TIMEOUT.read:g} s",
    httpx2.RemoteProtocolError: "it closed the connection or does not speak HTTP",
    httpx2.NetworkError: "the connection broke",
}


def _outcome_unknown(server: str, method: str, path: str) -> str:
    return (
        f"{server} did not answer {method} {path}. The request may have been executed and is not "
        "retried: check before repeating it"
    )
