"""Routes for liveness, readiness, the list of workers and the state of the installation."""

from __future__ import annotations

from fastapi import APIRouter, Request

from windtunnel import __version__
from windtunnel.errors import UnavailableError
from windtunnel.store import simulators, system
from windtunnel_api.authorization import ADMIN, PUBLIC, READ
from windtunnel_api.dependencies import CurrentWakeup, ReadSession
from windtunnel_api.service_schemas import Health, Ready, SystemOut, WorkerOut, WorkersOut

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


@router.get("/system", dependencies=ADMIN)
def show_system(request: Request, session: ReadSession) -> SystemOut:
    """Show versions, workers, the queue, the database's size and the installed simulators."""
    state = system.system(session)
    return SystemOut.model_validate(
        {
            "version": __version__,
            "started_at": request.app.state.started_at,
            **{name: getattr(state, name) for name in state.__dataclass_fields__},
        }
    )
