"""The process beside each worker's pool: reports the worker, ends expired leases, wakes workers,
prunes, sends webhooks.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from windtunnel import logs
from windtunnel.errors import ProtocolError, QuotaExceededError, WindtunnelError
from windtunnel.store import claims, leases, simulators, stopping, verifications
from windtunnel.store.database import Database
from windtunnel_worker.app import settings, worker_name
from windtunnel_worker.docker_host import DockerHost
from windtunnel_worker.docker_launcher import DockerImages
from windtunnel_worker.launchers import available_simulators
from windtunnel_worker.notifier import Notifier
from windtunnel_worker.pruner import Pruner
from windtunnel_worker.reaper import Reaper, remove_containers_of
from windtunnel_worker.simulators import SimulatorRegistry
from windtunnel_worker.supervisor import BEAT_FD
from windtunnel_worker.wakeup import clean, notify

log = logging.getLogger(__name__)

STALLED_SECONDS = 15


def main() -> None:
    """Run rounds of short transactions until terminated; a restart loses no state."""
    signal.signal(signal.SIGTERM, _terminate)
    logs.configure(settings.log_level, settings.log_format)
    database = Database(settings.database_url, pool_size=1)
    name = worker_name(os.getppid())
    Notifier(
        Database(settings.database_url, pool_size=1),
        settings.webhook_secret,
        bool(settings.webhook_allow_private),
        settings.public_url,
        settings.max_runs,
        settings.reconcile_seconds,
    ).start()
    reconciler: Reconciler | None = None
    try:
        while True:
            try:
                reconciler = reconciler or Reconciler(database, name)
                reconciler.round()
            except ProtocolError as error:
                log.critical("%s; the worker ends", error)
                os.kill(os.getppid(), signal.SIGTERM)
            except Exception as error:  # the next round may succeed
                log.warning("reconciler round failed, retrying: %s", error)
            _beat()
            time.sleep(settings.reconcile_seconds)
    except _TerminatedError:
        if reconciler is not None:
            reconciler.shut_down()


class Reconciler:
    """The reconciler of one worker. Raises WindtunnelError from the database and Docker."""

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
        self._pruner = Pruner(database, settings.retention, settings.retention_check_seconds)
        self._registered: dict[str, datetime] = {}
        self._stalled_since: float | None = None

    def round(self) -> None:
        """Do one round: report, add seeds, reconcile, restart a stalled worker, prune.

        Raises ProtocolError if the database was migrated for another version of workers.
        """
        with self._database.transaction() as session:
            simulators.check_protocol(session)
        self._report()
        self._add_seeds()
        pending = self._reconcile() > 0 and self._has_idle_slots()
        self._stalled_since = (self._stalled_since or time.monotonic()) if pending else None
        if self._stalled_since and time.monotonic() - self._stalled_since > STALLED_SECONDS:
            _kill_worker()
        if self._reaper is not None:
            self._reaper.reap()
        self._pruner.round()

    def shut_down(self) -> None:
        """After the pool has exited: release leases, unregister the worker, remove containers."""
        with contextlib.suppress(WindtunnelError), self._database.transaction() as session:
            claims.release_all(session, self._name)
            verifications.release_all(session, self._name)
            simulators.forget_worker(session, self._name)
        with contextlib.suppress(WindtunnelError):
            if self._reaper is not None:
                remove_containers_of(DockerHost(), self._installation, self._name)

    def _report(self) -> None:
        available = self._simulators.now()
        with self._database.transaction() as session:
            new_builds = [
                simulator.build
                for digest, simulator in available.items()
                if self._registered.get(digest) != simulator.installed_at
            ]
            if new_builds:
                simulators.register_simulators(session, new_builds)
            simulators.report_worker(
                session, self._name, settings.host, settings.slots, list(available)
            )
        self._registered |= {
            digest: simulator.installed_at for digest, simulator in available.items()
        }
        if available and settings.health_file:
            Path(settings.health_file).touch()

    def _reconcile(self) -> int:
        """End expired leases and wake workers. Returns the number of pending wake-up messages."""
        with self._database.transaction() as session:
            capped = leases.cap(session, settings.lease_seconds)
            ended = claims.reconcile(session)
            verifications.reconcile(session)
        if capped:
            log.warning("shortened %d leases: PostgreSQL's clock was set back", capped)
        if ended:
            log.warning("ended %d expired leases", ended)
        with self._database.transaction() as session:
            startable = claims.wakeups(session, settings.quotas)
        clean()
        return notify(startable)

    def _add_seeds(self) -> None:
        """To campaigns whose intervals are not narrow enough yet; those over their quota wait."""
        with self._database.transaction() as session:
            campaign_ids = stopping.waiting(session)
        for campaign_id in campaign_ids:
            with (
                contextlib.suppress(QuotaExceededError),
                self._database.transaction() as session,
            ):
                added = stopping.advance(session, campaign_id, settings.max_runs, settings.quotas)
                log.info("campaign %s: %d runs added", campaign_id, added)

    def _has_idle_slots(self) -> bool:
        """Whether this worker (not some other worker) has idle slots."""
        with self._database.transaction() as session:
            return leases.busy_slots(session, self._name) < settings.slots


def _beat() -> None:
    """Tell the supervisor that this process does not hang."""
    if descriptor := os.environ.get(BEAT_FD):
        os.write(int(descriptor), b".")


def _kill_worker() -> None:
    """Kill a main process that no longer consumes messages; its supervisor restarts it.

    Celery's consumer sometimes does not recover from a Redis outage: slots stay idle while messages
    are pending. No work is lost: a run in execution is claimed again.
    """
    log.error("no messages were consumed for %d s, killing the worker", STALLED_SECONDS)
    os.kill(os.getppid(), signal.SIGKILL)


class _TerminatedError(BaseException):
    pass


def _terminate(*_: Any) -> None:
    raise _TerminatedError


if __name__ == "__main__":
    main()
