"""The REST API as the command line uses it."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

from windtunnel.errors import Problem, SpecError, UnavailableError, WindtunnelError

TOKEN_VARIABLE = "WINDTUNNEL_TOKEN"  # noqa: S105  (a name, not a token)
PATIENCE_SECONDS = 120.0
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 5.0
_PREFIX = "/api/v1"
_TIMEOUT = httpx2.Timeout(30, connect=5)
_STREAM_TIMEOUT = httpx2.Timeout(60, connect=5)


class RefusedError(WindtunnelError):
    """The service refused a request; code and message are its own."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        super().__init__(detail)


class Client:
    """One service, asked with a token (that of WINDTUNNEL_TOKEN if none is given).

    A request that changes nothing, or that carries an idempotency key, is retried while the service
    does not answer, for as long as `patient` says. Any other is sent once.

    Raises SpecError, RefusedError or UnavailableError for what goes wrong.
    """

    def __init__(self, server: str, token: str | None = None) -> None:
        self.server = server.rstrip("/")
        token = token or os.environ.get(TOKEN_VARIABLE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx2.Client(
            base_url=self.server + _PREFIX, timeout=_TIMEOUT, headers=headers
        )
        self._patience_seconds = 0.0
        self._on_wait: Callable[[str], None] = lambda _: None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    @contextmanager
    def patient(
        self, on_wait: Callable[[str], None], seconds: float = PATIENCE_SECONDS
    ) -> Iterator[None]:
        """Inside, restarts of the service are ridden out; ``on_wait`` is told of each once."""
        before = self._patience_seconds, self._on_wait
        self._patience_seconds, self._on_wait = seconds, on_wait
        try:
            yield
        finally:
            self._patience_seconds, self._on_wait = before

    def submit(self, file: Path, dry_run: bool = False) -> dict[str, Any]:
        """Submit a campaign file as it is; the campaign, or the plan of a dry run."""
        media_type = "application/json" if file.suffix == ".json" else "application/yaml"
        return self._call(
            "POST",
            "/campaigns",
            params={"dry_run": "true"} if dry_run else None,
            content=file.read_bytes(),
            headers={"Content-Type": media_type, "Idempotency-Key": secrets.token_hex(16)},
        )

    def get(self, path: str, **params: Any) -> dict[str, Any]:
        return self._call("GET", path, params=params or None)

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._call("POST", path, json=body)

    def delete(self, path: str) -> dict[str, Any]:
        return self._call("DELETE", path)

    def follow(self, campaign_id: str) -> Iterator[dict[str, Any]]:
        """The campaign's state at every change, until it has ended."""
        path = f"/campaigns/{campaign_id}/events"
        retries = _Retries(self._patience_seconds, self._on_wait)
        while True:
            try:
                with self._http.stream("GET", path, timeout=_STREAM_TIMEOUT) as response:
                    if response.status_code != httpx2.codes.OK:
                        response.read()
                        self._refuse(response)
                    for line in response.iter_lines():
                        if line.startswith("data: "):
                            retries.reset()
                            state = json.loads(line.removeprefix("data: "))
                            yield state
                            if state["ended"]:
                                return
                # The service stops, or the token was revoked, which the next request is told.
                retries.wait(UnavailableError(f"{self.server} closed the stream"))
            except httpx2.TransportError as error:
                retries.wait(self._away(error))
            except UnavailableError as error:
                retries.wait(error)

    def _call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """One request. After a read timeout only what may be repeated is, at least once."""
        repeatable = method == "GET" or "Idempotency-Key" in (options.get("headers") or {})
        retries = _Retries(self._patience_seconds if repeatable else 0.0, self._on_wait)
        repeated = False
        while True:
            try:
                response = self._http.request(method, path, **options)
                if not response.is_success:
                    self._refuse(response)
                answer: dict[str, Any] = response.json() if response.content else {}
                return answer
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                retries.wait(self._away(error))
            except httpx2.TransportError as error:  # it was sent, or may have been
                if not repeatable:
                    raise UnavailableError(_perhaps_done(self.server, method, path)) from error
                if repeated or not isinstance(error, httpx2.ReadTimeout):
                    retries.wait(self._away(error))
                repeated = True
            except UnavailableError as error:
                retries.wait(error)

    def _away(self, error: Exception) -> UnavailableError:
        return UnavailableError(f"{self.server} does not answer: {error}")

    def _refuse(self, response: httpx2.Response) -> None:
        try:
            problem = response.json()
            detail, code = problem["detail"], problem["code"]
        except (ValueError, KeyError, TypeError):
            message = f"{self.server} answered {response.status_code}, but is no windtunnel service"
            raise UnavailableError(message) from None
        if response.status_code >= httpx2.codes.INTERNAL_SERVER_ERROR:
            raise UnavailableError(f"{self.server}: {detail}")
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            detail = f"{self.server}: {detail}; {TOKEN_VARIABLE} holds the one to use"
        if problem.get("errors"):
            raise SpecError([Problem(**error) for error in problem["errors"]])
        raise RefusedError(code, detail)


class _Retries:
    """Waits between attempts, longer each time, until its time is over."""

    def __init__(self, seconds: float, on_wait: Callable[[str], None]) -> None:
        self._seconds = seconds
        self._on_wait = on_wait
        self._deadline: float | None = None
        self._pause = _FIRST_PAUSE_SECONDS

    def reset(self) -> None:
        """It works again: the next trouble has all the time there is."""
        self._deadline = None
        self._pause = _FIRST_PAUSE_SECONDS

    def wait(self, error: UnavailableError) -> None:
        """Sleep before the next attempt. Raises ``error`` if there is to be none."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._seconds
            if self._seconds > 0:
                self._on_wait(f"{error}; retrying for up to {self._seconds:.0f} s")
        if time.monotonic() + self._pause > self._deadline:
            raise error
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)


def _perhaps_done(server: str, method: str, path: str) -> str:
    return (
        f"{server} did not answer {method} {path}. It may have been done, and is not sent again: "
        "look before you repeat it"
    )
