"""Retention: removing what the policies no longer keep, in small transactions.

Runs in execution and all runs of campaigns marked ``keep`` are never touched. Pruning takes an
advisory lock, so that only one process prunes at a time. A batch locks the rows of its runs,
skipping what others have locked, and is complete in itself: whoever is killed in between leaves
less to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    and_,
    delete,
    exists,
    func,
    literal_column,
    not_,
    select,
    update,
)
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.retention import Policies
from windtunnel.run import ENDED, RunState
from windtunnel.store import controller, locks
from windtunnel.store.audit import Actor
from windtunnel.store.deletion import delete_runs
from windtunnel.store.tables import (
    OPEN_VERIFICATION,
    Attempt,
    AuditEntry,
    Campaign,
    CampaignRun,
    Run,
    SeriesRow,
    Verification,
)

SERVICE = Actor(None, None)
_BATCH_RUNS = 100
_BATCH_ENTRIES = 5000
_ENTRY_BYTES: ColumnElement[int] = literal_column("pg_column_size(audit_entry.*)")


@dataclass(frozen=True)
class Pruned:
    """What a policy removes: a number of runs, or of entries of the audit log, and bytes."""

    policy: str
    older_than_days: float
    count: int
    bytes: int


@dataclass(frozen=True)
class Batch:
    """What a transaction has removed, and whether there may be more to remove.

    ``policy``: where the next batch starts; None: at the first policy.
    """

    pruned: Pruned | None
    more: bool

    @property
    def policy(self) -> str | None:
        return self.pruned.policy if self.pruned else None


def preview(session: Session, policies: Policies) -> list[Pruned]:
    """What pruning would remove now, by policy. Changes nothing."""
    return [
        Pruned(policy, days, *_measure(session, policies, policy))
        for policy, days in policies.days.items()
    ]


def prune_batch(
    session: Session,
    policies: Policies,
    actor: Actor = SERVICE,
    wait: bool = False,
    start: str | None = None,
) -> Batch:
    """Remove one batch of what the first policy removes that has anything to remove.

    It is recorded in the audit log. If another process is pruning, this one waits if ``wait`` is
    true, else does nothing. Runs are not deleted while others are added. ``start`` skips the
    policies before it, whose search may read all runs; nothing is left once a batch without it
    says so.
    """
    if wait:
        locks.lock_retention(session)
    elif not locks.prune_alone(session):
        return Batch(None, more=False)
    more = start is not None
    skipped = list(policies.days).index(start) if start else 0
    for policy, days in list(policies.days.items())[skipped:]:
        removed = _remove(session, policies, policy)
        if removed is None:
            more = True
        elif removed[0]:
            count, size = removed
            actor.record(
                session, "prune", policy, older_than_days=days, **{_noun(policy): count}, bytes=size
            )
            return Batch(Pruned(policy, days, count, size), more=True)
    return Batch(None, more)


def set_keep(session: Session, campaign: Campaign, keep: bool) -> None:
    """Exempt a campaign's runs from retention, or not. Effective once the transaction ends.

    The campaign's row must not be locked yet.
    """
    locks.lock_retention(session)
    session.execute(update(Campaign).where(Campaign.id == campaign.id).values(keep=keep))
    controller.notify(session, [campaign.id])


def _noun(policy: str) -> str:
    return "entries" if policy == "audit" else "runs"


def _measure(session: Session, policies: Policies, policy: str) -> tuple[int, int]:
    if policy == "audit":
        query = select(func.count(), func.coalesce(func.sum(_ENTRY_BYTES), 0))
        query = query.select_from(AuditEntry)
        condition = _older(AuditEntry.at, policies.days[policy])
    else:
        query = select(func.count(), func.coalesce(func.sum(_BYTES[policy]), 0)).select_from(Run)
        condition = _condition(policies, policy)
    count, size = session.execute(query.where(condition)).one()
    return count, int(size)


def _remove(session: Session, policies: Policies, policy: str) -> tuple[int, int] | None:
    """Remove one batch. Returns the number of runs or entries and of bytes.

    None: runs are to be deleted, but some are being added.
    """
    if policy == "audit":
        return _remove_entries(session, policies.days[policy])
    condition = _condition(policies, policy)
    locked = _lock(session, condition, deleting=policy in _DELETING)
    if locked is None:
        return None
    if not locked:
        return 0, 0
    # What was found may have changed, or found a campaign, before it was locked.
    rows = session.execute(
        select(Run.id, _BYTES[policy]).where(Run.id.in_(locked), condition)
    ).all()
    ids = [id_ for id_, _ in rows]
    _REMOVE[policy](session, ids)
    return len(ids), sum(size for _, size in rows)


def _lock(session: Session, condition: Any, deleting: bool) -> Sequence[str] | None:
    """Lock up to a batch of runs that nobody else has locked; None if others prevent it."""
    if not deleting:
        return session.scalars(
            select(Run.id)
            .where(condition)
            .order_by(Run.ended_at)
            .limit(_BATCH_RUNS)
            .with_for_update(of=Run, skip_locked=True)
        ).all()
    # This search may read all runs: submissions must not wait for it.
    found = session.scalars(select(Run.id).where(condition).limit(_BATCH_RUNS)).all()
    if not found:
        return []
    if not locks.try_lock_runs_exclusive(session):
        return None
    query = select(Run.id).where(Run.id.in_(found)).with_for_update(skip_locked=True)
    return session.scalars(query).all() or None


def _remove_entries(session: Session, days: float) -> tuple[int, int]:
    oldest = (
        select(AuditEntry.id)
        .where(_older(AuditEntry.at, days))
        .order_by(AuditEntry.at)
        .limit(_BATCH_ENTRIES)
    )
    removed = session.scalars(
        delete(AuditEntry)
        .where(AuditEntry.id.in_(oldest))
        .returning(_ENTRY_BYTES)
        .execution_options(synchronize_session=False)
    ).all()
    return len(removed), sum(removed)


def _remove_series(session: Session, ids: Sequence[str]) -> None:
    session.execute(delete(SeriesRow).where(SeriesRow.run_id.in_(ids)))
    _update_runs(
        session,
        ids,
        stored_bytes=Run.stored_bytes - Run.series_bytes,
        series_bytes=0,
        series_pruned_at=func.now(),
    )


def _remove_logs(session: Session, ids: Sequence[str]) -> None:
    session.execute(
        update(Attempt).where(Attempt.run_id.in_(ids), Attempt.stderr != "").values(stderr="")
    )
    _update_runs(
        session,
        ids,
        stored_bytes=Run.stored_bytes - Run.log_bytes,
        log_bytes=0,
        log_pruned_at=func.now(),
    )


def _update_runs(session: Session, ids: Sequence[str], **values: Any) -> None:
    session.execute(
        update(Run)
        .where(Run.id.in_(ids))
        .values(values)
        .execution_options(synchronize_session=False)
    )
    controller.refresh_totals(session, ids)


def _remove_runs(session: Session, ids: Sequence[str]) -> None:
    """Delete runs; the cancelled campaigns that contain them count them as pruned."""
    campaign_ids = controller.campaigns_of(session, ids)
    session.execute(
        select(Campaign.id)
        .where(Campaign.id.in_(campaign_ids))
        .order_by(Campaign.id)
        .with_for_update()
    )
    removed = (
        delete(CampaignRun)
        .where(CampaignRun.run_id.in_(ids))
        .returning(CampaignRun.campaign_id)
        .cte("removed")
    )
    counts = (
        select(removed.c.campaign_id, func.count().label("count"))
        .group_by(removed.c.campaign_id)
        .subquery()
    )
    session.execute(
        update(Campaign)
        .where(Campaign.id == counts.c.campaign_id)
        .values(pruned_runs=Campaign.pruned_runs + counts.c.count)
        .execution_options(synchronize_session=False)
    )
    delete_runs(session, ids)
    controller.notify(session, campaign_ids)


_BYTES: Mapping[str, Any] = {
    "runs": Run.stored_bytes,
    "cancelled": Run.stored_bytes,
    "series": Run.series_bytes,
    "logs": Run.log_bytes,
}
_REMOVE: Mapping[str, Callable[[Session, Sequence[str]], None]] = {
    "runs": _remove_runs,
    "cancelled": _remove_runs,
    "series": _remove_series,
    "logs": _remove_logs,
}
_DELETING = ("runs", "cancelled")


def _condition(policies: Policies, policy: str) -> Any:
    """SQL condition: a run that this policy applies to, and none that deletes the run."""
    days = policies.days
    deleted = [_applies(name, days[name]) for name in _DELETING if name in days and name != policy]
    return and_(_applies(policy, days[policy]), *(not_(condition) for condition in deleted))


def _applies(policy: str, days: float) -> Any:
    in_campaign = CampaignRun.run_id == Run.id
    verified = exists().where(Verification.run_id == Run.id, OPEN_VERIFICATION)
    if policy == "runs":
        age = func.coalesce(Run.ended_at, Run.created_at)
        idle = Run.state != RunState.RUNNING
        return and_(idle, _older(age, days), ~exists().where(in_campaign), ~verified)
    ended = Run.state.in_(ENDED)
    if policy == "cancelled":
        given_up = and_(
            Campaign.state == CampaignState.CANCELLED,
            ~Campaign.keep,
            func.coalesce(_older(Campaign.cancelled_at, days), False),
        )
        join = CampaignRun.campaign_id == Campaign.id
        contained = Run.id.in_(select(CampaignRun.run_id).join(Campaign, join).where(given_up))
        return and_(ended, contained, ~exists().where(in_campaign, join, ~given_up), ~verified)
    kept = exists().where(in_campaign, Campaign.id == CampaignRun.campaign_id, Campaign.keep)
    return and_(ended, _BYTES[policy] > 0, _older(Run.ended_at, days), ~kept, ~verified)


def _older(time: Any, days: float) -> Any:
    return time < func.now() - timedelta(days=days)
