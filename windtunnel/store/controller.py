"""What is next for campaigns whose runs have changed, decided in the transaction that changed them.

A step locks the campaigns' rows, after the runs' (as claims do) and in the order of their ids, so
that two workers landing a campaign's last two runs decide one after the other, and the second sees
what the first has done. A crash rolls the decision back together with the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import case, exists, func, or_, select, update
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.run import RunState
from windtunnel.store.tables import Campaign, CampaignRun, Run


def campaigns_of(session: Session, run_ids: Sequence[str]) -> Sequence[str]:
    """Campaigns that have any of these runs, by id."""
    query = select(CampaignRun.campaign_id).where(CampaignRun.run_id.in_(run_ids)).distinct()
    return session.scalars(query.order_by(CampaignRun.campaign_id)).all()


def notify(session: Session, campaign_ids: Sequence[str]) -> None:
    """Tell listeners that something about these campaigns has changed; ids only."""
    for campaign_id in campaign_ids:
        session.execute(select(func.pg_notify("windtunnel", campaign_id)))


def step(session: Session, campaign_ids: Sequence[str], revived: str | None = None) -> None:
    """Decide what is next for these campaigns, and tell listeners.

    A campaign without unfinished runs has ended; one that has any again (queued by a campaign that
    shares them) is running, and so is a planned one that shares a running one. Cancelled ones stay
    as they are, but for the ``revived``.
    """
    session.flush()
    ids = list(
        session.scalars(
            select(Campaign.id)
            .where(Campaign.id.in_(campaign_ids))
            .order_by(Campaign.id)
            .with_for_update()
        )
    )
    own = CampaignRun.campaign_id == Campaign.id
    unfinished = exists().where(own, CampaignRun.unfinished)
    under_way = exists().where(
        own, CampaignRun.unfinished, Run.id == CampaignRun.run_id, Run.state == RunState.RUNNING
    )
    state = case(
        (~unfinished, CampaignState.ENDED),
        (Campaign.state != CampaignState.PLANNED, CampaignState.RUNNING),
        (under_way, CampaignState.RUNNING),
        else_=CampaignState.PLANNED,
    )
    session.execute(
        update(Campaign)
        .where(
            Campaign.id.in_(ids),
            or_(Campaign.state != CampaignState.CANCELLED, Campaign.id == revived),
        )
        .values(state=state)
        .execution_options(synchronize_session=False)
    )
    notify(session, ids)


def begin(session: Session, campaign_id: str, run_id: str, turn: object) -> None:
    """A run was claimed in this campaign's turn: all planned ones that have it are running."""
    having = select(CampaignRun.campaign_id).where(CampaignRun.run_id == run_id)
    concerned = (Campaign.id == campaign_id) | (
        (Campaign.state == CampaignState.PLANNED) & Campaign.id.in_(having)
    )
    locked = select(Campaign.id).where(concerned).order_by(Campaign.id).with_for_update()
    started = case(
        (Campaign.state == CampaignState.PLANNED, CampaignState.RUNNING), else_=Campaign.state
    )
    last_turn = case((Campaign.id == campaign_id, turn), else_=Campaign.last_turn)
    session.execute(
        update(Campaign)
        .where(Campaign.id.in_(locked))
        .values(last_turn=last_turn, state=started)
        .execution_options(synchronize_session=False)
    )
