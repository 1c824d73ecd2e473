"""One POST to a webhook: which addresses it reaches, and which answers count."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.webhook_receiver import Receiver, receiving
from windtunnel_worker import webhook_request
from windtunnel_worker.webhook_request import DeliveryError, post

SECRET = "0123456789abcdef"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


def send(url: str, allow_private: bool = True) -> None:
    post(url, b"{}", "d1", SECRET, allow_private)


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Names resolve to each of these answers in turn; the names that were asked for."""
    real, asked, left = socket.getaddrinfo, [], list(answers)

    def getaddrinfo(host: str, port: Any, *arguments: Any, **options: Any) -> Any:
        if not host.endswith(".example"):
            return real(host, port, *arguments, **options)
        asked.append(host)
        addresses = left.pop(0)
        return [entry for each in addresses for entry in real(each, port, *arguments, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1"])
def test_a_private_address_is_refused_in_any_spelling(receiver: Receiver, host: str) -> None:
    with pytest.raises(DeliveryError, match=f"{host} is not a public address"):
        send(receiver.url(host), allow_private=False)
    assert receiver.requests == []
    send(receiver.url(host))
    assert len(receiver.requests) == 1


def test_all_addresses_of_a_name_must_be_public(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, ["93.184.216.34", "127.0.0.1"])
    with pytest.raises(DeliveryError, match=r"hook\.example is not a public address"):
        send(receiver.url("hook.example"), allow_private=False)
    assert receiver.requests == []


def test_a_name_is_resolved_once_so_that_rebinding_changes_nothing(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second answer, which nobody checked, would lead to the receiver."""
    asked = resolving(monkeypatch, ["127.0.0.2"], ["127.0.0.1"])
    monkeypatch.setattr(webhook_request, "is_public", lambda address: address == "127.0.0.2")
    with pytest.raises(DeliveryError, match="no connection"):
        send(receiver.url("hook.example"), allow_private=False)
    assert (asked, receiver.requests) == (["hook.example"], [])


def test_the_request_has_the_name_as_its_host(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the first of its addresses does not answer."""
    resolving(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    send(receiver.url("hook.example"))
    (request,) = receiver.requests
    assert request.path == "/hook?a=1"
    assert request.headers["Host"] == f"hook.example:{receiver.port}"
    assert request.headers["X-Windtunnel-Delivery"] == "d1"
    assert request.headers["Content-Type"] == "application/json"
    assert request.body == b"{}"


@pytest.mark.parametrize("status", [302, 307, 400, 404, 410, 500, 503])
def test_other_answers_are_no_delivery_and_redirects_are_not_followed(
    receiver: Receiver, status: int
) -> None:
    receiver.status = status
    with pytest.raises(DeliveryError, match=f"^answered {status}$"):
        send(receiver.url())
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("status", [200, 202, 204])
def test_any_success_is_a_delivery(receiver: Receiver, status: int) -> None:
    receiver.status = status
    send(receiver.url())


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda connection: time.sleep(5), "no answer within 1 s"),
        (lambda connection: _drip(connection), "no answer within 1 s"),
        (lambda connection: connection.sendall(b"SSH-2.0-OpenSSH\r\n"), "the answer is not HTTP"),
        (lambda connection: connection.sendall(b"x" * 100_000), "the answer is not HTTP"),
        (lambda connection: None, "the answer is not HTTP"),
    ],
)
def test_receivers_that_do_not_speak_http_cost_limited_time(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[socket.socket], None], message: str
) -> None:
    monkeypatch.setattr(webhook_request, "TIMEOUT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            # The sender may have given up.
            with connection, contextlib.suppress(OSError):
                connection.recv(4096)
                answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        begin = time.monotonic()
        with pytest.raises(DeliveryError, match=message):
            send(f"http://127.0.0.1:{server.getsockname()[1]}/")
        assert time.monotonic() - begin < 3


def _drip(connection: socket.socket) -> None:
    """A byte every now and then never times out by itself."""
    for _ in range(50):
        connection.sendall(b"H")
        time.sleep(0.1)


def test_a_name_that_does_not_exist_and_a_closed_port() -> None:
    with pytest.raises(DeliveryError, match=r"there is no host nowhere\.invalid"):
        send("https://nowhere.invalid/")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(DeliveryError, match="no connection: Connection refused"):
        send(f"http://127.0.0.1:{port}/")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of hook.example and its key."""
    key, file = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    names = ["-subj", "/CN=hook.example", "-addext", "subjectAltName=DNS:hook.example"]
    subprocess.run(
        [*command, *names, "-keyout", key, "-out", file], check=True, capture_output=True
    )
    return file, key


def test_certificates_are_verified_for_the_name(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with receiving(context) as receiver:
        resolving(monkeypatch, *[["127.0.0.1"]] * 3)
        with pytest.raises(DeliveryError, match="TLS failed: self-signed certificate"):
            send(receiver.url("hook.example", scheme="https"))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        with pytest.raises(DeliveryError, match="TLS failed: Hostname mismatch"):
            send(receiver.url("other.example", scheme="https"))
        assert receiver.requests == []
        send(receiver.url("hook.example", scheme="https"))
        assert len(receiver.requests) == 1
