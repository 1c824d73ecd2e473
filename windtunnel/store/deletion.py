"""Deleting campaigns, and what nobody wants once they are gone."""

from __future__ import annotations

from sqlalchemy import delete, exists, func, or_, select
from sqlalchemy.orm import Session

from windtunnel.store.campaigns import notify
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run, Scenario

_LOCK = 0x64656C65  # "dele"


def lock_out_deletion(session: Session) -> None:
    """Until the transaction's end no run disappears: what a submission finds, it can link."""
    session.execute(select(func.pg_advisory_xact_lock_shared(_LOCK)))


def delete_campaign(session: Session, campaign_id: str) -> None:
    """Delete a campaign with its cells, and the runs that no other campaign has, running ones too.

    A run's results, attempts and verifications go with it. A worker that executes such a run
    learns at its next heartbeat that its lease is nobody's, and stops. A campaign that is cancelled
    keeps its runs: they are its results.
    """
    session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    own = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
    others = exists().where(CampaignRun.run_id == Run.id, CampaignRun.campaign_id != campaign_id)
    # Locked in the order of their ids, as everybody does, and before the campaign, as a claim does.
    lock = select(Run.id).where(Run.id.in_(own), ~others).order_by(Run.id).with_for_update()
    orphans = session.scalars(lock).all()
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
