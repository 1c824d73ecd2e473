"""Announcing the ends of campaigns to their webhooks, in the transaction that ends them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from windtunnel.store.tables import Campaign, WebhookDelivery
from windtunnel.webhooks import Event


def announce(session: Session, event: Event, campaign_ids: Sequence[str]) -> None:
    """Store a delivery for each of these campaigns that has a webhook."""
    if not campaign_ids:
        return
    query = select(Campaign.id).where(
        Campaign.id.in_(campaign_ids), Campaign.notify_url.is_not(None)
    )
    for id_ in session.scalars(query):
        session.add(WebhookDelivery(id=secrets.token_hex(16), campaign_id=id_, event=event))
