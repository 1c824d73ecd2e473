"""The client for scripts and notebooks."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from windtunnel.client.campaign import Campaign
from windtunnel.client.discovery import find_service
from windtunnel.client.files import InputFile, read_file
from windtunnel.client.http import HttpClient
from windtunnel.client.local_run import LocalRun
from windtunnel.client.tables import TableCache, require_pandas
from windtunnel.errors import RefusedError, UnavailableError

if TYPE_CHECKING:
    import pandas as pd

_PAGE = 100
_COLUMNS = (
    *("id", "name", "state", "submitter", "labels", "cells", "replications", "total_runs"),
    *("created_at", "ended_at"),
)


class Client:
    """A Windtunnel service, for scripts and notebooks.

    ``server`` is its address; by default WINDTUNNEL_SERVER, else the service that runs on this
    machine on the data folder ``data``. ``token`` is by default WINDTUNNEL_TOKEN, or the data
    folder's own. Tables are cached in ``cache`` (by default ``windtunnel`` in the user's cache
    folder) and read again only if they have changed.

    Methods raise SpecError for invalid campaigns and arguments, RefusedError for what the service
    refuses, UnavailableError if it does not answer.
    """

    def __init__(
        self,
        server: str | None = None,
        token: str | None = None,
        *,
        data: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        self._data = None if data is None else Path(data)
        server = server or os.environ.get("WINDTUNNEL_SERVER")
        self._http = _found(find_service(server, self._data, token))
        self._cache = TableCache(None if cache is None else Path(cache))

    @property
    def server(self) -> str:
        """The service's address."""
        return self._http.server

    def __repr__(self) -> str:
        return f"Client({self.server!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. Cached tables stay."""
        self._http.__exit__(None, None, None)

    def submit(
        self,
        campaign: str | os.PathLike[str] | Mapping[str, Any],
        *,
        labels: Mapping[str, str] | None = None,
        keep: bool = False,
        idempotency_key: str | None = None,
    ) -> Campaign:
        """Submit a campaign: the path of a YAML or JSON file, or its content as a mapping.

        Results of equal runs are reused, so that submitting again costs nothing. ``labels`` are
        added to the file's; ``keep`` exempts the campaign from retention; with the
        ``idempotency_key`` of an earlier submission, returns the campaign of that one.
        """
        written = [f"{name}={value}" for name, value in (labels or {}).items()]
        submitted = self._http.submit(
            _input_file(campaign), keep=keep, labels=written, idempotency_key=idempotency_key
        )
        return Campaign(self._http, self._cache, submitted)

    def plan(self, campaign: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
        """The cells, runs and predicted cost of a campaign, without submitting it."""
        return self._http.submit(_input_file(campaign), dry_run=True)

    def campaign(self, campaign_id: str) -> Campaign:
        """A campaign by its id, or the beginning of it (at least 4 hex digits)."""
        if not campaign_id.isalnum():
            message = f"{campaign_id!r} is not a campaign id (expected at least 4 hex digits)"
            raise RefusedError("invalid_request", message)
        return Campaign(self._http, self._cache, self._http.get(f"/campaigns/{campaign_id}"))

    def campaigns(
        self,
        q: str | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        state: str | Sequence[str] | None = None,
        submitter: str | None = None,
        limit: int = 100,
    ) -> pd.DataFrame:
        """Campaigns that satisfy all of these conditions, newest first, one row each.

        ``q`` is a part of the name, the description or a label, or the id's beginning.
        """
        require_pandas()
        import pandas as pd

        asked: dict[str, Any] = {"q": q, "submitter": submitter}
        asked["label"] = [f"{name}={value}" for name, value in (labels or {}).items()]
        asked["state"] = [state] if isinstance(state, str) else list(state or ())
        asked = {name: value for name, value in asked.items() if value}
        rows: list[dict[str, Any]] = []
        while len(rows) < limit:
            page = self._http.get("/campaigns", limit=min(_PAGE, limit - len(rows)), **asked)
            rows += page["campaigns"]
            if page["next_cursor"] is None:
                break
            asked["cursor"] = page["next_cursor"]
        frame = pd.DataFrame.from_records(rows, columns=list(_COLUMNS))
        for column in ("created_at", "ended_at"):
            frame[column] = pd.to_datetime(frame[column], format="ISO8601", utc=True)
        return frame

    def simulate(self, spec: Mapping[str, Any], *, seed: int | None = None) -> LocalRun:
        """Execute one run on this machine, without the service, and return what it recorded.

        ``spec`` is a run spec: ``scenario``, and optionally ``simulator`` and ``seed_index``, which
        ``seed`` replaces. Needs windtunnel[local]; nothing is stored.
        """
        return LocalRun.execute(spec, self._data, seed)


def _found(http: HttpClient | None) -> HttpClient:
    if http is None:
        raise UnavailableError(
            "no service is running on this machine: start one with 'windtunnel serve', or give "
            'the address of another: Client("http://HOST:8000"), or WINDTUNNEL_SERVER'
        )
    return http


def _input_file(campaign: str | os.PathLike[str] | Mapping[str, Any]) -> InputFile:
    """The file to submit. Raises RefusedError for a file that does not exist."""
    if isinstance(campaign, Mapping):
        try:
            content = json.dumps(campaign, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise RefusedError("invalid_request", f"the campaign is not JSON: {error}") from error
        return InputFile("the campaign", content, is_json=True)
    return read_file(Path(campaign))
