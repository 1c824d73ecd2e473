"""The Celery task: claim a run, execute it, store its result, wake up the next worker."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from windtunnel import logs
from windtunnel.errors import StorageRefusedError, UnavailableError
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed, Limits, Lost, Outcome, Progress
from windtunnel.simulator.execution import REASON_CHARACTERS
from windtunnel.spec import RunLimits
from windtunnel.store import claims, verifications
from windtunnel.store.database import Database
from windtunnel.store.simulators import check_protocol, installation_id
from windtunnel_worker.app import app, settings, worker_name
from windtunnel_worker.launchers import available_simulators
from windtunnel_worker.reaper import ATTEMPT, RUN, VERIFICATION
from windtunnel_worker.simulators import AvailableSimulator
from windtunnel_worker.wakeup import notify

log = logging.getLogger(__name__)

STORE_ATTEMPTS = 6
HEARTBEAT_SECONDS = 1.0


class Executor:
    """Claims and executes work in one pool process. Create it after the fork, never before."""

    def __init__(self) -> None:
        self.database = Database(settings.database_url, pool_size=1)
        worker = worker_name(os.getppid())
        self.owner = f"{worker}/{os.getpid()}"
        with self.database.transaction() as session:
            installation = installation_id(session)
        self.simulators = available_simulators(settings, worker, installation)

    def execute_next(self) -> bool:
        """Claim and execute a run or a verification. Returns False if there is none."""
        available = self.simulators.now()
        images = {digest: simulator.image for digest, simulator in available.items()}
        with self.database.transaction() as session:
            check_protocol(session)
            lease = claims.claim(
                session,
                self.owner,
                list(available),
                settings.lease_seconds,
                images=images,
                quotas=settings.quotas,
            )
        if lease is None:
            return False
        simulator = available[lease.simulator_digest]
        if isinstance(lease, claims.Lease):
            with logs.fields(run=lease.id, attempt=lease.attempt):
                self._execute_run(lease, simulator)
        else:
            names = {"run": lease.run_id, "verification": lease.id, "attempt": lease.attempt}
            with logs.fields(**names):
                self._execute_verification(lease, simulator)
        return True

    def _execute_run(self, lease: claims.Lease, simulator: AvailableSimulator) -> None:
        outcome = self._launch(
            simulator,
            {RUN: lease.id, ATTEMPT: str(lease.attempt)},
            lease.spec,
            run_limits(lease.limits),
            lambda session, progress: claims.heartbeat(
                session, lease, settings.lease_seconds, progress
            ),
        )
        self._land(outcome, lambda session, end: claims.finish(session, lease, end))

    def _execute_verification(
        self, lease: verifications.VerificationLease, simulator: AvailableSimulator
    ) -> None:
        outcome = self._launch(
            simulator,
            {VERIFICATION: lease.id, ATTEMPT: str(lease.attempt)},
            lease.spec,
            run_limits(RunLimits()),
            lambda session, _: verifications.heartbeat(session, lease, settings.lease_seconds),
        )
        self._land(outcome, lambda session, end: verifications.finish(session, lease, end))

    def _launch(
        self,
        simulator: AvailableSimulator,
        labels: dict[str, str],
        spec: dict[str, Any],
        limits: Limits,
        send_heartbeat: Callable[[Any, Progress | None], bool],
    ) -> Outcome:
        """Execute a run spec. Never raises: the lease would only expire, and the next one too."""
        log.info("claimed by %s", self.owner)
        started_at = time.monotonic()
        try:
            return simulator.launcher(labels).run(
                spec, limits, Heartbeat(self.database, send_heartbeat)
            )
        except (OSError, MemoryError, UnavailableError) as error:
            log.exception("the executor failed")
            elapsed = time.monotonic() - started_at
            return Lost("", elapsed, f"the executor failed: {error!r}")
        except Exception as error:  # caused by what this simulator printed
            log.exception("unexpected error while executing a run")
            return unexpected_failure(time.monotonic() - started_at, error)

    def _land(self, outcome: Outcome, finish: Callable[[Any, Outcome], bool]) -> bool:
        """Store an outcome, or the reason why it can't be stored. False if the lease was lost.

        If this host is the reason, the run is executed again. Raises UnavailableError.
        """
        stored = self._store_or_explain(outcome, finish)
        kind = type(outcome).__name__.lower()
        if stored:
            log.info("landed: %s", kind)
        else:
            log.warning("not stored, the lease was lost: %s", kind)
        return stored

    def _store_or_explain(self, outcome: Outcome, finish: Callable[[Any, Outcome], bool]) -> bool:
        try:
            return self._store(lambda session: finish(session, outcome))
        except UnavailableError:
            raise
        except (OSError, MemoryError) as error:
            log.exception("a result was not stored")
            lost = Lost("", outcome.wall_seconds, f"the result was not stored: {error!r}")
            return self._store(lambda session: finish(session, lost))
        except Exception as error:
            log.exception("a result cannot be stored")
            failed = unexpected_failure(outcome.wall_seconds, error)
            return self._store(lambda session: finish(session, failed))

    def _store(self, write: Callable[[Any], bool]) -> bool:
        """Store an outcome; retries while PostgreSQL is unavailable."""
        for attempt in range(STORE_ATTEMPTS):
            try:
                with self.database.transaction() as session:
                    return write(session)
            except UnavailableError:
                if attempt == STORE_ATTEMPTS - 1:
                    raise
                time.sleep(2**attempt * 0.5)
        return False


def unexpected_failure(wall_seconds: float, error: Exception) -> Failed:
    """The failure to record for a result that can't be read or stored. It is not retried."""
    reason = str(error) if isinstance(error, StorageRefusedError) else repr(error)
    first_line = reason.splitlines()[0][:REASON_CHARACTERS].replace("\x00", "\ufffd")
    message = "the result can't be stored: " + first_line.encode(errors="replace").decode()
    return Failed("", wall_seconds, FailureReason.INVALID_RESULT, message)


