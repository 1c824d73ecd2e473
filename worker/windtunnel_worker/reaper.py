"""Ends containers of this installation on this host whose lease nobody holds any more."""

from __future__ import annotations

import logging
import time

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
    """Looks at every round of the reconciler.

    A container is made after its lease and removed before the lease ends, so that one without a
    lease has lost its worker (killed, frozen, cut off), and another attempt is on its way.
    """

    def __init__(self, host: DockerHost, database: Database, installation: str) -> None:
        self._host = host
        self._database = database
        self._installation = installation
        self._first_seen: dict[str, float] = {}

    def reap(self) -> int:
        """Remove orphans; how many. Raises DockerUnavailableError or UnavailableError."""
        found = self._host.containers({INSTALLATION: self._installation})
        self._first_seen = {
            container: self._first_seen.get(container, time.monotonic()) for container in found
        }
        orphans = [
            container for container, labels in found.items() if self._is_old(container, labels)
        ]
        orphans += self._without_lease(found)
        for container in orphans:
            log.warning("removing the orphaned container %s", container[:12])
            self._host.remove(container)
        return len(orphans)

    def _is_old(self, container: str, labels: dict[str, str]) -> bool:
        """Whether it describes for so long that nobody can be waiting for it."""
        return DESCRIBE in labels and self._age(container) > _DESCRIBE_SECONDS

    def _age(self, container: str) -> float:
        return time.monotonic() - self._first_seen[container]

    def _without_lease(self, found: dict[str, dict[str, str]]) -> list[str]:
        orphans: list[str] = []
        with self._database.transaction() as session:
            for kind, table in _TABLES.items():
                labelled = {
                    container: (labels[kind], int(labels[ATTEMPT]))
                    for container, labels in found.items()
                    if kind in labels
                }
                held = leases.active(session, table, list(labelled.values())) if labelled else set()
                orphans += [one for one, lease in labelled.items() if lease not in held]
        return orphans


def remove_own(host: DockerHost, installation: str, worker: str) -> None:
    """End the containers of one worker, which is about to leave."""
    for container in host.containers({INSTALLATION: installation, WORKER: worker}):
        host.remove(container)
