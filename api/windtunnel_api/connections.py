"""Limits on connections: a client that sends no request does not hold one."""

from __future__ import annotations

import asyncio
import logging
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

log = logging.getLogger(__name__)

# Until the headers of a request are complete, from connecting or from the request's first byte.
HEADER_SECONDS = 10.0
MAX_CONNECTIONS = 1000
# Connections, and what the process opens besides: without a free one it could accept nobody.
_OPEN_FILES = 4096


class BoundedConnection(H11Protocol):
    """A connection that is closed if the headers of a request take longer than HEADER_SECONDS.

    At MAX_CONNECTIONS a new one closes the oldest that still waits for its headers, and is refused
    if there is none.
    """

    # In the order of their beginning, as a dict keeps it. One process has one event loop.
    _awaiting_headers: dict[BoundedConnection, asyncio.TimerHandle] = {}  # noqa: RUF012

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) >= MAX_CONNECTIONS:
            oldest = next(iter(self._awaiting_headers), None)
            log.warning("at the limit of %d connections", MAX_CONNECTIONS)
            if oldest is None:
                transport.abort()
                return
            oldest._give_up()
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self.transport is not None:  # a refused connection was never made
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self not in self._awaiting_headers:
            self._await_headers()

    def _await_headers(self) -> None:
        self._awaiting_headers[self] = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        timer = self._awaiting_headers.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _give_up(self) -> None:
        self._stop_waiting()
        self.connections.discard(self)
        self.transport.abort()


def server_options() -> dict[str, Any]:
    """Options of uvicorn.run that put these limits into force.

    Raises the limit on open files, by default 1,024, as far as it may.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return {"http": BoundedConnection, "backlog": 2048}