def run_limits(asked: RunLimits) -> Limits:
    """The limits that a campaign asks for, at most those of this worker.

    Without a limit on stalls of its own, a longer run may stall longer: a 60th of its wall-clock
    limit, as it reports its progress at least 500 times.
    """
    wall = min(asked.wall_seconds or math.inf, settings.run_wall_seconds)
    stall = asked.stall_seconds or max(settings.run_stall_seconds, wall / 60)
    return Limits(
        wall_seconds=wall,
        stall_seconds=stall,
        memory_bytes=min(asked.memory_bytes or 2**63, settings.run_memory_bytes),
        output_bytes=settings.run_output_bytes,
    )


class Heartbeat:
    """Progress callback that extends a lease and reports progress, at most once a second."""

    def __init__(self, database: Database, send: Callable[[Any, Progress | None], bool]) -> None:
        self._database = database
        self._send = send
        self._last = 0.0

    def __call__(self, progress: Progress | None) -> bool:
        """Returns False if the run was cancelled or its lease was lost."""
        if time.monotonic() - self._last < HEARTBEAT_SECONDS:
            return True
        self._last = time.monotonic()
        try:
            with self._database.transaction() as session:
                wanted = self._send(session, progress)
            if not wanted:
                log.info("stopping: cancelled, or the lease was lost")
            return wanted
        except UnavailableError:
            # Continue while PostgreSQL restarts: the result is worth keeping. If another worker
            # claims the run meanwhile, the fencing token rejects the late result.
            log.warning("heartbeat failed: PostgreSQL is unavailable")
            return True


@cache
def _executor() -> Executor:
    return Executor()


@app.task(name="windtunnel.execute")  # type: ignore[untyped-decorator]
def execute() -> None:
    """Execute one run or verification, if there is one, then send a wake-up for the next."""
    executor = _executor()
    if not executor.execute_next():
        return
    with executor.database.transaction() as session:
        pending = claims.wakeups(session, settings.quotas)
    notify(min(pending, 1))
