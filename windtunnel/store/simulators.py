"""Which simulators there are, and which workers offer them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.errors import ContractError, Problem, SpecError
from windtunnel.spec.campaign import split_reference
from windtunnel.spec.description import Description
from windtunnel.store.tables import Installation, Simulator, Worker
from windtunnel.variants import build_hint

# A worker that was silent for so long is taken off the list.
WORKER_MEMORY = timedelta(seconds=20)


# How many builds of a name are looked at for one whose contract this version understands.
_MOST_LOOKED_AT = 20


@dataclass(frozen=True)
class AvailableBuild:
    """A build that can be executed: what it is, when it was compiled and installed."""

    description: Description
    installed_at: datetime
    built_at: datetime | None = None


def installation_id(session: Session) -> str:
    """What tells this installation's containers from those of others on the same host."""
    return session.scalars(select(Installation.id)).one()


def register_simulators(session: Session, builds: Sequence[AvailableBuild]) -> None:
    """Make builds known; one that is installed again becomes the newest again."""
    for build in builds:
        known = {
            "installed_at": build.installed_at,
            "built_at": build.built_at,
            "installed": True,
        }
        row = {
            "digest": build.description.digest,
            "name": build.description.name,
            "description": dict(build.description.raw),
            **known,
        }
        session.execute(
            insert(Simulator)
            .values(row)
            .on_conflict_do_update(index_elements=[Simulator.digest], set_=known)
        )


def reset_simulators(session: Session, builds: Sequence[AvailableBuild]) -> None:
    """For a service that is the only one on its database and has no worker yet.

    Exactly these builds are installed, and workers of the time before are forgotten: what they
    offered says nothing about what can be executed now.
    """
    session.execute(delete(Worker))
    session.execute(update(Simulator).values(installed=False))
    register_simulators(session, builds)


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


def find_simulators(session: Session, references: Mapping[str, str]) -> dict[str, Description]:
    """The build that each reference (``ns3``, ``ns3@digest``) means now.

    ``references`` gives the field that each stands in. Raises SpecError with a problem for every
    one that is not known.
    """
    found: dict[str, Description] = {}
    problems = []
    for reference, path in references.items():
        name, digest = split_reference(reference)
        build = _newest(session, name, digest)
        if build is None:
            problems.append(Problem(path, _why_unknown(session, name, reference)))
        else:
            found[reference] = build
    if problems:
        raise SpecError(problems)
    return found


def find_simulator(session: Session, reference: str, path: str = "simulator") -> Description:
    """The same for one reference."""
    return find_simulators(session, {reference: path})[reference]


def _newest(session: Session, name: str, digest: str | None) -> Description | None:
    """The newest build of a name that workers offer; if none does, the newest that is known."""
    offered = [digest for worker in workers(session) for digest in worker.simulators]
    query = select(Simulator).where(Simulator.name == name)
    if digest:
        query = query.where(Simulator.digest.startswith(digest, autoescape=True))
    newest_first = query.order_by(
        Simulator.digest.in_(offered).desc(),
        Simulator.installed.desc(),
        Simulator.installed_at.desc(),
    ).limit(_MOST_LOOKED_AT)
    return next(iter(_readable(session.scalars(newest_first))), None)


def _why_unknown(session: Session, name: str, reference: str) -> str:
    known = sorted(set(session.scalars(select(Simulator.name)).all()))
    names = f"; known: {', '.join(known)}" if known else ""
    if name in known:
        return f"no build {reference!r} was ever offered{names}"
    return f"{reference!r} is not a simulator that a worker offers{names}{build_hint(name)}"


def newest_simulators(session: Session) -> list[Description]:
    """The build that each name means now, by name."""
    names = session.scalars(
        select(Simulator.name).where(Simulator.installed).distinct().order_by(Simulator.name)
    )
    found = (_newest(session, name, None) for name in names.all())
    return [description for description in found if description is not None]


def _readable(rows: Iterable[Simulator]) -> Iterator[Description]:
    """Descriptions of a contract that this version understands; others can't be planned with."""
    for row in rows:
        with suppress(ContractError):
            yield Description.from_document(row.description)
