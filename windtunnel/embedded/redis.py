"""A private Redis on a Unix socket."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from windtunnel.embedded.children import start_child, stop_child
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.leftovers import end_leftovers
from windtunnel.errors import UnavailableError

_START_SECONDS = 20
_PROGRAMS = ("redis-server", "valkey-server")
_LEFTOVER_STAGES = ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0))


class Redis:
    """One Redis server. ``program`` is the path of redis-server or valkey-server."""

    def __init__(self, folders: Folders, program: Path, sockets: Path) -> None:
        self._data = folders.redis
        self._log = folders.logs / "redis.log"
        self._program = program
        self._socket = sockets / "redis.sock"

    @property
    def url(self) -> str:
        return f"redis+socket://{self._socket}"

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server and wait until it answers. One that still runs is ended first."""
        end_leftovers(_PROGRAMS, self._data, _LEFTOVER_STAGES)
        self._data.mkdir(mode=0o700, exist_ok=True)
        command = [
            str(self._program),
            *("--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"),
            *("--dir", str(self._data), "--appendonly", "yes", "--save", ""),
            *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
        ]
        child = start_child(command, self._log, death_signal=signal.SIGTERM)
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if child.poll() is not None or time.monotonic() > deadline:
                stop_child(child, signal.SIGKILL, 0)
                raise UnavailableError(f"Redis did not start; see {self._log}")
            time.sleep(0.05)
        return child

    def _answers(self) -> bool:
        from redis import Redis as Client
        from redis.exceptions import RedisError

        client = Client(unix_socket_path=str(self._socket))
        try:
            return bool(client.ping())
        except RedisError:
            return False
        finally:
            client.close()
