"""Campaigns, their cells and scenarios, and the webhooks that tell of their end."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    Sequence,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from windtunnel.store.tables.base import Base


class Campaign(Base):
    """A campaign, with all that its comparison needs, fixed when it is submitted.

    ``document`` is kept to be shown; nothing reads it again.
    """

    __tablename__ = "campaign"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    document: Mapped[dict[str, Any]]
    # The campaign file's bytes; null for campaigns that were submitted before these were kept.
    file: Mapped[bytes | None] = mapped_column(deferred=True)
    file_is_json: Mapped[bool] = mapped_column(server_default=text("false"))
    state: Mapped[str]
    # Builds that its cells run on: digest -> {name, built_at}, and the names of what it measures
    # if there are several. JSONB, for claims ask it by key.
    simulators: Mapped[dict[str, Any]] = mapped_column(JSONB)
    # Name and labels of each axis; cells refer to the labels (windtunnel.store.coordinates).
    axes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    # How axes were sampled (windtunnel.spec.designs.Design.record); null for a grid.
    design: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    baseline: Mapped[dict[str, Any]]
    metrics: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    # What was pointed out at submission: path, line and message.
    lints: Mapped[list[dict[str, Any]]] = mapped_column(JSON, server_default=text("'[]'"))
    # Limits of its runs (windtunnel.spec.RunLimits), by field.
    limits: Mapped[dict[str, Any]] = mapped_column(JSON, server_default=text("'{}'"))
    default_metrics: Mapped[list[str]] = mapped_column(JSON)
    # As the campaign file has it: family, relevance, interval.
    analysis: Mapped[dict[str, Any]] = mapped_column(JSON, server_default=text("'{}'"))
    # Names of the kinds in its cells' scenarios (windtunnel.plan.kinds), to find campaigns by.
    algorithms: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'"))
    topologies: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'"))
    workloads: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'"))
    # JSONB, for campaigns are found by labels (windtunnel.store.labels).
    labels: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    replications: Mapped[int]
    # Cells get more seeds until an interval is narrow enough (windtunnel.store.stopping).
    growing: Mapped[bool] = mapped_column(server_default=text("false"))
    predicted_events: Mapped[float]
    predicted_cpu_seconds: Mapped[float]
    reused_runs: Mapped[int]
    # Retention never touches its runs (windtunnel.store.retention).
    keep: Mapped[bool] = mapped_column(server_default=text("false"))
    # Since when it is cancelled, and how many of its runs were pruned since.
    cancelled_at: Mapped[datetime | None]
    pruned_runs: Mapped[int] = mapped_column(server_default=text("0"))
    # The campaign for which it was cancelled (windtunnel.store.cancellation).
    superseded_by: Mapped[str | None] = mapped_column(
        ForeignKey("campaign.id", ondelete="SET NULL")
    )
    # Told when it ends (windtunnel.store.announcements).
    notify_url: Mapped[str | None]
    # Counts and sums of its cells and runs while it is ended (windtunnel.store.totals).
    totals: Mapped[dict[str, Any] | None]
    idempotency_key: Mapped[str | None]
    request_digest: Mapped[str]
    # Name of the token that it was submitted with; empty where no token is asked for.
    submitted_by: Mapped[str] = mapped_column(ForeignKey("submitter.name"), server_default="")
    # When it last had a turn, as a number from the sequence claim_turn: claims go round.
    last_turn: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class WebhookDelivery(Base):
    """What is sent to a campaign's webhook when it ends (windtunnel.store.webhooks).

    ``body`` is made at the first attempt. Without ``next_attempt_at`` it was delivered or given up.
    """

    __tablename__ = "webhook_delivery"
    id: Mapped[str] = mapped_column(primary_key=True)
    campaign_id: Mapped[str] = mapped_column(
        ForeignKey("campaign.id", ondelete="CASCADE"), index=True
    )
    event: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    body: Mapped[bytes | None]
    attempts: Mapped[int] = mapped_column(server_default=text("0"))
    next_attempt_at: Mapped[datetime | None] = mapped_column(server_default=func.now())
    delivered_at: Mapped[datetime | None]
    last_error: Mapped[str] = mapped_column(server_default="")


Index(
    "ix_webhook_delivery_due",
    WebhookDelivery.next_attempt_at,
    postgresql_where=WebhookDelivery.next_attempt_at.is_not(None),
)
Index(
    "ix_campaign_superseded_by",
    Campaign.superseded_by,
    postgresql_where=Campaign.superseded_by.is_not(None),
)
Index("ix_campaign_growing", Campaign.id, postgresql_where=Campaign.growing)
Index("ix_campaign_created_at", Campaign.created_at.desc(), Campaign.id.desc())
Index("ix_campaign_name", func.lower(Campaign.name), Campaign.id)
Index("ix_campaign_cost", Campaign.predicted_cpu_seconds, Campaign.id)
Index(
    "ix_campaign_labels",
    Campaign.labels,
    postgresql_using="gin",
    postgresql_ops={"labels": "jsonb_path_ops"},
)
# Everybody has keys of their own.
Index("ix_campaign_idempotency_key", Campaign.submitted_by, Campaign.idempotency_key, unique=True)
# What a claim walks through, in its order.
Index(
    "ix_campaign_turn",
    Campaign.submitted_by,
    Campaign.last_turn,
    Campaign.created_at,
    postgresql_where=Campaign.state.in_(["planned", "running"]),
)


CLAIM_TURN = Sequence("claim_turn", metadata=Base.metadata)


class Scenario(Base):
    """A resolved scenario, shared by all cells and runs that have it."""

    __tablename__ = "scenario"
    digest: Mapped[str] = mapped_column(primary_key=True)
    body: Mapped[dict[str, Any]]


class Cell(Base):
    __tablename__ = "cell"
    campaign_id: Mapped[str] = mapped_column(
        ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True
    )
    index: Mapped[int] = mapped_column("cell_index", primary_key=True)
    # Index of its value on each of the campaign's axes.
    value_indices: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    baseline: Mapped[int | None]
    scenario_digest: Mapped[str] = mapped_column(ForeignKey("scenario.digest"), index=True)
    simulator_name: Mapped[str]
    simulator_digest: Mapped[str]
    # Of one run, as its simulator predicted them.
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    predicted_events: Mapped[float]
