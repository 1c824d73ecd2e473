"""The faults. Each is injected repeatedly until it is stopped, and then reverted."""

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

from chaos import misbehaving
from chaos.stack import Stack, docker, first_process, kill, processes, until

_FIRST_SECONDS = 2.0
_MISBEHAVIOUR_SECONDS = 180.0
# Compose services that execute runs; the second one, whose clock is off, runs for WrongClock only.
_WORKERS = ("worker", "worker-off")
# A server that restarts, a container that has ended, a service without a running container.
_GONE = (RuntimeError, OSError, ValueError, redis.RedisError, psycopg.Error)


class Fault(ABC):
    """One kind of fault; ``injected`` counts how often it took effect.

    A ``lasting`` fault is active from begin() to revert(), the others at each inject().
    """

    name = ""
    every_seconds = 3.0
    lasting = False

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
        """Submit the campaign; a fault may disturb the submission."""
        return self.stack.submit(campaign)

    def keep_injecting(self, over: threading.Event) -> None:
        """Inject at random times until ``over`` is set, skipping targets that have just gone away.

        Any other exception ends the injection and is kept as ``error``.
        """
        pause = min(_FIRST_SECONDS, self.every_seconds)
        while not over.wait(pause * self.chance.uniform(0.5, 1.5)):
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
    """SIGKILL from outside, so that the restart policy applies, as after a crash."""

    name = "a worker is killed (SIGKILL) every 10 s"
    every_seconds = 10.0

    def inject(self) -> int:
        workers = self.stack.containers(*_WORKERS)
        return bool(workers) and kill(first_process(self.chance.choice(workers)))


class KilledSimulator(Fault):
    name = "a simulator process is killed (SIGKILL)"
    every_seconds = 1.5

    def inject(self) -> int:
        running = self.stack.simulations()
        return any(
            kill(first_process(container))
            for container in self.chance.sample(running, len(running))[:1]
        )


class KilledContainer(Fault):
    name = "a simulator's container is killed (docker kill)"
    every_seconds = 1.5

    def inject(self) -> int:
        running = self.stack.simulations()
        return bool(running) and docker("kill", self.chance.choice(running)) != ""


class FrozenWorker(Fault):
    """Frozen until its leases have expired and others have claimed its runs; then resumed."""

    name = "a worker is paused (SIGSTOP) past its lease, then resumed"
    every_seconds = 4.0
    frozen_seconds = 9.0

    def inject(self) -> int:
        workers = self.stack.containers(*_WORKERS)
        if not workers:
            return False
        frozen = processes(self.chance.choice(workers))
        hit = [kill(pid, signal.SIGSTOP) for pid in frozen]
        time.sleep(self.frozen_seconds)
        for pid in frozen:
            kill(pid, signal.SIGCONT)
        return any(hit)


class KilledReconciler(Fault):
    """Rarely enough that the worker restarts it instead of giving up."""

    name = "a worker's reconciler is killed (SIGKILL)"
    every_seconds = 8.0

    def inject(self) -> int:
        workers = self.stack.containers(*_WORKERS)
        if not workers:
            return False
        found = processes(self.chance.choice(workers), "windtunnel_worker.reconciler")
        return any(kill(pid) for pid in found[:1])


class EmptyRedis(Fault):
    name = "Redis is flushed (FLUSHALL) and restarted"
    every_seconds = 8.0

    def inject(self) -> int:
        self.stack.redis().flushall()
        self.stack.compose("restart", "--timeout", "1", "redis")
        return True


class JunkInRedis(Fault):
    """Words in the queue, and values of other types under Celery's keys."""

    name = "junk is written into Redis"
    every_seconds = 1.5

    def inject(self) -> int:
        with self.stack.redis() as client:
            match self.chance.randrange(4):
                case 0:
                    client.lpush("celery", self.chance.choice(["junk", "{}", "[1]", "null"]))
                case 1:
                    client.set("celery", "junk")
                case 2:
                    client.sadd("_kombu.binding.celery", "junk")
                case _:
                    client.hset("unacked", "tag", "junk")
                    client.zadd("unacked_index", {"tag": 1})
        return True


