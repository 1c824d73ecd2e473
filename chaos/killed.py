"""Killed and paused: workers, reconcilers, simulators, containers, the API."""

from __future__ import annotations

import contextlib
import secrets
import signal
import threading
import time
from collections.abc import Mapping
from typing import Any

from chaos.fault import GONE, WORKERS, Fault
from chaos.stack import docker, first_process, kill, processes, until


class KilledWorker(Fault):
    """SIGKILL from outside, so that the restart policy applies, as after a crash."""

    name = "a worker is killed (SIGKILL) every 10 s"
    every_seconds = 10.0

    def inject(self) -> int:
        workers = self.stack.containers(*WORKERS)
        return bool(workers) and kill(first_process(self.chance.choice(workers)))


class KilledReconciler(Fault):
    """Rarely enough that the worker restarts it instead of giving up."""

    name = "a worker's reconciler is killed (SIGKILL)"
    every_seconds = 8.0

    def inject(self) -> int:
        workers = self.stack.containers(*WORKERS)
        if not workers:
            return False
        found = processes(self.chance.choice(workers), "windtunnel_worker.reconciler")
        return any(kill(pid) for pid in found[:1])


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
        workers = self.stack.containers(*WORKERS)
        if not workers:
            return False
        frozen = processes(self.chance.choice(workers))
        hit = [kill(pid, signal.SIGSTOP) for pid in frozen]
        time.sleep(self.frozen_seconds)
        for pid in frozen:
            kill(pid, signal.SIGCONT)
        return any(hit)


class KilledApi(Fault):
    """Killed while a campaign is submitted; the submission is repeated with its Idempotency-Key."""

    name = "the API is killed during a submission, which is retried"
    # Docker doubles its pause before a restart, up to a minute, while a container lives under 10 s.
    every_seconds = 20.0
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
            with contextlib.suppress(*GONE):
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
