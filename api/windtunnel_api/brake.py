"""A brake on wrong tokens: a client may fail a number of times, then waits."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

from windtunnel.errors import TooManyFailuresError
from windtunnel.tokens import token_digest

# Failures that a client may have at once, and how long it takes until one is forgiven.
BURST = 20
FORGIVEN_AFTER_SECONDS = 3.0
_MAX_CLIENTS = 10_000
_MAX_KNOWN = 10_000


class FailureBrake:
    """Counts failed authentications per client, in this process (a leaky bucket).

    A client that has too many is refused before its token is looked up. A token that was right
    before passes, so that nobody is locked out by a neighbour behind the same address.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def check(self, address: str | None, secret: str) -> None:
        """Raise TooManyFailuresError if this client has to wait."""
        with self._lock:
            level = self._level(_client(address))
            if level < BURST or token_digest(secret) in self._known:
                return
        raise TooManyFailuresError(
            f"too many requests with a wrong token from {address}; retry later with a valid one",
            retry_after=max(1, round((level - BURST + 1) * FORGIVEN_AFTER_SECONDS)),
        )

    def failed(self, address: str | None) -> None:
        """Count a request with a wrong token."""
        client = _client(address)
        with self._lock:
            self._failures[client] = (self._level(client) + 1, self._clock())
            self._failures.move_to_end(client)
            while len(self._failures) > _MAX_CLIENTS:
                self._failures.popitem(last=False)

    def succeeded(self, secret: str) -> None:
        """Remember a right token."""
        digest = token_digest(secret)
        with self._lock:
            self._known[digest] = None
            self._known.move_to_end(digest)
            while len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)

    def _level(self, client: str) -> float:
        level, since = self._failures.get(client, (0.0, 0.0))
        return max(0.0, level - (self._clock() - since) / FORGIVEN_AFTER_SECONDS)


def _client(address: str | None) -> str:
    """One client has one IPv4 address, or an IPv6 network of 64 bits."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return address or ""
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return str(parsed)
