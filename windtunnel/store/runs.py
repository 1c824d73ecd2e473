"""What is kept of single runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from windtunnel.errors import NotFoundError
from windtunnel.store.tables import (
    Attempt,
    CheckRow,
    MetricRow,
    Run,
    Scenario,
    SeriesRow,
)


def run_spec(session: Session, run: Run) -> dict[str, Any]:
    """What a simulator is given for this run: enough to do it again without this service.

    Raises NotFoundError if the run was deleted meanwhile.
    """
    scenario = session.get(Scenario, run.scenario_digest)
    if scenario is None:
        raise NotFoundError(f"run {run.id} was deleted")
    return {
        "simulator": run.simulator_name,
        "seed_index": run.seed_index,
        "scenario": scenario.body,
    }


def metrics(session: Session, run_id: str) -> Sequence[MetricRow]:
    query = select(MetricRow).where(MetricRow.run_id == run_id).order_by(MetricRow.name)
    return session.scalars(query).all()


def checks(session: Session, run_id: str) -> Sequence[CheckRow]:
    return session.scalars(select(CheckRow).where(CheckRow.run_id == run_id)).all()


def attempts(session: Session, run_id: str) -> Sequence[Attempt]:
    query = select(Attempt).where(Attempt.run_id == run_id).order_by(Attempt.number)
    return session.scalars(query).all()


def series_list(session: Session, run_id: str) -> Sequence[SeriesRow]:
    """All series of a run without their values, the fullest first."""
    query = (
        select(SeriesRow)
        .where(SeriesRow.run_id == run_id)
        .options(defer(SeriesRow.data), defer(SeriesRow.preview))
        .order_by(SeriesRow.mean.desc(), SeriesRow.name)
    )
    return session.scalars(query).all()


def series(session: Session, run_id: str, name: str) -> SeriesRow:
    """Raises NotFoundError, naming what there is."""
    row = session.get(SeriesRow, (run_id, name))
    if row is None:
        names = [one.name for one in series_list(session, run_id)]
        known = ", ".join(names) if names else "none"
        raise NotFoundError(f"the run has no series {name!r}; it has: {known}")
    return row
