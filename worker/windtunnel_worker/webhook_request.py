"""One signed POST to a webhook, over a connection to an address that was checked.

The name is resolved once: the address that is connected to is the one that was checked, whatever
the name resolves to a moment later. Redirects are not followed, proxies are not used, and of the
answer only the status is read.
"""

from __future__ import annotations

import re
import socket
import ssl
import time

from windtunnel import __version__
from windtunnel.webhooks import Target, is_public, parse_url, signature

TIMEOUT_SECONDS = 10.0
_MAX_STATUS_LINE = 1024
_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})[ \r\n]")


class DeliveryError(Exception):
    """A webhook was not delivered; the message says why."""


def post(url: str, body: bytes, delivery_id: str, secret: str, allow_private: bool) -> None:
    """Send the body. Raises DeliveryError unless the receiver answers with a status of 2xx.

    Everything together takes at most 10 s, beside resolving the name.
    """
    try:
        target = parse_url(url)
    except ValueError as error:
        raise DeliveryError(str(error)) from error
    addresses = _resolve(target, allow_private)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        with _connect(target, addresses, deadline) as connection:
            connection.settimeout(_remaining(deadline))
            connection.sendall(_request(target, body, delivery_id, secret))
            status = _read_status(connection, deadline)
    except TimeoutError as error:
        raise DeliveryError(f"no answer within {TIMEOUT_SECONDS:g} s") from error
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", "") or error.reason or "no TLS"
        raise DeliveryError(f"TLS failed: {reason}") from error
    except OSError as error:
        raise DeliveryError(f"no connection: {error.strerror or error}") from error
    if not 200 <= status < 300:
        raise DeliveryError(f"answered {status}")


def _resolve(target: Target, allow_private: bool) -> list[str]:
    """The host's addresses, all of which must be public. Raises DeliveryError."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise DeliveryError(f"there is no host {target.host}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    private = [address for address in addresses if not is_public(address)]
    if private and not allow_private:
        raise DeliveryError(f"{target.host} is not a public address")
    return addresses


def _connect(target: Target, addresses: list[str], deadline: float) -> socket.socket:
    """Connect to the first address that answers. Raises OSError."""
    for position, address in enumerate(addresses):
        # Silent addresses leave time for those after them.
        share = _remaining(deadline) / (len(addresses) - position)
        try:
            connection = socket.create_connection((address, target.port), timeout=share)
            break
        except OSError:
            if position == len(addresses) - 1:
                raise
    if not target.tls:
        return connection
    try:
        connection.settimeout(_remaining(deadline))
        return ssl.create_default_context().wrap_socket(connection, server_hostname=target.host)
    except BaseException:
        connection.close()
        raise


def _request(target: Target, body: bytes, delivery_id: str, secret: str) -> bytes:
    head = (
        f"POST {target.path} HTTP/1.1\r\n"
        f"Host: {target.authority}\r\n"
        f"User-Agent: windtunnel/{__version__}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"X-Windtunnel-Delivery: {delivery_id}\r\n"
        f"X-Windtunnel-Signature: {signature(secret, int(time.time()), body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def _read_status(connection: socket.socket, deadline: float) -> int:
    """Read the status line only. Raises DeliveryError, OSError."""
    received = b""
    while b"\n" not in received and len(received) < _MAX_STATUS_LINE:
        connection.settimeout(_remaining(deadline))
        chunk = connection.recv(_MAX_STATUS_LINE - len(received))
        if not chunk:
            break
        received += chunk
    match = _STATUS.match(received)
    if match is None:
        raise DeliveryError("the answer is not HTTP")
    return int(match[1])


def _remaining(deadline: float) -> float:
    """Seconds until the deadline. Raises TimeoutError after it."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
