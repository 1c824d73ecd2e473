"""Everybody who does not submit: readers of pages, streams, sign-ins, junk, the command line."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2

from chaos.stack import Stack, ask
from soak import campaigns
from soak.ledger import Ledger
from soak.users import User

_GONE = (404,)
_PAGES = ("/campaigns", "/workers", "/usage", "/verifications", "/catalogue", "/metrics", "/ready")


class Visitors:
    """What they do, one method each; each is called over and over by a thread of its own."""

    def __init__(self, stack: Stack, user: User, ledger: Ledger, chance: random.Random) -> None:
        self._stack = stack
        self._user = user
        self._ledger = ledger
        self._chance = chance

    def read_pages(self) -> None:
        """Request what the pages request: the lists, a campaign, one of its runs."""
        with self._client() as http:
            self._get(http, self._chance.choice(_PAGES))
            campaign = self._some_campaign(http)
            if campaign is None:
                return
            path = f"/campaigns/{campaign}"
            self._get(http, path)
            self._get(http, f"{path}/comparison", default="true")
            listed = self._get(http, f"{path}/runs", limit=50)
            if listed is not None and listed.json()["runs"]:
                self._read_run(http, self._chance.choice(listed.json()["runs"])["id"])
        self._ledger.count("campaigns looked at")

    def follow(self) -> None:
        """Open a campaign's event stream, read for a while, and drop it."""
        with self._client() as http, contextlib.suppress(httpx2.TransportError):
            campaign = self._some_campaign(http)
            until = time.monotonic() + self._chance.uniform(0.2, 8)
            with http.stream("GET", f"/campaigns/{campaign}/events") as stream:
                self._ledger.answered(stream.status_code)
                for _ in stream.iter_lines():
                    if time.monotonic() > until:
                        break
        self._ledger.count("event streams opened")

    def sign_in(self) -> None:
        """Sign in with the token or a link, look at the pages, and sign out."""
        with httpx2.Client(base_url=self._stack.url, timeout=30) as browser:
            if self._chance.random() < 0.5:
                ask(browser, "POST", "/api/v1/session", json={"token": self._user.token})
            else:
                link = ask(self._user.http, "POST", "/links", json={}).json()["path"]
                ask(browser, "GET", link, missing=(303,))
            assert ask(browser, "GET", "/api/v1/session").json()["name"] == self._user.name
            for path in ("/", "/api/v1/campaigns", "/api/v1/usage"):
                self._ledger.answered(ask(browser, "GET", path).status_code)
            ask(browser, "DELETE", "/api/v1/session")
        self._ledger.count("sign-ins")

    def send_junk(self) -> None:
        """A bad request, which is refused with the right status."""
        post: dict[str, Any] = {"method": "POST", "url": "/campaigns"}
        kind = {"Content-Type": "application/json"}
        yaml = {"Content-Type": "application/yaml"}
        wrong = {"Authorization": "Bearer " + "x" * 43}
        study = campaigns.synthetic(self._chance)
        junk: list[tuple[int, dict[str, Any]]] = [
            (422, {**post, "content": b'{"name": ', "headers": kind}),
            (422, {**post, "content": b"name: [\n- }", "headers": yaml}),
            (422, {**post, "json": {**study, "simulator": "no-such"}}),
            (422, {**post, "json": {**study, "sweep": {"offset": ["x"] * 3000}}}),
            (413, {**post, "content": b" " * (2 << 20), "headers": kind}),
            (415, {**post, "content": b"x", "headers": {"Content-Type": "text/plain"}}),
            (401, {**post, "json": study, "headers": wrong}),
            (404, {"method": "GET", "url": "/campaigns/0123456789abcdef"}),
            (422, {"method": "GET", "url": "/campaigns", "params": {"limit": "many"}}),
            (405, {"method": "PUT", "url": "/campaigns"}),
            (403, {"method": "POST", "url": "/tokens", "json": {"name": "x", "scope": "admin"}}),
        ]
        expected, request = self._chance.choice(junk)
        with self._client() as http:
            method, path = request.pop("method"), request.pop("url")
            answer = ask(http, method, path, missing=range(400, 500), **request)
        self._ledger.answered(answer.status_code)
        self._ledger.count("bad requests")
        assert answer.status_code == expected, (
            f"{method} {path}: {answer.status_code} instead of {expected}: {answer.text[:300]}"
        )

    def hang_up(self) -> None:
        """A client that sends half a request, then goes away."""
        host, port = self._stack.url.removeprefix("http://").split(":")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 5) as client:
            client.sendall(b"POST /api/v1/campaigns HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n")
            if self._chance.random() < 0.5:
                client.sendall(f"Authorization: Bearer {self._user.token}\r\n\r\n{{".encode())
            time.sleep(self._chance.uniform(0, 3))
        self._ledger.count("half requests")

    def use_command_line(self) -> None:
        """One command of the command line."""
        with self._client() as http:
            campaign = self._some_campaign(http) or "0000"
        study = json.dumps(campaigns.real(self._chance))
        command = self._chance.choice(
            [
                ["status"],
                ["usage"],
                ["status", campaign],
                ["compare", campaign],
                ["submit", "-", "--dry-run"],
            ]
        )
        program = Path(sys.executable).parent / "windtunnel"
        service = {"WINDTUNNEL_SERVER": self._stack.url, "WINDTUNNEL_TOKEN": self._user.token}
        done = subprocess.run(
            [program, *command],
            input=study,
            env={**os.environ, **service},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self._ledger.count("commands")
        # A campaign may be deleted meanwhile, Redis or the connection to it may be away.
        complaint = f"windtunnel {' '.join(command)}: {done.returncode}, {done.stderr[-500:]}"
        assert done.returncode in (0, 2, 3, 4), complaint
        assert "Traceback" not in done.stderr, complaint

    def _client(self) -> httpx2.Client:
        return httpx2.Client(
            base_url=self._stack.http.base_url, headers=self._user.http.headers, timeout=60
        )

    def _get(self, http: httpx2.Client, path: str, **params: Any) -> httpx2.Response | None:
        """The answer; None if the campaign was deleted meanwhile."""
        answer = ask(http, "GET", path, missing=_GONE, params=params)
        self._ledger.answered(answer.status_code)
        return None if answer.status_code in _GONE else answer

    def _some_campaign(self, http: httpx2.Client) -> str | None:
        listed = ask(http, "GET", "/campaigns").json()["campaigns"]
        return str(self._chance.choice(listed)["id"]) if listed else None

    def _read_run(self, http: httpx2.Client, run: str) -> None:
        shown = self._get(http, f"/runs/{run}")
        if shown is None:
            return
        for part in ("flows", "ports", "packet-delays", "log", "verifications"):
            self._get(http, f"/runs/{run}/{part}")
        for series in shown.json()["series"]:
            self._get(http, f"/runs/{run}/series/{series['name']}")
