"""The Docker Engine is killed while runs are executed."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from pathlib import Path

from chaos.fault import Fault
from chaos.stack import docker, kill, until

_SUPERVISED_SECONDS = 5.0
_ENGINE_SECONDS = 90.0
_STACK_SECONDS = 180.0


class KilledEngine(Fault):
    """All containers of the host are stopped when it starts again, and the services restarted.

    An Engine that nobody supervises is started as it was. Not more often than every 40 s: Docker's
    restart policy would wait longer each time.
    """

    name = "Docker Engine is killed (SIGKILL) and started again"
    every_seconds = 40.0

    def inject(self) -> int:
        engines = _engines()
        if len(engines) != 1:
            raise AssertionError(f"{len(engines)} processes named dockerd on this host; expected 1")
        ((pid, command),) = engines.items()
        killed = kill(pid, signal.SIGKILL)
        time.sleep(_SUPERVISED_SECONDS)
        deadline = time.monotonic() + _ENGINE_SECONDS
        while not _answers():
            if time.monotonic() > deadline:
                raise AssertionError("Docker Engine does not start again")
            # It gives up while the containerd of the killed one is still exiting.
            if not _engines():
                _start(command)
            time.sleep(1)
        expected = {"api": 1, "postgres": 1, "redis": 1}
        until(
            lambda: all(len(self.stack.containers(name)) == n for name, n in expected.items()),
            _STACK_SECONDS,
            lambda: "the services do not run again after the Engine's restart",
        )
        self.stack.ask("GET", "/ready?worker=true", seconds=_STACK_SECONDS)
        return killed


def _engines() -> dict[int, list[str]]:
    """Command lines of this host's processes named dockerd, by process id.

    That of the second host is in another network namespace.
    """
    engines = {}
    network = Path("/proc/self/ns/net").readlink()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_engine = (folder / "comm").read_text() == "dockerd\n"
            if is_engine and (folder / "ns" / "net").readlink() == network:
                command = (folder / "cmdline").read_bytes().split(b"\0")[:-1]
                if command:  # none: it has just ended
                    engines[int(folder.name)] = [word.decode() for word in command]
    return engines


def _answers() -> bool:
    return "Server Version" in docker("info", check=False)


def _start(command: list[str]) -> None:
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
