"""The one task: claim a run, execute it, land its result, ring once more."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from windtunnel.errors import StorageRefusedError, UnavailableError
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed, Limits, Outcome, Progress
from windtunnel.store import claims, verifications
from windtunnel.store.database import Database
from windtunnel.store.simulators import installation_id
from windtunnel_worker.app import app, settings, worker_name
from windtunnel_worker.launchers import available_simulators
from windtunnel_worker.reaper import ATTEMPT, RUN, VERIFICATION
from windtunnel_worker.simulators import AvailableSimulator
from windtunnel_worker.wakeup import notify

log = logging.getLogger(__name__)

LANDING_TRIES = 6
HEARTBEAT_SECONDS = 1.0


class Executor:
    """What one pool process needs; made after the fork, for connections must not cross one."""

    def __init__(self) -> None:
        self.database = Database(settings.database_url, pool_size=1)
        worker = worker_name(os.getppid())
        self.owner = f"{worker}/{os.getpid()}"
        with self.database.transaction() as session:
            installation = installation_id(session)
        self.simulators = available_simulators(settings, worker, installation)

    def execute_run(self) -> bool:
        """Claim and execute a run; False if there is none."""
        offered = self.simulators.now()
        images = {digest: one.image for digest, one in offered.items()}
        with self.database.transaction() as session:
            lease = claims.claim(
                session, self.owner, list(offered), settings.lease_seconds, images=images
            )
        if lease is None:
            return False
        outcome = self._launch(
            offered[lease.simulator_digest],
            {RUN: lease.id, ATTEMPT: str(lease.attempt)},
            lease.spec,
            lambda session, progress: claims.heartbeat(
                session, lease, settings.lease_seconds, progress
            ),
        )
        try:
            landed = self._land(lambda session: claims.finish(session, lease, outcome))
        except StorageRefusedError as error:
            refused = outcome_refused(outcome, str(error))
            landed = self._land(lambda session: claims.finish(session, lease, refused))
        log.info("run %s: %s, landed %s", lease.id[:12], type(outcome).__name__.lower(), landed)
        return True

    def execute_verification(self) -> bool:
        """Claim and execute a verification; False if there is none."""
        offered = self.simulators.now()
        with self.database.transaction() as session:
            lease = verifications.claim(session, self.owner, list(offered), settings.lease_seconds)
        if lease is None:
            return False
        outcome = self._launch(
            offered[lease.simulator_digest],
            {VERIFICATION: lease.id, ATTEMPT: str(lease.attempt)},
            lease.spec,
            lambda session, _: verifications.heartbeat(session, lease, settings.lease_seconds),
        )
        self._land(lambda session: verifications.finish(session, lease, outcome))
        return True

    def _launch(
        self,
        simulator: AvailableSimulator,
        labels: dict[str, str],
        spec: dict[str, Any],
        beat: Callable[[Any, Progress | None], bool],
    ) -> Outcome:
        limits = Limits(
            settings.run_wall_seconds, settings.run_memory_bytes, settings.run_output_bytes
        )
        return simulator.launcher(labels).run(spec, limits, Heartbeat(self.database, beat))

    def _land(self, write: Callable[[Any], bool]) -> bool:
        """Write an outcome, trying again while PostgreSQL is away."""
        for attempt in range(LANDING_TRIES):
            try:
                with self.database.transaction() as session:
                    return write(session)
            except UnavailableError:
                if attempt == LANDING_TRIES - 1:
                    raise
                time.sleep(2**attempt * 0.5)
        return False


def outcome_refused(outcome: Outcome, why: str) -> Outcome:
    """What becomes of a result that can't be stored: a failure, final at once."""
    message = why.splitlines()[0].replace("\x00", "\ufffd")
    return Failed("", outcome.wall_seconds, FailureReason.INVALID_RESULT, message)


class Heartbeat:
    """Keeps a lease alive and reports progress, at most once a second."""

    def __init__(self, database: Database, beat: Callable[[Any, Progress | None], bool]) -> None:
        self._database = database
        self._beat = beat
        self._last = 0.0

    def __call__(self, progress: Progress | None) -> bool:
        """False when the run is cancelled, or is somebody else's by now."""
        if time.monotonic() - self._last < HEARTBEAT_SECONDS:
            return True
        self._last = time.monotonic()
        try:
            with self._database.transaction() as session:
                return self._beat(session, progress)
        except UnavailableError:
            # The simulation can go on while PostgreSQL restarts; its result is worth keeping. The
            # fencing token refuses it should somebody else have taken the run by then.
            log.warning("no heartbeat: PostgreSQL is away")
            return True


@cache
def _executor() -> Executor:
    return Executor()


@app.task(name="windtunnel.execute")  # type: ignore[untyped-decorator]
def execute() -> None:
    """Do one piece of work, if there is one, and ring for the next."""
    executor = _executor()
    # Verifications are few and somebody waits for each: they go before a long campaign.
    if not (executor.execute_verification() or executor.execute_run()):
        return
    with executor.database.transaction() as session:
        more = claims.startable_runs(session) or int(verifications.waiting(session))
    notify(min(more, 1))
