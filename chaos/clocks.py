"""Clocks that are wrong: a worker's, PostgreSQL's."""

from __future__ import annotations

import time
from pathlib import Path

from chaos.fault import Fault
from chaos.stack import until


class WrongClock(Fault):
    """One of the two workers is replaced by one whose clock is an hour ahead."""

    name = "a worker's clock is off by an hour"
    every_seconds = 1.0
    lasting = True
    seen = 0

    def begin(self) -> None:
        self.stack.compose("stop", "worker")
        self.stack.up("--scale", "worker=1", "worker")
        self.stack.compose("--profile", "clock", "up", "-d", "worker-off")
        containers = self.stack.compose("--profile", "clock", "ps", "-aq", "worker-off").split()
        self._host = containers[0][:12]
        until(self._works, 60, lambda: "the worker with the wrong clock does not come up")

    def inject(self) -> int:
        """Runs it has done since the last call; the total drops when a campaign is deleted."""
        before, self.seen = self.seen, self._runs()
        return self.seen - before if self.seen >= before else self.seen

    def revert(self) -> None:
        self.stack.compose("--profile", "clock", "rm", "--stop", "--force", "worker-off")
        self.stack.up("--scale", "worker=2", "worker")

    def _works(self) -> bool:
        workers = self.stack.ask("GET", "/workers").json()["workers"]
        return any(worker["host"] == self._host and worker["simulators"] for worker in workers)

    def _runs(self) -> int:
        """Number of attempts in which it has succeeded."""
        with self.stack.database() as connection:
            query = "SELECT count(*) FROM attempt WHERE worker LIKE %s AND outcome = 'succeeded'"
            row = connection.execute(query, (f"{self._host}:%",)).fetchone()
        assert row is not None
        return int(row[0])


class JumpingClock(Fault):
    """PostgreSQL's clock, by which leases are measured, goes an hour ahead, back, ahead ...

    Ahead, all leases expire at once: each running run loses an attempt. Back, leases of workers
    that died before would last an hour: the reconciler shortens them.
    """

    name = "PostgreSQL's clock jumps an hour ahead and back"
    every_seconds = 6.0
    lasting = True

    def begin(self) -> None:
        self._ahead = False
        self._set("+0")
        self._preload("/faketime.so", "postgres")

    def inject(self) -> int:
        self._ahead = not self._ahead
        self._set("+1h" if self._ahead else "+0")
        until(
            lambda: (self._seconds_ahead() > 1800) == self._ahead,
            30,
            lambda: "PostgreSQL's clock does not follow",
        )
        return 1

    def revert(self) -> None:
        self._set("+0")
        self._preload("", "")

    def _preload(self, library: str, user: str) -> None:
        """Start it again with a library, and as this user at once: the library can't be used by
        two users one after the other."""
        self.stack.set_variable("POSTGRES_PRELOAD", library)
        self.stack.set_variable("POSTGRES_PRELOAD_USER", user)
        self.stack.up("--no-deps", "postgres")

    def _set(self, offset: str) -> None:
        Path(self.stack.secret("CHAOS_CLOCK")).write_text(f"{offset}\n", encoding="utf-8")

    def _seconds_ahead(self) -> float:
        with self.stack.database() as connection:
            row = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
        assert row is not None
        return float(row[0]) - time.time()
