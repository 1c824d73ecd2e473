"""The client retries through short outages, and repeats idempotent requests only."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Service, tiny_campaign
from windtunnel.client import http as client_module
from windtunnel.client.files import read_file
from windtunnel.client.http import HttpClient
from windtunnel.errors import UnavailableError

WINDTUNNEL = Path(sys.executable).parent / "windtunnel"


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


@contextmanager
def api(service: Service, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A second API over the same database, on a port that nobody listens on once it is killed."""
    environment = {**service.running._environment(), "WINDTUNNEL_PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, "-m", "windtunnel_api"],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                httpx2.get(f"http://127.0.0.1:{port}/api/v1/health", timeout=5)
                break
            except httpx2.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("command", ["watch", "run"])
def test_the_client_retries_while_the_api_restarts(
    service: Service, tmp_path: Path, port: int, command: str
) -> None:
    file = tmp_path / "study.json"
    offsets = [5000, 5001, 5002] if command == "watch" else [5010, 5011, 5012]
    file.write_text(json.dumps(tiny_campaign("restart", sweep={"offset": offsets}, wall=4)))
    server = ("--server", f"http://127.0.0.1:{port}")
    target = str(file)
    if command == "watch":
        target = service.submit(json.loads(file.read_text()))["id"]
    with api(service, port) as first:
        watching = subprocess.Popen(
            [WINDTUNNEL, command, target, *server],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert watching.stdout is not None
        assert "1 seed = 3 runs" in watching.stdout.readline()
        first.kill()
        first.wait()
        time.sleep(3)
    with api(service, port):
        out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert "does not answer" in err
    assert "retrying for up to 120 s" in err
    assert f"{offsets[0] + 1:,}" in out


def test_the_client_gives_up_if_the_service_stays_down(service: Service, port: int) -> None:
    with api(service, port), HttpClient(f"http://127.0.0.1:{port}") as client:
        assert client.get("/health") == {"status": "ok"}
    notices: list[str] = []
    with HttpClient(f"http://127.0.0.1:{port}") as client:
        with pytest.raises(UnavailableError, match="does not answer"):
            client.get("/health")  # not retrying: immediately
        begin = time.monotonic()
        with client.retrying(notices.append, seconds=2), pytest.raises(UnavailableError):
            client.get("/health")
        assert 1 < time.monotonic() - begin < 10
    assert len(notices) == 1


def test_a_timeout_does_not_repeat_requests_that_are_not_idempotent(
    service: Service, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A retried creation would find the name taken, and the token would be lost."""
    monkeypatch.setattr(client_module, "_TIMEOUT", httpx2.Timeout(1, connect=5))
    with api(service, port) as process, HttpClient(f"http://127.0.0.1:{port}") as client:
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(UnavailableError, match="is not retried: check before repeating it"):
            client.post("/tokens", {"name": "once", "scope": "read"})
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(1)
        names = [token["name"] for token in client.get("/tokens")["tokens"]]
        assert names.count("once") <= 1  # none if the service saw that the client was gone


def test_a_timeout_repeats_a_submission_with_its_key(
    service: Service, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_TIMEOUT", httpx2.Timeout(1.5, connect=5))
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("keyed", offset=5100)))
    with api(service, port) as process, HttpClient(f"http://127.0.0.1:{port}") as client:
        os.kill(process.pid, signal.SIGSTOP)
        subprocess.Popen(["sh", "-c", f"sleep 2; kill -CONT {process.pid}"])
        with client.retrying(lambda _: None, seconds=20):
            campaign = client.submit(read_file(file))
        same = [
            listed for listed in client.get("/campaigns")["campaigns"] if listed["name"] == "keyed"
        ]
        assert [listed["id"] for listed in same] == [campaign["id"]]


class Forgetful(BaseHTTPRequestHandler):
    """Forwards requests to ``target``, but answers 502 the first time that it sees each."""

    target: str
    seen: set[tuple[str, str]]

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: self.headers[name] for name in self.headers if name != "Host"}
        url = self.target + self.path
        answer = httpx2.request(self.command, url, content=body, headers=headers, timeout=60)
        first = (self.command, self.path) not in self.seen
        self.seen.add((self.command, self.path))
        content = b"Bad Gateway" if first else answer.content
        self.send_response(502 if first else answer.status_code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def forgetful(service: Service) -> Iterator[str]:
    handler = type("Handler", (Forgetful,), {"target": service.url, "seen": set()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("lost-1", ["submit"]),
        ("lost-2", ["run", "--detach"]),
        ("lost-3", ["run", "--metric", "value", "--gate"]),
    ],
)
def test_a_submission_whose_answer_is_lost_is_repeated_and_stored_once(
    service: Service, forgetful: str, tmp_path: Path, name: str, command: list[str]
) -> None:
    file = tmp_path / "study.json"
    offsets = [5200 + int(name[-1]), 5210 + int(name[-1])]
    grid = {"sweep": {"offset": offsets}, "baseline": {"offset": offsets[0]}, "modulus": 7}
    gate = {"metric": "value", "require": "equivalent within 15 things", "inconclusive": "extend"}
    content = tiny_campaign(name, **grid, replications=2)
    file.write_text(json.dumps({**content, "gates": [gate]}))
    done = subprocess.run(
        [WINDTUNNEL, *command, file, "--server", forgetful], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answered 502" in done.stderr.replace("\n", " ")
    assert [each["name"] for each in service.get("/campaigns")["campaigns"]].count(name) == 1


def test_a_server_that_has_never_answered_is_not_waited_for_as_long(
    service: Service, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "FIRST_ANSWER_SECONDS", 1.0)
    notices: list[str] = []
    with (
        HttpClient(f"http://127.0.0.1:{port}") as client,
        client.retrying(notices.append, seconds=3),
    ):
        with pytest.raises(UnavailableError, match="does not answer"):
            client.get("/health")
        with api(service, port):
            client.get("/health")
        with pytest.raises(UnavailableError, match="does not answer"):
            client.get("/health")
    assert [notice.partition("; ")[2] for notice in notices] == [
        "retrying for up to 1 s", "retrying for up to 3 s",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("server", "cause"),
    [
        ("http://127.0.0.1:{port}", "connection refused"),
        ("http://nowhere.invalid:{port}", "there is no such host"),
    ],
)
def test_the_cause_of_an_outage_is_in_plain_words(server: str, cause: str, port: int) -> None:
    url = server.format(port=port)
    with HttpClient(url) as client, pytest.raises(UnavailableError) as caught:
        client.get("/campaigns")
    assert str(caught.value) == f"{url} does not answer: {cause}"


def test_a_server_without_tls_is_named_as_such(service: Service) -> None:
    url = service.url.replace("http:", "https:")
    with HttpClient(url) as client, pytest.raises(UnavailableError, match="TLS failed") as caught:
        client.get("/campaigns")
    assert "_ssl.c" not in str(caught.value)
