"""What a client can make the API hold: bodies, half-sent requests, connections, wrong tokens."""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.conftest import Service, start_service
from windtunnel.errors import TooManyFailuresError
from windtunnel.tokens import new_token
from windtunnel_api.brake import BURST, FORGIVEN_AFTER_SECONDS, FailureBrake
from windtunnel_api.connections import HEADER_SECONDS, MAX_CONNECTIONS

MEBIBYTE = 2**20


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Started with a limit on open files that is below that of connections."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, limits[1]))
    services = start_service(max_body_bytes=str(MEBIBYTE))
    started = next(services)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    yield started
    yield from services


def connect(service: Service) -> socket.socket:
    address = urlsplit(service.url)
    return socket.create_connection((address.hostname, address.port), timeout=20)


def send_until_refused(service: Service, head: str, most: int) -> tuple[bytes, int]:
    """Send a request with an endless body; the answer, and how many bytes were taken."""
    sent = 0
    with connect(service) as connection:
        connection.sendall(head.encode())
        with contextlib.suppress(OSError):
            while sent < most:
                sent += connection.send(b"x" * 65536)
        try:
            return connection.recv(65536), sent
        except OSError:
            return b"", sent


def resident_bytes(service: Service) -> int:
    part = next(part for part in service.running._parts if part.name == "API")
    status = Path(f"/proc/{part.child.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


@pytest.mark.parametrize("path", ["/session", "/tokens", "/campaigns", "/nothing"])
def test_no_body_is_read_before_the_sender_is_known(service: Service, path: str) -> None:
    before = resident_bytes(service)
    length = 700 * MEBIBYTE
    head = (
        f"POST /api/v1{path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    )
    answer, sent = send_until_refused(service, head, length)
    if answer:  # unless the connection was closed before it was read
        assert answer.split()[1] in (b"401", b"413")
    assert sent < 16 * MEBIBYTE  # what fits into the buffers of both ends
    assert resident_bytes(service) - before < 50 * MEBIBYTE


def test_a_body_in_chunks_meets_the_same_limit(service: Service) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 65536

    answer = service.http.post(
        "/campaigns", content=chunks(), headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_a_body_is_refused_with_its_reason(service: Service) -> None:
    for method, path in (("POST", "/tokens"), ("DELETE", "/campaigns/ff"), ("POST", "/nothing")):
        answer = httpx2.request(method, f"{service.url}/api/v1{path}", json={"a": 1})
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), path


def test_half_sent_requests_are_dropped(service: Service) -> None:
    """Also behind the first request of a connection, and one byte at a time."""
    silent, begun, second = connect(service), connect(service), connect(service)
    begun.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost:")
    second.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
    response = b""
    while not response.endswith(b"}"):
        response += second.recv(65536)
    assert response.startswith(b"HTTP/1.1 200")
    second.sendall(b"GET /api/v1/he")
    deadline = time.monotonic() + HEADER_SECONDS + 10
    for connection in (silent, begun, second):
        connection.settimeout(max(0.1, deadline - time.monotonic()))
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1000) == b""
        connection.close()


def test_half_open_connections_lock_nobody_out(service: Service) -> None:
    held = [connect(service) for _ in range(MAX_CONNECTIONS + 100)]
    try:
        answer = httpx2.get(f"{service.url}/api/v1/health", timeout=5)
        assert answer.status_code == 200
    finally:
        for connection in held:
            connection.close()


def test_wrong_tokens_meet_a_brake_and_right_ones_pass() -> None:
    now = 0.0
    brake = FailureBrake(clock=lambda: now)
    right, other = new_token(), new_token()
    brake.succeeded(right)
    for _ in range(BURST):
        brake.check("192.0.2.1", new_token())
        brake.failed("192.0.2.1")
    with pytest.raises(TooManyFailuresError) as refused:
        brake.check("192.0.2.1", new_token())
    assert 1 <= refused.value.retry_after <= FORGIVEN_AFTER_SECONDS
    brake.check("192.0.2.1", right)
    brake.check("192.0.2.2", other)
    now += FORGIVEN_AFTER_SECONDS
    brake.check("192.0.2.1", new_token())
    for host in range(BURST):  # one network of 64 bits is one client
        brake.failed(f"2001:db8::{host:x}")
    with pytest.raises(TooManyFailuresError):
        brake.check("2001:db8::ffff", new_token())
    brake.check("2001:db8:0:1::1", new_token())


def test_the_brake_holds_for_headers_cookies_and_signing_in(service: Service) -> None:
    answers = [
        httpx2.get(
            f"{service.url}/api/v1/campaigns", headers={"Authorization": f"Bearer {new_token()}"}
        )
        for _ in range(BURST + 5)
    ]
    assert answers[0].status_code == 401
    last = answers[-1]
    assert (last.status_code, last.json()["code"]) == (429, "too_many_failures")
    assert int(last.headers["retry-after"]) >= 1
    signing_in = httpx2.post(f"{service.url}/api/v1/session", json={"token": new_token()})
    assert signing_in.status_code == 429
    assert service.http.get("/campaigns").status_code == 200


@pytest.mark.parametrize(
    "values", [[True, True], ["x", "y"], [1], [1, 2, 3], [-1, 0], [2**40, 0], {}, None, [[1], 2]]
)
def test_a_forged_cursor_is_an_error_of_its_field(service: Service, values: object) -> None:
    import base64

    cursor = base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")
    for path in ("/campaigns", "/audit"):
        answer = service.http.get(path, params={"cursor": cursor})
        if path == "/audit" and values == [1]:
            continue
        assert answer.status_code == 422, path
        assert answer.json()["errors"][0]["path"] == "query.cursor"
