"""The socket on which the embedded service listens."""

from __future__ import annotations

import socket

from windtunnel.embedded.service import _listener


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """An accepted connection has TCP_NODELAY from its listener."""
    with (
        _listener("127.0.0.1", None) as listener,
        socket.create_connection(listener.getsockname()[:2]),
    ):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
