"""Routes for liveness, readiness and the list of workers."""

from __future__ import annotations

from fastapi import APIRouter

from windtunnel.errors import UnavailableError
from windtunnel.store import simulators
from windtunnel_api.authorization import PUBLIC, READ
from windtunnel_api.dependencies import CurrentWakeup, ReadSession
from windtunnel_api.schemas import Health, Ready, WorkerOut, WorkersOut

router = APIRouter(tags=["service"])


@router.get("/health", dependencies=PUBLIC)
def health() -> Health:
    """Liveness: the process responds."""
    return Health(status="ok")


@router.get("/ready", dependencies=PUBLIC)
def ready(session: ReadSession, wakeup: CurrentWakeup, worker: bool = False) -> Ready:
    """Readiness: PostgreSQL and Redis respond; with ``worker``, a worker offers a simulator.

    A worker counts while it reports: not if it, or its reconciler, is dead or hangs.
    """
    wakeup.ping()
    offering = [row for row in simulators.workers(session) if row.simulators]
    if worker and not offering:
        raise UnavailableError("no worker offers a simulator")
    return Ready(status="ready", workers=len(offering), slots=sum(row.slots for row in offering))


@router.get("/workers", dependencies=READ)
def workers(session: ReadSession) -> WorkersOut:
    """List live workers and the simulators that they offer."""
    rows = simulators.workers(session)
    return WorkersOut(workers=[WorkerOut.model_validate(row) for row in rows])
