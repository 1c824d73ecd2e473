"""Deleting campaigns, and what nobody wants once they are gone."""

from __future__ import annotations

from sqlalchemy import delete, exists, func, or_, select
from sqlalchemy.orm import Session

from windtunnel.store import locks
from windtunnel.store.controller import notify
from windtunnel.store.submission import cancel
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run, Scenario


def delete_campaign(session: Session, campaign_id: str) -> None:
    """Delete a campaign with its cells, and the runs that no other campaign has, running ones too.

    A run's results, attempts and verifications go with it. A worker that executes such a run
    learns at its next heartbeat that its lease is nobody's, and stops. A run that only cancelled
    campaigns have besides is theirs to show, and is cancelled.
    """
    locks.lock_runs_exclusive(session)
    cancel(session, campaign_id)
    own = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
    others = exists().where(CampaignRun.run_id == Run.id, CampaignRun.campaign_id != campaign_id)
    orphans = session.scalars(select(Run.id).where(Run.id.in_(own), ~others)).all()
    scenarios = session.scalars(
        select(Cell.scenario_digest).where(Cell.campaign_id == campaign_id).distinct()
    ).all()
    session.execute(delete(Campaign).where(Campaign.id == campaign_id))
    session.execute(delete(Run).where(Run.id == func.any(list(orphans))))
    wanted = or_(
        exists().where(Cell.scenario_digest == Scenario.digest),
        exists().where(Run.scenario_digest == Scenario.digest),
    )
    session.execute(delete(Scenario).where(Scenario.digest == func.any(list(scenarios)), ~wanted))
    notify(session, [campaign_id])
