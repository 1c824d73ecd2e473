"""Which simulators there are, and which workers offer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from windtunnel.errors import NotFoundError, Problem, SpecError
from windtunnel.spec.description import Description
from windtunnel.store.tables import Installation, Simulator, Worker

# A worker that was silent for so long is taken off the list.
WORKER_MEMORY = timedelta(seconds=20)


@dataclass(frozen=True)
class Offer:
    """An installed simulator: what it is and when it was installed."""

    description: Description
    installed_at: datetime


def installation_id(session: Session) -> str:
    """What tells this installation's containers from those of others on the same host."""
    return session.scalars(select(Installation.id)).one()


def register_simulators(session: Session, offers: Sequence[Offer]) -> None:
    """Make simulators known; a build that is installed again becomes the newest again."""
    for offer in offers:
        row = {
            "digest": offer.description.digest,
            "name": offer.description.name,
            "description": dict(offer.description.raw),
            "installed_at": offer.installed_at,
        }
        session.execute(
            insert(Simulator)
            .values(row)
            .on_conflict_do_update(
                index_elements=[Simulator.digest], set_={"installed_at": offer.installed_at}
            )
        )


def report_worker(
    session: Session, name: str, host: str, slots: int, digests: Sequence[str]
) -> None:
    """Say that a worker is there."""
    values = {"host": host, "slots": slots, "simulators": list(digests)}
    session.execute(
        insert(Worker)
        .values(name=name, seen_at=func.now(), **values)
        .on_conflict_do_update(index_elements=[Worker.name], set_={**values, "seen_at": func.now()})
    )
    session.execute(delete(Worker).where(Worker.seen_at < func.now() - WORKER_MEMORY))


def forget_worker(session: Session, name: str) -> None:
    session.execute(delete(Worker).where(Worker.name == name))


def workers(session: Session) -> Sequence[Worker]:
    """Workers heard of lately, by name."""
    query = select(Worker).where(Worker.seen_at >= func.now() - WORKER_MEMORY)
    return session.scalars(query.order_by(Worker.name)).all()


def find_simulator(session: Session, name: str, digest_prefix: str | None = None) -> Description:
    """The newest build of a simulator, or the one pinned. Raises SpecError naming what there is."""
    query = select(Simulator).where(Simulator.name == name)
    if digest_prefix:
        query = query.where(Simulator.digest.startswith(digest_prefix, autoescape=True))
    found = session.scalars(query.order_by(Simulator.installed_at.desc()).limit(1)).first()
    if found is not None:
        return Description.from_document(found.description)
    names = sorted(set(session.scalars(select(Simulator.name)).all()))
    asked = f"{name}@{digest_prefix}" if digest_prefix else name
    if not names:
        raise SpecError([Problem("simulator", f"{asked!r}: no worker has offered a simulator yet")])
    raise SpecError(
        [Problem("simulator", f"no worker has offered {asked!r}; known: {', '.join(names)}")]
    )


def simulator_with_digest(session: Session, digest: str) -> Description:
    """Raises NotFoundError for a digest that was never registered."""
    row = session.get(Simulator, digest)
    if row is None:
        raise NotFoundError(f"no simulator with the digest {digest} is known")
    return Description.from_document(row.description)


def newest_simulators(session: Session) -> list[Description]:
    """The newest build of every simulator, by name."""
    query = (
        select(Simulator)
        .ext(distinct_on(Simulator.name))
        .order_by(Simulator.name, Simulator.installed_at.desc())
    )
    return [Description.from_document(row.description) for row in session.scalars(query)]
