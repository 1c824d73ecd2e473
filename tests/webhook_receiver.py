"""A real HTTP server that receives webhooks, for tests."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers with ``status`` after ``before_answer``; ``requests`` are those received so far."""

    port: int = 0
    status: int = 200
    before_answer: Callable[[], object] = lambda: None
    requests: list[Received] = field(default_factory=list)

    def url(self, host: str = "127.0.0.1", path: str = "/hook?a=1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def wait(self, count: int, seconds: float = 30) -> list[Received]:
        """The requests, once there are as many."""
        deadline = time.monotonic() + seconds
        while len(self.requests) < count and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(self.requests) >= count, f"{len(self.requests)} requests, not {count}"
        return self.requests


@contextmanager
def receiving(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on a free port of 127.0.0.1."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append(Received(self.path, dict(self.headers.items()), body))
            receiver.before_answer()
            self.send_response(receiver.status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
