"""Deliveries of webhooks: one for each end of a campaign that asks for it.

A delivery is stored in the transaction that ends the campaign. A sender claims it for a while,
sends it outside of any transaction and stores what came of it. A sender that dies in between leaves
it to the next: a receiver gets each delivery at least once, always with the same id and body.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from windtunnel.store import campaigns, results
from windtunnel.store.gates import evaluate_gates
from windtunnel.store.tables import Campaign, WebhookDelivery
from windtunnel.webhooks import GIVE_UP_SECONDS, retry_delay

CLAIM_SECONDS = 60


@dataclass(frozen=True)
class Delivery:
    """A delivery that this sender has claimed, and how often it was tried, this time included."""

    id: str
    url: str
    attempts: int


@dataclass(frozen=True)
class DeliveryStatus:
    """What came of a campaign's last delivery; ``state`` is waiting, retrying, delivered, given_up.

    ``last_error`` is empty unless the last attempt failed.
    """

    url: str
    state: str
    event: str
    attempts: int
    last_error: str
    delivered_at: datetime | None
    next_attempt_at: datetime | None


def claim(session: Session) -> Delivery | None:
    """Claim a delivery that is due, for a minute; None if there is none."""
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.next_attempt_at <= func.now())
        .order_by(WebhookDelivery.next_attempt_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = session.scalars(query).first()
    if row is None:
        return None
    campaign = session.get_one(Campaign, row.campaign_id)
    row.attempts += 1
    row.next_attempt_at = func.now() + timedelta(seconds=CLAIM_SECONDS)
    assert campaign.notify_url is not None
    return Delivery(row.id, campaign.notify_url, row.attempts)


def body(session: Session, delivery: Delivery, public_url: str, max_runs: int) -> bytes | None:
    """The JSON to send, made at the first attempt; None if the campaign was deleted meanwhile.

    ``public_url`` is what the campaign's link begins with. ``max_runs`` limits what the campaign's
    gates may ask for.
    """
    row = session.get(WebhookDelivery, delivery.id)
    if row is None:
        return None
    if row.body is None:
        campaign = session.get_one(Campaign, row.campaign_id)
        row.body = json.dumps(_document(session, row, campaign, public_url, max_runs)).encode()
    return row.body


def delivered(session: Session, delivery: Delivery) -> None:
    """Record that the receiver accepted it."""
    session.execute(
        update(WebhookDelivery)
        .where(WebhookDelivery.id == delivery.id)
        .values(delivered_at=func.now(), next_attempt_at=None, last_error="")
    )


def failed(session: Session, delivery: Delivery, error: str) -> None:
    """Record an error and when to try again: never, a day after the campaign's end."""
    row = session.get(WebhookDelivery, delivery.id, with_for_update=True)
    if row is None or row.delivered_at is not None:
        return
    now = session.scalar(select(func.now()))
    assert now is not None
    row.last_error = error
    over = (now - row.created_at).total_seconds() >= GIVE_UP_SECONDS
    delay = timedelta(seconds=retry_delay(delivery.attempts))
    row.next_attempt_at = None if over else now + delay


def last_delivery(session: Session, campaign: Campaign) -> DeliveryStatus | None:
    """The campaign's last delivery; None without `notify`, or before the campaign has ended."""
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.campaign_id == campaign.id)
        .order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id)
        .limit(1)
    )
    row = session.scalars(query).first() if campaign.notify_url else None
    if row is None or campaign.notify_url is None:
        return None
    return DeliveryStatus(
        url=campaign.notify_url,
        state=_state(row),
        event=row.event,
        attempts=row.attempts,
        last_error=row.last_error,
        delivered_at=row.delivered_at,
        next_attempt_at=row.next_attempt_at,
    )


def _state(row: WebhookDelivery) -> str:
    if row.delivered_at is not None:
        return "delivered"
    if row.next_attempt_at is None:
        return "given_up"
    return "retrying" if row.last_error else "waiting"


def _document(
    session: Session, row: WebhookDelivery, campaign: Campaign, public_url: str, max_runs: int
) -> dict[str, Any]:
    status = campaigns.campaign_status(session, campaign)
    return {
        "event": row.event,
        "time": row.created_at.isoformat(),
        "campaign": {
            "id": campaign.id,
            "name": campaign.name,
            "labels": dict(campaign.labels),
            "state": campaign.state,
            "superseded_by": campaign.superseded_by,
            "runs": dict(status.runs),
            "link": f"{public_url.rstrip('/')}/campaigns/{campaign.id}",
        },
        "gates": _gates_status(session, campaign, max_runs),
    }


def _gates_status(session: Session, campaign: Campaign, max_runs: int) -> str | None:
    gates = results.design_of(campaign).analysis.gates
    status = evaluate_gates(session, campaign, gates, max_runs).status
    return None if status is None else str(status)
