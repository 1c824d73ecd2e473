"""The faults. Each disturbs the stack again and again until it is told to stop, then reverts it."""

from __future__ import annotations

import contextlib
import json
import random
import secrets
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import redis

from chaos.stack import Stack, docker, first_process, kill, processes, until

_FIRST_SECONDS = 2.0
# A server that restarts, a container that has ended, a service without a running container.
_GONE = (RuntimeError, OSError, ValueError, redis.RedisError, psycopg.Error)


class Fault(ABC):
    """One kind of fault; ``injected`` counts how often it took effect."""

    name = ""
    every_seconds = 3.0

    def __init__(self, stack: Stack, chance: random.Random) -> None:
        self.stack = stack
        self.chance = chance
        self.injected = 0
        self.error = ""

    def begin(self) -> None:  # noqa: B027  (most need nothing)
        """Before the campaign is submitted."""

    @abstractmethod
    def inject(self) -> int:
        """Inject the fault once; how many targets it took effect on."""

    def revert(self) -> None:  # noqa: B027
        """Undo lasting effects, after the campaign."""

    def submit(self, campaign: Mapping[str, Any]) -> str:
        """Submit the campaign; a fault may have something against it."""
        return self.stack.submit(campaign)

    def keep_injecting(self, over: threading.Event) -> None:
        """Inject repeatedly until ``over`` is set, skipping targets that have just gone away.

        Any other exception ends the injection and is kept as ``error``.
        """
        pause = min(_FIRST_SECONDS, self.every_seconds)
        while not over.wait(pause):
            pause = self.every_seconds
            try:
                hit = self.inject()
            except _GONE:
                continue
            except Exception as error:  # a thread's exception would be lost
                self.error = repr(error)
                return
            self.injected += hit


class Nothing(Fault):
    """The undisturbed campaign."""

    name = "none"
    every_seconds = 3600.0

    def inject(self) -> int:
        return False


class KilledWorker(Fault):
    """SIGKILL from outside, so that the restart policy acts, as after a crash."""

    name = "a worker is killed (SIGKILL) every 10 s"
    every_seconds = 10.0

    def inject(self) -> int:
        workers = self.stack.containers("worker")
        return bool(workers) and kill(first_process(self.chance.choice(workers)))


class KilledSimulator(Fault):
    name = "a simulator process is killed (SIGKILL)"
    every_seconds = 1.5

    def inject(self) -> int:
        running = self.stack.simulations()
        return any(
            kill(first_process(one)) for one in self.chance.sample(running, len(running))[:1]
        )


class KilledContainer(Fault):
    name = "a simulator's container is killed (docker kill)"
    every_seconds = 1.5

    def inject(self) -> int:
        running = self.stack.simulations()
        return bool(running) and docker("kill", self.chance.choice(running)) != ""


class FrozenWorker(Fault):
    """Long enough for its leases to expire and others to take its runs; then it comes back."""

    name = "a worker is paused (SIGSTOP) past its lease, then resumed"
    every_seconds = 4.0
    frozen_seconds = 9.0

    def inject(self) -> int:
        workers = self.stack.containers("worker")
        if not workers:
            return False
        frozen = processes(self.chance.choice(workers))
        hit = [kill(pid, signal.SIGSTOP) for pid in frozen]
        time.sleep(self.frozen_seconds)
        for pid in frozen:
            kill(pid, signal.SIGCONT)
        return any(hit)


class EmptyRedis(Fault):
    name = "Redis is flushed (FLUSHALL) and restarted"
    every_seconds = 8.0

    def inject(self) -> int:
        self.stack.redis().flushall()
        self.stack.compose("restart", "--timeout", "1", "redis")
        return True


class RestartedPostgres(Fault):
    """Its first process is killed: every transaction under way is lost, and recovery runs.

    Not more often than every 10 s: Docker's restart policy would wait longer each time.
    """

    name = "PostgreSQL is killed mid-transaction and restarted"
    every_seconds = 15.0

    def inject(self) -> int:
        (postgres,) = self.stack.containers("postgres")
        return kill(first_process(postgres))


