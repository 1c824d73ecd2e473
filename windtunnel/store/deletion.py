"""Deletion of campaigns and of the data that only they used."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, exists, func, or_, select
from sqlalchemy.orm import Session

from windtunnel.store import locks
from windtunnel.store.cancellation import cancel
from windtunnel.store.controller import notify
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run, Scenario


def delete_campaign(session: Session, campaign_id: str) -> None:
    """Delete a campaign with its cells, and the runs (even running) that no other campaign has.

    A run's results, attempts and verifications are deleted with it. A worker that executes a
    deleted run loses its lease, which stops the run at the next heartbeat. A run that otherwise
    belongs only to cancelled campaigns is kept and cancelled.
    """
    locks.lock_runs_exclusive(session)
    cancel(session, campaign_id)
    runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
    shared = exists().where(CampaignRun.run_id == Run.id, CampaignRun.campaign_id != campaign_id)
    orphans = session.scalars(select(Run.id).where(Run.id.in_(runs), ~shared)).all()
    scenarios = session.scalars(
        select(Cell.scenario_digest).where(Cell.campaign_id == campaign_id).distinct()
    ).all()
    session.execute(delete(Campaign).where(Campaign.id == campaign_id))
    session.execute(delete(Run).where(Run.id == func.any(list(orphans))))
    _delete_unreferenced(session, scenarios)
    notify(session, [campaign_id])


def delete_runs(session: Session, ids: Sequence[str]) -> None:
    """Delete runs that no campaign contains any more, with their results and scenarios.

    The caller must hold the lock of `locks.lock_runs_exclusive`.
    """
    scenarios = session.scalars(
        delete(Run).where(Run.id == func.any(list(ids))).returning(Run.scenario_digest)
    ).all()
    _delete_unreferenced(session, sorted(set(scenarios)))


def _delete_unreferenced(session: Session, scenarios: Sequence[str]) -> None:
    referenced = or_(
        exists().where(Cell.scenario_digest == Scenario.digest),
        exists().where(Run.scenario_digest == Scenario.digest),
    )
    session.execute(
        delete(Scenario).where(Scenario.digest == func.any(list(scenarios)), ~referenced)
    )
