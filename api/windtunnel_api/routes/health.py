"""Is it alive, and could it do something?"""

from __future__ import annotations

from fastapi import APIRouter

from windtunnel.errors import UnavailableError
from windtunnel.store import simulators
from windtunnel_api.dependencies import CurrentBell, Reading
from windtunnel_api.schemas import Health, Ready, WorkerOut

router = APIRouter(tags=["service"])


@router.get("/health")
def health() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/ready")
def ready(session: Reading, bell: CurrentBell, worker: bool = False) -> Ready:
    """PostgreSQL and Redis answer; with ``worker``, somebody offers a simulator too."""
    bell.ping()
    there = [WorkerOut.model_validate(row) for row in simulators.workers(session)]
    if worker and not any(one.simulators for one in there):
        raise UnavailableError("no worker offers a simulator yet")
    return Ready(status="ready", workers=there)
