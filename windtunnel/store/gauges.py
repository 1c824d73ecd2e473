"""What a monitoring system watches: the queue, leases, workers, outcomes, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from windtunnel.store import claims, leases
from windtunnel.store.simulators import workers
from windtunnel.store.tables import Base, Run


@dataclass(frozen=True)
class Gauges:
    """One reading. Ages are in seconds, sizes in bytes.

    ``runs`` counts stored runs by state and reason of failure (empty unless failed), ``events``
    sums what they simulated. ``earliest_lease`` is the time until the first lease of a run in
    execution expires: negative if its worker was lost and nobody has taken it over yet.
    """

    runs: Mapping[tuple[str, str], int]
    events: float
    claimable_runs: int
    oldest_queued_age: float
    earliest_lease: float
    workers: int
    slots: int
    busy_slots: int
    database_bytes: int
    table_bytes: Mapping[str, int]


def read(session: Session) -> Gauges:
    """Read all gauges in one transaction."""
    reason = func.coalesce(Run.failure, "")
    rows = session.execute(
        select(Run.state, reason, func.count(), func.coalesce(func.sum(Run.events), 0)).group_by(
            Run.state, reason
        )
    ).all()
    queued_age = func.extract("epoch", func.now() - func.min(Run.created_at))
    earliest = func.extract("epoch", func.min(Run.lease_until) - func.now())
    alive = workers(session)
    return Gauges(
        runs={(state, failure): count for state, failure, count, _ in rows},
        events=float(sum(events for *_, events in rows)),
        claimable_runs=claims.startable_runs(session),
        oldest_queued_age=_seconds(session, queued_age, "queued"),
        earliest_lease=_seconds(session, earliest, "running"),
        workers=len(alive),
        slots=sum(worker.slots for worker in alive),
        busy_slots=leases.busy_slots(session),
        database_bytes=session.scalar(text("SELECT pg_database_size(current_database())")) or 0,
        table_bytes=_table_bytes(session),
    )


def _seconds(session: Session, time: Any, state: str) -> float:
    """A time over the runs in a state; 0 without any."""
    return float(session.scalar(select(time).where(Run.state == state)) or 0)


def _table_bytes(session: Session) -> dict[str, int]:
    names = list(Base.metadata.tables)
    query = text(
        "SELECT relname, pg_total_relation_size(oid) AS size FROM pg_class"
        " WHERE relkind = 'r' AND relname = ANY(:names)"
    )
    return {row.relname: row.size for row in session.execute(query, {"names": names})}
