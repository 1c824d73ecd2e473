"""Removes containers of this installation on this host that have lost their lease."""

from __future__ import annotations

import logging
import time

from windtunnel import logs
from windtunnel.store import leases
from windtunnel.store.database import Database
from windtunnel.store.tables import Leased, Run, Verification
from windtunnel_worker.docker_host import DockerHost
from windtunnel_worker.docker_launcher import DESCRIBE, INSTALLATION, WORKER

log = logging.getLogger(__name__)

RUN = "windtunnel.run"
VERIFICATION = "windtunnel.verification"
ATTEMPT = "windtunnel.attempt"
_DESCRIBE_SECONDS = 120
_TABLES: dict[str, type[Leased]] = {RUN: Run, VERIFICATION: Verification}


class Reaper:
    """Removes orphaned containers in every round of the reconciler.

    A container is created after its lease is taken and removed before the lease is released. A
    container without a lease has therefore lost its worker (killed, frozen or disconnected).
    """

    def __init__(self, host: DockerHost, database: Database, installation: str) -> None:
        self._host = host
        self._database = database
        self._installation = installation
        self._first_seen: dict[str, float] = {}

    def reap(self) -> int:
        """Remove orphans and return their number.

        Raises DockerUnavailableError or UnavailableError.
        """
        containers = self._host.containers({INSTALLATION: self._installation})
        self._first_seen = {
            container: self._first_seen.get(container, time.monotonic()) for container in containers
        }
        orphans = [
            container
            for container, labels in containers.items()
            if self._is_stale_describe(container, labels)
        ]
        orphans += self._without_lease(containers)
        for container in orphans:
            with logs.fields(**_log_fields(containers[container])):
                log.warning("removing orphaned container %s", container[:12])
            self._host.remove(container)
        return len(orphans)

    def _is_stale_describe(self, container: str, labels: dict[str, str]) -> bool:
        """Whether this is a ``describe`` container that has exceeded its time limit."""
        return DESCRIBE in labels and self._age(container) > _DESCRIBE_SECONDS

    def _age(self, container: str) -> float:
        return time.monotonic() - self._first_seen[container]

    def _without_lease(self, containers: dict[str, dict[str, str]]) -> list[str]:
        orphans: list[str] = []
        with self._database.transaction() as session:
            for kind, table in _TABLES.items():
                container_leases = {
                    container: (labels[kind], int(labels[ATTEMPT]))
                    for container, labels in containers.items()
                    if kind in labels
                }
                if not container_leases:
                    continue
                active = leases.active(session, table, list(container_leases.values()))
                orphans += [
                    container
                    for container, lease in container_leases.items()
                    if lease not in active
                ]
        return orphans


def _log_fields(labels: dict[str, str]) -> dict[str, str]:
    names = {"run": RUN, "verification": VERIFICATION, "attempt": ATTEMPT}
    return {name: labels[label] for name, label in names.items() if label in labels}


def remove_containers_of(host: DockerHost, installation: str, worker: str) -> None:
    """Remove all containers of a worker that is shutting down."""
    for container in host.containers({INSTALLATION: installation, WORKER: worker}):
        host.remove(container)
