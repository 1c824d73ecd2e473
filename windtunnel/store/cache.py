"""Finished runs and complete campaigns, saved to a file and restored into another database.

A run is recognized by its identity (windtunnel.plan.identity), so that a campaign in the other
database finds it and does not execute it again.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import rfc8785
from sqlalchemy import DateTime, LargeBinary, Select, Table, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.cache_file import CacheWriter
from windtunnel.errors import ConflictError, DamagedFileError
from windtunnel.plan import cell_digest, run_identity
from windtunnel.run import RunState
from windtunnel.store import controller, locks
from windtunnel.store.labels import has_labels, is_complete
from windtunnel.store.tables import (
    Attempt,
    Base,
    Campaign,
    CampaignRun,
    Cell,
    CheckRow,
    MetricRow,
    RecordColumn,
    Run,
    Scenario,
    SeriesRow,
    Simulator,
    Submitter,
)

_BATCH = 100
# What a run has in other tables.
_PARTS: Mapping[str, type[Base]] = {
    "attempts": Attempt,
    "metrics": MetricRow,
    "series": SeriesRow,
    "records": RecordColumn,
    "checks": CheckRow,
}
# Of a worker's lease, of a submission and of a turn: they mean nothing elsewhere.
_LOCAL = frozenset(
    {
        *("lease_owner", "lease_until", "charged_to", "leased_at", "cancel_requested"),
        *("idempotency_key", "last_turn", "superseded_by"),
    }
)


# Columns of a run that a file leaves out where they are null.
_OPTIONAL = tuple(column.name for column in Run.__table__.columns if column.nullable)


@dataclass(frozen=True)
class Contents:
    """What a file has. ``known`` of its runs were in the database already when it was restored."""

    runs: int
    campaigns: int
    known: int = 0


@dataclass(frozen=True)
class Selection:
    """Which campaigns to save: the ``newest`` ones that have all of these labels.

    Without both, everything is saved, also runs that no complete campaign contains.
    """

    labels: Mapping[str, str]
    newest: int | None = None

    @property
    def everything(self) -> bool:
        return not self.labels and self.newest is None


def schema_version(session: Session) -> str:
    """The version of the tables, which a file has in its header."""
    return str(session.scalar(text("SELECT version_num FROM alembic_version")))


def save(session: Session, writer: CacheWriter, selection: Selection) -> Contents:
    """Write runs that succeeded, and campaigns of which all did. The caller closes the writer."""
    campaigns = list(session.scalars(_campaigns(selection)))
    runs = list(session.scalars(_runs(selection, campaigns)))
    # As one array: a statement takes at most 65,535 parameters.
    saved = Run.id == func.any(runs)
    builds = session.scalars(select(Run.simulator_digest).where(saved).distinct()).all()
    _write(session, writer, "simulator", Simulator, Simulator.digest.in_(builds))
    scenarios = sorted(session.scalars(select(Run.scenario_digest).where(saved).distinct()))
    for digests in _batches(scenarios):
        _write(session, writer, "scenario", Scenario, Scenario.digest.in_(digests))
    for ids in _batches(runs):
        for entry in _run_entries(session, ids):
            writer.write("run", entry)
    for id_ in campaigns:
        writer.write("campaign", _campaign_entry(session, id_))
    return Contents(len(runs), len(campaigns))


def restore(session: Session, entries: Iterable[tuple[str, dict[str, Any]]]) -> Contents:
    """Add the entries of a file; what is there already stays as it is.

    Raises DamagedFileError for an entry that is not what its identity says, and ConflictError for a
    run that has other records here. The transaction must then be rolled back.
    """
    locks.lock_runs_exclusive(session)
    runs, known, campaigns = 0, 0, 0
    batch: list[dict[str, Any]] = []
    for kind, fields in entries:
        try:
            if kind == "run":
                _check_run(fields)
                batch.append(fields)
                runs += 1
                if len(batch) < _BATCH:
                    continue
            known += _add_runs(session, batch)
            batch = []
            if kind == "campaign":
                _add_campaign(session, fields)
                campaigns += 1
            elif kind == "scenario":
                _check_scenario(fields)
                _add(session, Scenario, [fields])
            elif kind == "simulator":
                # A worker that offers the build says that it is installed.
                _add(session, Simulator, [{**fields, "installed": False}])
            elif kind != "run":
                raise DamagedFileError(f"it has an entry of the unknown kind {kind!r}")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFileError(f"an entry ({kind}) lacks a field or has a wrong one") from error
    known += _add_runs(session, batch)
    return Contents(runs, campaigns, known)


def _campaigns(selection: Selection) -> Select[str]:
    """Ids, the oldest first."""
    query = select(Campaign.id, Campaign.created_at).where(is_complete())
    if selection.labels:
        query = query.where(has_labels(selection.labels))
    if selection.newest is not None:
        query = query.order_by(Campaign.created_at.desc(), Campaign.id.desc())
        query = query.limit(selection.newest)
    chosen = query.subquery()
    return select(chosen.c.id).order_by(chosen.c.created_at, chosen.c.id)


def _runs(selection: Selection, campaigns: Sequence[str]) -> Select[str]:
    query = select(Run.id).where(Run.state == RunState.SUCCEEDED).order_by(Run.id)
    if selection.everything:
        return query
    of_campaign = CampaignRun.campaign_id == func.any(campaigns)
    contained = select(CampaignRun.run_id).where(of_campaign)
    return query.where(Run.id.in_(contained))


def _write(session: Session, writer: CacheWriter, kind: str, table: type[Base], where: Any) -> None:
    for row in _rows(session, table, where):
        writer.write(kind, row)


def _rows(session: Session, table: type[Base], where: Any) -> Iterator[dict[str, Any]]:
    """Rows by column; without columns that are null or local."""
    for row in session.execute(select(_table(table)).where(where)):
        fields = row._mapping.items()
        yield {name: value for name, value in fields if value is not None and name not in _LOCAL}


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


def _run_entries(session: Session, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = {
        row["id"]: {"run": row, **{name: [] for name in _PARTS}}
        for row in _rows(session, Run, Run.id.in_(ids))
    }
    for name, table in _PARTS.items():
        for row in _rows(session, table, _table(table).c.run_id.in_(ids)):
            entry = entries[row.pop("run_id")]
            # Earlier attempts are of no use to anybody else.
            if table is not Attempt or row["number"] == entry["run"]["attempt"]:
                entry[name].append(row)
    yield from (entries[id_] for id_ in ids)


def _campaign_entry(session: Session, id_: str) -> dict[str, Any]:
    (campaign,) = _rows(session, Campaign, Campaign.id == id_)
    return {
        "campaign": campaign,
        "cells": list(_rows(session, Cell, Cell.campaign_id == id_)),
        "runs": list(_rows(session, CampaignRun, CampaignRun.campaign_id == id_)),
    }


def _check_scenario(fields: Mapping[str, Any]) -> None:
    if cell_digest([rfc8785.dumps(fields["body"])]) != fields["digest"]:
        raise DamagedFileError(f"the scenario {fields['digest'][:12]} has another digest")


def _check_run(entry: Mapping[str, Any]) -> None:
    run = entry["run"]
    identity = run_identity(run["scenario_digest"], run["seed_index"], run["simulator_digest"])
    records = hashlib.sha256(base64.b64decode(run["record_digests"])).hexdigest()
    if run["id"] != identity or run["digest"] != records or run["state"] != RunState.SUCCEEDED:
        raise DamagedFileError(f"the run {run['id'][:12]} does not match its digests")


def _add_runs(session: Session, entries: Sequence[Mapping[str, Any]]) -> int:
    """Add runs that have not succeeded here yet. Returns how many have."""
    if not entries:
        return 0
    by_id = {entry["run"]["id"]: entry for entry in entries}
    found = session.execute(
        select(Run.id, Run.state, Run.digest).where(Run.id.in_(by_id)).order_by(Run.id)
        .with_for_update()
    ).all()  # fmt: skip
    known = 0
    for id_, state, digest in found:
        if state != RunState.SUCCEEDED:
            continue
        known += 1
        entry = by_id.pop(id_)
        if entry["run"]["digest"] != digest:
            raise ConflictError(
                f"the run {id_[:12]} has other records in the file than here; to see which are "
                f"right: windtunnel verify {id_[:12]}"
            )
    unfinished = [id_ for id_, state, _ in found if state != RunState.SUCCEEDED]
    for table in _PARTS.values():
        session.execute(delete(table).where(_table(table).c.run_id.in_(unfinished)))
    for id_ in unfinished:
        values = {**dict.fromkeys(_OPTIONAL), **_values(Run, by_id[id_]["run"])}
        values["cancel_requested"] = False
        session.execute(update(_table(Run)).where(Run.id == id_).values(**values))
    _add(session, Run, [entry["run"] for id_, entry in by_id.items() if id_ not in unfinished])
    for name, table in _PARTS.items():
        parts = [{"run_id": id_, **row} for id_, entry in by_id.items() for row in entry[name]]
        _add(session, table, parts)
    sharing = select(CampaignRun.campaign_id).where(CampaignRun.run_id.in_(unfinished)).distinct()
    controller.step(session, sorted(session.scalars(sharing)))
    return known


def _add_campaign(session: Session, entry: Mapping[str, Any]) -> None:
    campaign = entry["campaign"]
    if session.get(Campaign, campaign["id"]) is not None:
        return
    _add(session, Submitter, [{"name": campaign["submitted_by"]}])
    _add(session, Campaign, [campaign])
    _add(session, Cell, entry["cells"])
    _add(session, CampaignRun, entry["runs"])


def _add(session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows; those whose key is there already stay as they are."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(sorted(row)), []).append(_values(table, row))
    for group in groups.values():  # of the same columns
        session.execute(insert(_table(table)).on_conflict_do_nothing(), group)


def _values(table: type[Base], row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a file with the types of its columns. Raises KeyError for an unknown column."""
    return {name: _value(_table(table).c[name].type, value) for name, value in row.items()}


def _value(column: Any, value: Any) -> Any:
    if isinstance(column, LargeBinary):
        return base64.b64decode(value)
    return datetime.fromisoformat(value) if isinstance(column, DateTime) else value


def _table(table: type[Base]) -> Table:
    found = table.__table__
    assert isinstance(found, Table)
    return found
