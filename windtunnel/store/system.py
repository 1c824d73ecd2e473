"""The state of the installation: its schema, workers, queue, database and simulators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from windtunnel.run import RunState
from windtunnel.store import simulators
from windtunnel.store.tables import Campaign, Run, Simulator, Verification, Worker


@dataclass(frozen=True)
class Queue:
    """Numbers of runs and of open verifications, and how long the oldest queued run has waited."""

    queued: int
    running: int
    oldest_queued_seconds: float | None
    verifications: int


@dataclass(frozen=True)
class DatabaseSize:
    bytes: int
    campaigns: int
    runs: int


@dataclass(frozen=True)
class System:
    schema_version: str
    workers: Sequence[Worker]
    queue: Queue
    database: DatabaseSize
    simulators: Sequence[Simulator]


def system(session: Session) -> System:
    """Read everything in one transaction. Counts all runs: not for every request."""
    age = func.extract("epoch", func.now() - func.min(Run.created_at))
    rows = session.execute(select(Run.state, func.count(), age).group_by(Run.state)).all()
    counts = {state: count for state, count, _ in rows}
    ages = {state: float(seconds) for state, _, seconds in rows}
    open_verifications = select(func.count()).where(Verification.state.in_(["queued", "running"]))
    installed = select(Simulator).where(Simulator.installed)
    return System(
        schema_version=session.scalars(text("SELECT version_num FROM alembic_version")).one(),
        workers=simulators.workers(session),
        queue=Queue(
            queued=counts.get(RunState.QUEUED, 0),
            running=counts.get(RunState.RUNNING, 0),
            oldest_queued_seconds=ages.get(RunState.QUEUED),
            verifications=session.scalar(open_verifications) or 0,
        ),
        database=DatabaseSize(
            bytes=session.scalar(text("SELECT pg_database_size(current_database())")) or 0,
            campaigns=session.scalar(select(func.count()).select_from(Campaign)) or 0,
            runs=sum(counts.values()),
        ),
        simulators=session.scalars(
            installed.order_by(Simulator.name, Simulator.installed_at.desc(), Simulator.digest)
        ).all(),
    )
