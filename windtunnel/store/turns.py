"""Whose turn it is: the workers' time is shared among submitters, not among campaigns.

The submitter with the fewest executions under way is next; among equals, the one whose last turn is
longest ago. Within a submitter its campaigns take turns in the same way, and its verifications as
if they were one more campaign. Many campaigns therefore don't get their submitter a larger share.

Two workers that claim at the same moment may both choose the same submitter; the next claims make
up for it. Claims need no common lock for this reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from sqlalchemy import Row, Select, exists, func, or_, select, union_all, update
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.store import leases
from windtunnel.store.tables import (
    CLAIM_TURN,
    Campaign,
    CampaignRun,
    Submitter,
    Verification,
)

# Usually the first campaign has a claimable run: the others need not be looked at.
_PAGE = 20


@dataclass(frozen=True)
class Turn:
    """A turn of one of the submitter's campaigns, or of its verifications (None)."""

    submitter: str
    campaign_id: str | None


def in_order(
    session: Session, offered: Sequence[str], waiting: Collection[str] = ()
) -> Iterator[Turn]:
    """All turns in which something may be claimable, the next one first.

    ``offered`` are the digests of the simulators that the claiming worker can execute, ``waiting``
    the submitters that may not have a turn now.
    """
    if not offered:
        return
    for submitter in session.execute(_submitters(waiting)).all():
        yield from _turns_of(session, submitter, offered)


def is_anybodys(session: Session, waiting: Collection[str]) -> bool:
    """Whether any submitter but those in ``waiting`` has unfinished work."""
    return session.execute(_submitters(waiting).limit(1)).first() is not None


def record(session: Session, turn: Turn) -> None:
    """Record that something was claimed in this turn.

    Locks the submitter's row: call this after the rows of runs and campaigns have been locked. The
    campaign's own turn is recorded by `controller.begin`.
    """
    values = {Submitter.last_turn: CLAIM_TURN.next_value()}
    if turn.campaign_id is None:
        values[Submitter.verification_turn] = CLAIM_TURN.next_value()
    session.execute(update(Submitter).where(Submitter.name == turn.submitter).values(values))


def _submitters(waiting: Collection[str]) -> Select[str, int, bool]:
    """Submitters with unfinished work (name, last turn of verifications, whether it has any)."""
    under_way = union_all(
        *(
            select(table.charged_to).where(
                table.state == "running", table.lease_until >= func.now()
            )
            for table in leases.LEASED
        )
    ).subquery()
    busy = (
        select(under_way.c.charged_to, func.count().label("slots"))
        .group_by(under_way.c.charged_to)
        .subquery()
    )
    campaigns = exists().where(
        Campaign.submitted_by == Submitter.name,
        Campaign.state.in_([CampaignState.PLANNED, CampaignState.RUNNING]),
    )
    verifications = exists().where(
        Verification.requested_by == Submitter.name, leases.claimable(Verification)
    )
    return (
        select(Submitter.name, Submitter.verification_turn, verifications)
        .join(busy, busy.c.charged_to == Submitter.name, isouter=True)
        .where(Submitter.name.not_in(waiting), or_(campaigns, verifications))
        .order_by(func.coalesce(busy.c.slots, 0), Submitter.last_turn, Submitter.name)
    )


def _turns_of(
    session: Session, submitter: Row[str, int, bool], offered: Sequence[str]
) -> Iterator[Turn]:
    name, verification_turn, due = submitter
    for campaign_id, last_turn in _campaigns(session, name, offered):
        if due and verification_turn <= last_turn:
            yield Turn(name, None)
            due = False
        yield Turn(name, campaign_id)
    if due:
        yield Turn(name, None)


def _campaigns(session: Session, submitter: str, offered: Sequence[str]) -> Iterator[Row[str, int]]:
    """A submitter's campaigns with unfinished runs: id and last turn.

    Only campaigns and runs that have not ended are looked at (ix_campaign_turn,
    ix_campaign_run_unfinished), so that a claim costs the same at the beginning and at the end of a
    campaign of 20,000 runs.
    """
    query = (
        select(Campaign.id, Campaign.last_turn)
        .where(
            Campaign.submitted_by == submitter,
            Campaign.state.in_([CampaignState.PLANNED, CampaignState.RUNNING]),
            Campaign.simulators.has_any(array(offered)),
            exists().where(
                CampaignRun.campaign_id == Campaign.id,
                CampaignRun.unfinished,
                CampaignRun.simulator_digest.in_(offered),
            ),
        )
        .order_by(Campaign.last_turn, Campaign.created_at)
        .limit(_PAGE)
    )
    for page in count():
        rows = session.execute(query.offset(page * _PAGE)).all()
        yield from rows
        if len(rows) < _PAGE:
            return