class RestartedPostgres(Fault):
    """Its first process is killed: every transaction under way is lost, and recovery runs.

    Not more often than every 10 s: Docker's restart policy would wait longer each time.
    """

    name = "PostgreSQL is killed under a long query and restarted"
    every_seconds = 20.0

    def inject(self) -> int:
        (postgres,) = self.stack.containers("postgres")
        query = threading.Thread(target=self._query, daemon=True)
        query.start()
        time.sleep(1)
        killed = kill(first_process(postgres))
        query.join(30)
        return killed

    def _query(self) -> None:
        with contextlib.suppress(psycopg.Error), self.stack.database() as connection:
            connection.execute("SELECT count(*) FROM generate_series(1, 20000000000)")


class KilledApi(Fault):
    """Killed while a campaign is submitted; the submission is repeated with its Idempotency-Key."""

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
        campaign_id = self.stack.submit(campaign, key)
        if self._count() != before + 1:
            raise AssertionError(f"{self._count() - before} campaigns of one Idempotency-Key")
        return campaign_id

    def _try(self, campaign: Mapping[str, Any], key: str) -> None:
        with contextlib.suppress(Exception):  # the API is killed meanwhile
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
    """Every delivered message is queued again, with the same bytes."""

    name = "every message is delivered twice"
    every_seconds = 0.05
    lasting = True

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
    """PostgreSQL's disk is full for a while; PostgreSQL stops when it can't write its log."""

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


class MisbehavingSimulators(Fault):
    """A second campaign, in which every run misbehaves in another way."""

    name = "simulators misbehave, each in another way"
    every_seconds = 1.0
    lasting = True

    def begin(self) -> None:
        self._seen = 0
        self._id = self.stack.submit(misbehaving.campaign())

    def inject(self) -> int:
        """Number of runs that have ended since the last call."""
        before, self._seen = self._seen, self._ended()
        return self._seen - before

    def revert(self) -> None:
        try:
            self.stack.wait(self._id, _MISBEHAVIOUR_SECONDS)
            runs = self.stack.ask("GET", f"/campaigns/{self._id}/runs", params={"limit": 500})
            self.error = self.error or misbehaving.complaint(runs.json()["runs"])
        finally:
            self.stack.ask("DELETE", f"/campaigns/{self._id}", missing=[404])

    def _ended(self) -> int:
        counts = self.stack.campaign(self._id)["runs"]
        return int(counts["failed"] + counts["succeeded"] + counts["cancelled"])


FAULTS: tuple[type[Fault], ...] = (
    KilledWorker,
    KilledReconciler,
    KilledSimulator,
    KilledContainer,
    FrozenWorker,
    EmptyRedis,
    JunkInRedis,
    RestartedPostgres,
    KilledApi,
    DuplicatedMessages,
    FullDisk,
    WrongClock,
    MisbehavingSimulators,
)


class Everything(Fault):
    """All FAULTS: the lasting ones throughout, the others one at a time, at random.

    ``injected`` is the sum over all of them.
    """

    name = "all of the above, at random"
    every_seconds = 3.0

    def begin(self) -> None:
        faults = [kind(self.stack, self.chance) for kind in FAULTS]
        self._lasting = [fault for fault in faults if fault.lasting]
        self._momentary = [fault for fault in faults if not fault.lasting]
        for fault in self._lasting:
            fault.begin()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=fault.keep_injecting, args=(self._over,), daemon=True)
            for fault in self._lasting
        ]
        for thread in self._threads:
            thread.start()

    def inject(self) -> int:
        return self.chance.choice(self._momentary).inject()

    def revert(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        for fault in self._lasting:
            fault.revert()
            self.injected += fault.injected
            self.error = self.error or fault.error
            if not fault.injected:
                self.error = self.error or f"it never took effect: {fault.name}"


ALL: tuple[type[Fault], ...] = (Nothing, *FAULTS, Everything)
