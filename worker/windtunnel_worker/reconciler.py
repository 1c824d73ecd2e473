"""Beside every worker's pool: says what it offers, ends expired leases, rings for the idle."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from windtunnel.errors import WindtunnelError
from windtunnel.store import claims, leases, simulators, verifications
from windtunnel.store.database import Database
from windtunnel_worker.app import settings, worker_name
from windtunnel_worker.docker_host import DockerHost
from windtunnel_worker.docker_launcher import DockerImages
from windtunnel_worker.launchers import available_simulators
from windtunnel_worker.reaper import Reaper, remove_own
from windtunnel_worker.simulators import SimulatorRegistry
from windtunnel_worker.wakeup import notify

log = logging.getLogger(__name__)

STALLED_SECONDS = 15


def main() -> None:
    """Until terminated: one short transaction after another, so that a restart loses nothing."""
    signal.signal(signal.SIGTERM, _leave)
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(message)s")
    database = Database(settings.database_url, pool_size=1)
    name = worker_name(os.getppid())
    reconciler: Reconciler | None = None
    try:
        while True:
            try:
                reconciler = reconciler or Reconciler(database, name)
                reconciler.round()
            except Exception as error:  # whatever it is, the next round may be better
                log.warning("the reconciler tries again: %s", error)
            time.sleep(settings.reconcile_seconds)
    except _TerminatedError:
        if reconciler is not None:
            reconciler.leave()


class Reconciler:
    """What one worker's reconciler keeps from round to round. Raises what a database raises."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name
        with database.transaction() as session:
            self._installation = simulators.installation_id(session)
        self._simulators: SimulatorRegistry = available_simulators(
            settings, name, self._installation
        )
        self._reaper: Reaper | None = None
        if isinstance(self._simulators, DockerImages):
            self._simulators.pull_missing()
            self._reaper = Reaper(DockerHost(), database, self._installation)
        self._registered: dict[str, datetime] = {}
        self._stalled_since: float | None = None

    def round(self) -> None:
        """Once every few seconds."""
        self._report()
        pending = self._reconcile() > 0 and self._has_idle_slots()
        self._stalled_since = (self._stalled_since or time.monotonic()) if pending else None
        if self._stalled_since and time.monotonic() - self._stalled_since > STALLED_SECONDS:
            _end_the_worker()
        if self._reaper is not None:
            self._reaper.reap()

    def leave(self) -> None:
        """The pool has ended: give back its leases, be forgotten, end its containers."""
        with contextlib.suppress(WindtunnelError), self._database.transaction() as session:
            claims.release_all(session, self._name)
            verifications.release_all(session, self._name)
            simulators.forget_worker(session, self._name)
        with contextlib.suppress(WindtunnelError):
            if self._reaper is not None:
                remove_own(DockerHost(), self._installation, self._name)

    def _report(self) -> None:
        offered = self._simulators.now()
        with self._database.transaction() as session:
            new = [
                one.build
                for digest, one in offered.items()
                if self._registered.get(digest) != one.installed_at
            ]
            if new:
                simulators.register_simulators(session, new)
            simulators.report_worker(
                session, self._name, settings.host, settings.slots, list(offered)
            )
        self._registered |= {digest: one.installed_at for digest, one in offered.items()}
        if offered and settings.health_file:
            Path(settings.health_file).touch()

    def _reconcile(self) -> int:
        """End expired leases; how many wake-up messages are pending although slots are idle."""
        with self._database.transaction() as session:
            ended = claims.reconcile(session)
            verifications.reconcile(session)
        if ended:
            log.warning("ended %d expired leases", ended)
        with self._database.transaction() as session:
            idle = claims.startable_runs(session) or int(verifications.waiting(session))
        return notify(idle)

    def _has_idle_slots(self) -> bool:
        """Whether this very worker could do more; others' slots say nothing about its hearing."""
        with self._database.transaction() as session:
            return leases.busy_slots(session, self._name) < settings.slots


def _end_the_worker() -> None:
    """End a main process that hears nothing, for whoever supervises it to start it again.

    After an outage of Redis, Celery's consumer has been seen not to come back: slots were idle and
    messages lay there. Nothing is lost by this: a run in execution is claimed again.
    """
    log.error("messages were not heard for %d s: ending the worker", STALLED_SECONDS)
    os.kill(os.getppid(), signal.SIGKILL)


class _TerminatedError(BaseException):
    pass


def _leave(*_: Any) -> None:
    raise _TerminatedError


if __name__ == "__main__":
    main()
