"""Campaign state transitions, made in the same transaction that changes the campaign's runs.

A step locks the campaigns' rows in the order of their ids, after the rows of the runs (as claims
do). Two workers that store a campaign's last two results are therefore serialized, and the second
sees the first one's changes. A crash rolls back the transition together with the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, case, exists, func, null, or_, select, update
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.run import RunState
from windtunnel.store.announcements import announce
from windtunnel.store.tables import Campaign, CampaignRun, Run
from windtunnel.store.totals import totals_of
from windtunnel.webhooks import Event


def campaigns_of(session: Session, run_ids: Sequence[str]) -> Sequence[str]:
    """Ids of campaigns that contain any of these runs."""
    query = select(CampaignRun.campaign_id).where(CampaignRun.run_id.in_(run_ids)).distinct()
    return session.scalars(query.order_by(CampaignRun.campaign_id)).all()


def notify(session: Session, campaign_ids: Sequence[str]) -> None:
    """Notify listeners that these campaigns have changed; the payload is the campaign id."""
    for campaign_id in campaign_ids:
        session.execute(select(func.pg_notify("windtunnel", campaign_id)))


def step(session: Session, campaign_ids: Sequence[str], revived: str | None = None) -> None:
    """Update the states of these campaigns and notify listeners.

    A campaign without unfinished runs is ended, unless it may get more seeds. An ended campaign
    with unfinished runs (requeued by a campaign that shares them) is running, and so is a planned
    campaign with a running run. Cancelled campaigns keep their state, except for ``revived``. The
    totals of ended campaigns are stored; those of others change all the time. Ends are announced to
    webhooks.
    """
    session.flush()
    locked = session.execute(
        select(Campaign.id, Campaign.state)
        .where(Campaign.id.in_(campaign_ids))
        .order_by(Campaign.id)
        .with_for_update()
    )
    before = {row.id: row.state for row in locked}
    ids = list(before)
    in_campaign = CampaignRun.campaign_id == Campaign.id
    unfinished = exists().where(in_campaign, CampaignRun.unfinished)
    running = exists().where(
        in_campaign,
        CampaignRun.unfinished,
        Run.id == CampaignRun.run_id,
        Run.state == RunState.RUNNING,
    )
    state = case(
        (and_(~unfinished, ~Campaign.growing), CampaignState.ENDED),
        (Campaign.state != CampaignState.PLANNED, CampaignState.RUNNING),
        (running, CampaignState.RUNNING),
        else_=CampaignState.PLANNED,
    )
    changed = session.execute(
        update(Campaign)
        .where(
            Campaign.id.in_(ids),
            or_(Campaign.state != CampaignState.CANCELLED, Campaign.id == revived),
        )
        .values(
            state=state, totals=null(), cancelled_at=null(), superseded_by=null(), pruned_runs=0
        )
        .returning(Campaign.id, Campaign.state)
        .execution_options(synchronize_session=False)
    )
    ended = [id_ for id_, new in changed if new == CampaignState.ENDED]
    _store_totals(session, ended)
    newly_ended = [id_ for id_ in ended if before[id_] != CampaignState.ENDED]
    announce(session, Event.ENDED, newly_ended)
    notify(session, ids)


def refresh_totals(session: Session, run_ids: Sequence[str]) -> None:
    """Store the totals of ended campaigns anew whose runs were pruned, and notify listeners."""
    ids = campaigns_of(session, run_ids)
    ended = session.scalars(
        select(Campaign.id)
        .where(Campaign.id.in_(ids), Campaign.state == CampaignState.ENDED)
        .order_by(Campaign.id)
        .with_for_update()
    ).all()
    _store_totals(session, ended)
    notify(session, ids)


def _store_totals(session: Session, ended: Sequence[str]) -> None:
    for campaign_id, totals in totals_of(session, ended).items():
        session.execute(
            update(Campaign)
            .where(Campaign.id == campaign_id)
            .values(totals=totals)
            .execution_options(synchronize_session=False)
        )


def begin(session: Session, campaign_id: str, run_id: str, turn: object) -> None:
    """Record that a run was claimed in this campaign's turn.

    All planned campaigns that contain the run become running.
    """
    containing = select(CampaignRun.campaign_id).where(CampaignRun.run_id == run_id)
    affected = (Campaign.id == campaign_id) | (
        (Campaign.state == CampaignState.PLANNED) & Campaign.id.in_(containing)
    )
    locked = select(Campaign.id).where(affected).order_by(Campaign.id).with_for_update()
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
