"""Registry of simulator builds and of the workers that offer them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.errors import ContractError, Problem, ProtocolError, SpecError
from windtunnel.protocol import PROTOCOL
from windtunnel.spec.axes import split_reference
from windtunnel.spec.description import Description
from windtunnel.store.tables import Installation, Simulator, Worker
from windtunnel.suggestions import nearest
from windtunnel.variants import build_hint, is_stock

# A worker that has not reported for this long is removed.
WORKER_MEMORY = timedelta(seconds=20)


# Newest builds of a name that are searched for one with a supported contract.
_MAX_BUILDS_SEARCHED = 20


@dataclass(frozen=True)
class AvailableBuild:
    """A build that can be executed, with the times of its compilation and installation."""

    description: Description
    installed_at: datetime
    built_at: datetime | None = None


def installation_id(session: Session) -> str:
    """Id that distinguishes this installation's containers from others on the same host."""
    return session.scalars(select(Installation.id)).one()


def check_protocol(session: Session) -> None:
    """Raise ProtocolError if the database is one of another version of workers."""
    required = session.scalars(select(Installation.protocol)).one()
    if required != PROTOCOL:
        raise ProtocolError(
            f"this worker speaks protocol {PROTOCOL}, but the database requires {required}: run "
            "workers, API and migrations of the same version"
        )


def register_simulators(session: Session, builds: Sequence[AvailableBuild]) -> None:
    """Register builds; a reinstalled build becomes the newest again."""
    for build in builds:
        times = {
            "installed_at": build.installed_at,
            "built_at": build.built_at,
            "installed": True,
        }
        row = {
            "digest": build.description.digest,
            "name": build.description.name,
            "description": dict(build.description.raw),
            **times,
        }
        session.execute(
            insert(Simulator)
            .values(row)
            .on_conflict_do_update(index_elements=[Simulator.digest], set_=times)
        )


def reset_simulators(session: Session, builds: Sequence[AvailableBuild]) -> None:
    """Mark exactly these builds as installed and delete all workers.

    Only for a service that has its database to itself and has not started a worker yet.
    """
    session.execute(delete(Worker))
    session.execute(update(Simulator).values(installed=False))
    register_simulators(session, builds)


def report_worker(
    session: Session, name: str, host: str, slots: int, digests: Sequence[str]
) -> None:
    """Record a worker's heartbeat and the simulators that it offers; remove silent workers."""
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
    """Workers that have reported recently, sorted by name."""
    query = select(Worker).where(Worker.seen_at >= func.now() - WORKER_MEMORY)
    return session.scalars(query.order_by(Worker.name)).all()


def find_simulators(session: Session, references: Mapping[str, str]) -> dict[str, Description]:
    """Resolve references (``ns3``, ``ns3@digest``) to builds.

    ``references`` maps each reference to its field. Raises SpecError with a problem for every
    unknown reference.
    """
    descriptions: dict[str, Description] = {}
    problems = []
    for reference, path in references.items():
        name, digest = split_reference(reference)
        build = _newest(session, name, digest)
        if build is None:
            problems.append(Problem(path, _unknown_message(session, name, reference)))
        else:
            descriptions[reference] = build
    if problems:
        raise SpecError(problems)
    return descriptions


def find_simulator(session: Session, reference: str, path: str = "simulator") -> Description:
    """Resolve one reference. Raises SpecError."""
    return find_simulators(session, {reference: path})[reference]


def _newest(session: Session, name: str, digest: str | None) -> Description | None:
    """The newest build of a name that a worker offers, else the newest registered build."""
    offered = [digest for worker in workers(session) for digest in worker.simulators]
    query = select(Simulator).where(Simulator.name == name)
    if digest:
        query = query.where(Simulator.digest.startswith(digest, autoescape=True))
    newest_first = query.order_by(
        Simulator.digest.in_(offered).desc(),
        Simulator.installed.desc(),
        Simulator.installed_at.desc(),
    ).limit(_MAX_BUILDS_SEARCHED)
    return next(iter(_supported(session.scalars(newest_first))), None)


def _unknown_message(session: Session, name: str, reference: str) -> str:
    known = sorted(set(session.scalars(select(Simulator.name)).all()))
    names = f"; known simulators: {', '.join(known)}" if known else ""
    if name in known:
        return f"unknown build {reference!r}: no worker has ever offered it{names}"
    # Close to a known name: a misspelling. Otherwise it may be one that has not been built yet.
    misspelt = not is_stock(name) and bool(difflib.get_close_matches(name, known, cutoff=0.8))
    hint = nearest(name, known) if misspelt else build_hint(name) or nearest(name, known)
    return f"unknown simulator {reference!r}: no worker offers it{names}{hint}"


def newest_simulators(session: Session) -> list[Description]:
    """The newest build of each installed simulator, sorted by name."""
    names = session.scalars(
        select(Simulator.name).where(Simulator.installed).distinct().order_by(Simulator.name)
    )
    newest = (_newest(session, name, None) for name in names.all())
    return [description for description in newest if description is not None]


def _supported(rows: Iterable[Simulator]) -> Iterator[Description]:
    """Descriptions with a contract version that this version supports."""
    for row in rows:
        with suppress(ContractError):
            yield Description.from_document(row.description)
