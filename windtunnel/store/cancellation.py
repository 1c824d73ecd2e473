"""Cancelling campaigns: on request, or because a newer one supersedes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Select, and_, exists, func, select, update
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.run import RunState
from windtunnel.store import controller, locks
from windtunnel.store.announcements import announce
from windtunnel.store.tables import Campaign, CampaignRun, Run
from windtunnel.webhooks import Event

_CHUNK = 2000
_ACTIVE = (CampaignState.PLANNED, CampaignState.RUNNING)


def cancel(session: Session, campaign_id: str) -> None:
    """Cancel a campaign, and its runs that no other active campaign needs. Idempotent.

    A campaign that has ended keeps its state.
    """
    locks.lock_growth(session, campaign_id)
    _lock_runs(session, session.scalars(_runs_of([campaign_id])))
    cancelled = session.scalars(
        update(Campaign)
        .where(Campaign.id == campaign_id, Campaign.state.in_(_ACTIVE))
        .values(state=CampaignState.CANCELLED, cancelled_at=func.now())
        .returning(Campaign.id)
    )
    announce(session, Event.CANCELLED, cancelled.all())
    _cancel_unneeded(session, campaign_id)
    controller.notify(session, [campaign_id])


def supersede(
    session: Session, campaign: Campaign, labels: Iterable[str], run_ids: Iterable[str]
) -> Sequence[str]:
    """Cancel unfinished campaigns of the same submitter and name with the same values of labels.

    Returns their ids. ``campaign`` is new and has no runs yet; ``run_ids`` are those that it will
    have. Call `cancel_unneeded_runs` once it has them, so that shared runs go on. The superseded
    campaigns count no longer against the submitter's quotas.

    The caller must hold `locks.lock_runs_exclusive`: nobody else adds or removes runs meanwhile.
    """
    same = {name: campaign.labels[name] for name in labels}
    older = (
        select(Campaign.id)
        .where(
            Campaign.submitted_by == campaign.submitted_by,
            Campaign.name == campaign.name,
            Campaign.labels.contains(same),
            Campaign.state.in_(_ACTIVE),
            Campaign.id != campaign.id,
        )
        .order_by(Campaign.id)
    )
    candidates = session.scalars(older).all()
    if not candidates:
        return []
    for id_ in candidates:
        locks.lock_growth(session, id_)
    locks.lock_submitter(session, campaign.submitted_by)
    # All runs that this transaction touches at once: one order of locks prevents deadlocks.
    _lock_runs(session, {*session.scalars(_runs_of(candidates)), *run_ids})
    cancelled = session.scalars(
        update(Campaign)
        .where(Campaign.id.in_(candidates), Campaign.state.in_(_ACTIVE))
        .values(state=CampaignState.CANCELLED, cancelled_at=func.now(), superseded_by=campaign.id)
        .returning(Campaign.id)
        .execution_options(synchronize_session=False)
    )
    ids = sorted(cancelled)
    announce(session, Event.CANCELLED, ids)
    return ids


def cancel_unneeded_runs(session: Session, superseded: Sequence[str]) -> None:
    """Cancel the runs of superseded campaigns that no active campaign needs."""
    for campaign_id in superseded:
        _cancel_unneeded(session, campaign_id)
    controller.notify(session, superseded)


def superseded_by(session: Session, campaign_id: str) -> Sequence[str]:
    """Ids of the campaigns that this one superseded, and that were not resumed since."""
    query = select(Campaign.id).where(Campaign.superseded_by == campaign_id)
    return session.scalars(query.order_by(Campaign.id)).all()


def _cancel_unneeded(session: Session, campaign_id: str) -> None:
    """Cancel those of its unfinished runs that no other active campaign needs.

    Running ones are marked, and their worker stops them.
    """
    needed = exists().where(
        CampaignRun.run_id == Run.id,
        Campaign.id == CampaignRun.campaign_id,
        Campaign.id != campaign_id,
        Campaign.state != CampaignState.CANCELLED,
    )
    unneeded = and_(Run.id.in_(_runs_of([campaign_id])), ~needed)
    session.execute(
        update(Run)
        .where(unneeded, Run.state == RunState.QUEUED)
        .values(state=RunState.CANCELLED, ended_at=func.now(), message="cancelled")
    )
    session.execute(
        update(Run).where(unneeded, Run.state == RunState.RUNNING).values(cancel_requested=True)
    )


def _runs_of(campaign_ids: Sequence[str]) -> Select[str]:
    return select(CampaignRun.run_id).where(CampaignRun.campaign_id.in_(campaign_ids))


def _lock_runs(session: Session, run_ids: Iterable[str]) -> None:
    """Lock runs before the campaign, in the same order as a claim, to prevent deadlocks."""
    ids = sorted(set(run_ids))
    for start in range(0, len(ids), _CHUNK):
        chunk = Run.id == func.any(ids[start : start + _CHUNK])
        session.execute(select(Run.id).where(chunk).order_by(Run.id).with_for_update())
