"""The REST API as the command line uses it."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

from windtunnel.errors import Problem, SpecError, UnavailableError, WindtunnelError

TOKEN_VARIABLE = "WINDTUNNEL_TOKEN"  # noqa: S105  (a name, not a token)
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

    Raises SpecError, RefusedError or UnavailableError for what goes wrong.
    """

    def __init__(self, server: str, token: str | None = None) -> None:
        self.server = server.rstrip("/")
        token = token or os.environ.get(TOKEN_VARIABLE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx2.Client(
            base_url=self.server + _PREFIX, timeout=_TIMEOUT, headers=headers
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

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
        """The campaign's state at every change, until its runs have ended."""
        path = f"/campaigns/{campaign_id}/events"
        while True:
            try:
                with self._http.stream("GET", path, timeout=_STREAM_TIMEOUT) as response:
                    if response.status_code != httpx2.codes.OK:
                        response.read()
                        self._refuse(response)
                    for line in response.iter_lines():
                        if line.startswith("data: "):
                            state = json.loads(line.removeprefix("data: "))
                            yield state
                            if state["ended"]:
                                return
            except httpx2.RemoteProtocolError:
                continue  # the service was restarted: ask again
            except httpx2.TransportError as error:
                raise UnavailableError(f"{self.server} does not answer: {error}") from error

    def _call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        try:
            try:
                response = self._http.request(method, path, **options)
            except httpx2.ReadTimeout:  # once more; a submission's key makes it the same one
                response = self._http.request(method, path, **options)
        except httpx2.TransportError as error:
            raise UnavailableError(f"{self.server} does not answer: {error}") from error
        if not response.is_success:
            self._refuse(response)
        answer: dict[str, Any] = response.json() if response.content else {}
        return answer

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
