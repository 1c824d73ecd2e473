"""Is it alive, could it do something, and who works for it?"""

from __future__ import annotations

from fastapi import APIRouter

from windtunnel.errors import UnavailableError
from windtunnel.store import simulators
from windtunnel_api.authorization import PUBLIC, READ
from windtunnel_api.dependencies import CurrentWakeup, Reading
from windtunnel_api.schemas import Health, Ready, WorkerOut, WorkersOut

router = APIRouter(tags=["service"])


@router.get("/health", dependencies=PUBLIC)
def health() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/ready", dependencies=PUBLIC)
def ready(session: Reading, wakeup: CurrentWakeup, worker: bool = False) -> Ready:
    """PostgreSQL and Redis answer; with ``worker``, somebody offers a simulator too."""
    wakeup.ping()
    if not any(one.simulators for one in simulators.workers(session)) and worker:
        raise UnavailableError("no worker offers a simulator yet")
    return Ready(status="ready")


@router.get("/workers", dependencies=READ)
def workers(session: Reading) -> WorkersOut:
    """Workers that were heard of in the last seconds, and what they offer."""
    found = [WorkerOut.model_validate(row) for row in simulators.workers(session)]
    return WorkersOut(workers=found)
