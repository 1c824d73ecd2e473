"""Beside every worker's pool: registers what it offers, ends expired leases, rings for the idle."""

from __future__ import annotations

import logging
import signal
import time
from pathlib import Path
from typing import Any

from windtunnel.store import claims, simulators, verifications
from windtunnel.store.database import Database
from windtunnel_worker.app import settings, worker_name
from windtunnel_worker.bell import ring
from windtunnel_worker.offers import installed_simulators

log = logging.getLogger(__name__)


def main() -> None:
    """Until terminated: one short transaction after another, so that a restart loses nothing."""
    signal.signal(signal.SIGTERM, _leave)
    database = Database(settings.database_url, pool_size=1)
    offered = installed_simulators(Path(settings.simulators))
    registered = False
    try:
        while True:
            try:
                with database.transaction() as session:
                    if not registered:
                        offers = [one.offer for one in offered.values()]
                        simulators.register_simulators(session, offers)
                    simulators.report_worker(
                        session, worker_name(), settings.host, settings.slots, list(offered)
                    )
                registered = True
                _reconcile(database)
            except Exception as error:  # whatever it is, the next round may be better
                log.warning("the reconciler tries again: %s", error)
            time.sleep(settings.reconcile_seconds)
    except _TerminatedError:
        with database.transaction() as session:
            simulators.forget_worker(session, worker_name())


def _reconcile(database: Database) -> None:
    with database.transaction() as session:
        ended = claims.reconcile(session)
        verifications.reconcile(session)
    if ended:
        log.warning("ended %d expired leases", ended)
    with database.transaction() as session:
        idle = claims.idle_slots(session) or int(verifications.waiting(session))
    ring(idle)


class _TerminatedError(BaseException):
    pass


def _leave(*_: Any) -> None:
    raise _TerminatedError


if __name__ == "__main__":
    main()