class KilledApi(Fault):
    """While a campaign is submitted with an Idempotency-Key, which is then sent again."""

    name = "the API is killed during a submission, which is retried"
    every_seconds = 6.0
    kills = 3

    def inject(self) -> int:
        (api,) = self.stack.containers("api")
        return kill(first_process(api))

    def submit(self, campaign: Mapping[str, Any]) -> str:
        key = secrets.token_hex(8)
        before = self._count()
        for attempt in range(self.kills):
            submission = threading.Thread(target=self._try, args=(campaign, key))
            submission.start()
            time.sleep(0.02 + 0.06 * attempt)
            with contextlib.suppress(*_GONE):
                self.injected += self.inject()
            submission.join()
            self._await_api()
        found = self.stack.submit(campaign, key)
        if self._count() != before + 1:
            raise AssertionError(f"{self._count() - before} campaigns of one Idempotency-Key")
        return found

    def _try(self, campaign: Mapping[str, Any], key: str) -> None:
        with contextlib.suppress(Exception):  # that is what this is about
            self.stack.http.post(
                "/campaigns", json=dict(campaign), headers={"Idempotency-Key": key}, timeout=20
            )

    def _count(self) -> int:
        with self.stack.database() as connection:
            row = connection.execute("SELECT count(*) FROM campaign").fetchone()
        assert row is not None
        return int(row[0])

    def _await_api(self) -> None:
        until(lambda: bool(self.stack.containers("api")), 60, lambda: "the API does not come back")
        self.stack.ask("GET", "/health")


class DuplicatedMessages(Fault):
    """Every message that was delivered is put into the queue again, the very same bytes."""

    name = "every message is delivered twice"
    every_seconds = 0.05

    def begin(self) -> None:
        self._redis = self.stack.redis()
        self._seen: set[Any] = set()

    def inject(self) -> int:
        new = {
            tag: delivered
            for tag, delivered in self._redis.hgetall("unacked").items()
            if tag not in self._seen
        }
        for tag, delivered in new.items():
            self._seen.add(tag)
            self._redis.lpush("celery", json.dumps(json.loads(delivered)[0]))
        return len(new)

    def revert(self) -> None:
        self._redis.close()


class FullDisk(Fault):
    """PostgreSQL's disk has no room for a while; without any for its log, it stops."""

    name = "the database's disk fills up, then is freed"
    every_seconds = 6.0
    full_seconds = 8.0

    def inject(self) -> int:
        filler = Path(self.stack.secret("CHAOS_DISK")) / "filler"
        try:
            with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
                while file.write(bytes(1 << 20)):
                    pass
            time.sleep(self.full_seconds)
        finally:
            filler.unlink(missing_ok=True)
        return True


class WrongClock(Fault):
    """One of two workers lives an hour ahead."""

    name = "a worker's clock is off by an hour"
    every_seconds = 1.0
    seen = 0

    def begin(self) -> None:
        self.stack.compose("stop", "worker")
        self.stack.up("--scale", "worker=1", "worker")
        self.stack.compose("--profile", "clock", "up", "-d", "worker-off")
        until(self._works, 60, lambda: "the worker with the wrong clock does not come up")

    def inject(self) -> int:
        """How many more runs it has done."""
        before, self.seen = self.seen, self._runs()
        return self.seen - before

    def revert(self) -> None:
        self.stack.compose("--profile", "clock", "rm", "--stop", "--force", "worker-off")
        self.stack.up("--scale", "worker=2", "worker")

    def _works(self) -> bool:
        said = self.stack.ask("GET", "/workers").json()["workers"]
        return any(one["host"] == self._host() and one["simulators"] for one in said)

    def _host(self) -> str:
        containers = self.stack.compose("--profile", "clock", "ps", "-q", "worker-off").split()
        return containers[0][:12] if containers else "?"

    def _runs(self) -> int:
        """How many attempts it made."""
        with self.stack.database() as connection:
            query = "SELECT count(*) FROM attempt WHERE worker LIKE %s AND outcome = 'succeeded'"
            row = connection.execute(query, (f"{self._host()}:%",)).fetchone()
        assert row is not None
        return int(row[0])


class Everything(Fault):
    """All of them, at random."""

    name = "all of the above, at random"
    every_seconds = 3.0
    kinds = (
        KilledWorker,
        KilledSimulator,
        KilledContainer,
        FrozenWorker,
        EmptyRedis,
        RestartedPostgres,
        KilledApi,
        FullDisk,
    )

    def begin(self) -> None:
        self._faults = [kind(self.stack, self.chance) for kind in self.kinds]
        self._duplicates = DuplicatedMessages(self.stack, self.chance)
        self._duplicates.begin()
        self._over = threading.Event()
        self._duplicating = threading.Thread(
            target=self._duplicates.keep_injecting, args=(self._over,), daemon=True
        )
        self._duplicating.start()

    def inject(self) -> int:
        return self.chance.choice(self._faults).inject()

    def revert(self) -> None:
        self._over.set()
        self._duplicating.join()
        self._duplicates.revert()


ALL: tuple[type[Fault], ...] = (
    Nothing,
    KilledWorker,
    KilledSimulator,
    KilledContainer,
    FrozenWorker,
    EmptyRedis,
    RestartedPostgres,
    KilledApi,
    DuplicatedMessages,
    FullDisk,
    WrongClock,
    Everything,
)
