"""Beside every worker's pool: registers what it offers, ends expired leases, rings for the idle."""

from __future__ import annotations

import logging
import os
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

DEAF_SECONDS = 15


def main() -> None:
    """Until terminated: one short transaction after another, so that a restart loses nothing."""
    signal.signal(signal.SIGTERM, _leave)
    database = Database(settings.database_url, pool_size=1)
    offered = installed_simulators(Path(settings.simulators))
    name = worker_name(os.getppid())
    registered = False
    deaf_since: float | None = None
    try:
        while True:
            try:
                with database.transaction() as session:
                    if not registered:
                        offers = [one.offer for one in offered.values()]
                        simulators.register_simulators(session, offers)
                    simulators.report_worker(
                        session,
                        name,
                        settings.host,
                        settings.slots,
                        list(offered),
                    )
                registered = True
                unheard = _reconcile(database) > 0 and _has_idle_slots(database, name)
                deaf_since = (deaf_since or time.monotonic()) if unheard else None
                if deaf_since and time.monotonic() - deaf_since > DEAF_SECONDS:
                    _end_the_worker()
            except Exception as error:  # whatever it is, the next round may be better
                log.warning("the reconciler tries again: %s", error)
            time.sleep(settings.reconcile_seconds)
    except _TerminatedError:
        with database.transaction() as session:
            simulators.forget_worker(session, name)


def _has_idle_slots(database: Database, name: str) -> bool:
    """Whether this very worker could do more; others' slots say nothing about its hearing."""
    with database.transaction() as session:
        return claims.busy_slots(session, name) < settings.slots


def _end_the_worker() -> None:
    """End a main process that hears nothing, for whoever supervises it to start it again.

    After an outage of Redis, Celery's consumer has been seen not to come back: slots were idle and
    messages lay there. Nothing is lost by this: a run in execution is claimed again.
    """
    log.error("messages were not heard for %d s: ending the worker", DEAF_SECONDS)
    os.kill(os.getppid(), signal.SIGKILL)


def _reconcile(database: Database) -> int:
    """One round; how many wake-up messages lie unheard although slots are idle."""
    with database.transaction() as session:
        ended = claims.reconcile(session)
        verifications.reconcile(session)
    if ended:
        log.warning("ended %d expired leases", ended)
    with database.transaction() as session:
        idle = claims.idle_slots(session) or int(verifications.waiting(session))
    return ring(idle)


class _TerminatedError(BaseException):
    pass


def _leave(*_: Any) -> None:
    raise _TerminatedError


if __name__ == "__main__":
    main()
