"""Runs, what they recorded, and their verifications."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    ForeignKey,
    Index,
    Integer,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from windtunnel.store.tables.base import Base


class Leased:
    """Columns of what workers execute under a lease (windtunnel.store.leases)."""

    id: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    attempt: Mapped[int] = mapped_column(server_default=text("0"))
    # The attempt from which max_attempts counts: a fresh start, or an orderly end, sets it.
    first_attempt: Mapped[int] = mapped_column(server_default=text("0"))
    lease_owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    # The submitter in whose turn it was claimed last, and when.
    charged_to: Mapped[str | None]
    leased_at: Mapped[datetime | None]
    # Its worker is to stop it, at the next heartbeat.
    cancel_requested: Mapped[bool] = mapped_column(server_default=text("false"))
    message: Mapped[str] = mapped_column(server_default="")


class Run(Leased, Base):
    """One simulation. Its id is its identity (windtunnel.plan.identity)."""

    __tablename__ = "run"
    scenario_digest: Mapped[str] = mapped_column(ForeignKey("scenario.digest"), index=True)
    seed_index: Mapped[int]
    simulator_name: Mapped[str]
    simulator_digest: Mapped[str]
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    predicted_events: Mapped[float]
    failure: Mapped[str | None]
    simulated_ns: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    events: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    digest: Mapped[str | None]
    record_digests: Mapped[bytes | None]
    started: Mapped[dict[str, Any] | None]
    # Digest of all random choices about traffic: runs with equal ones can be paired.
    schedule: Mapped[str | None]
    # `metadata` is SQLAlchemy's own name in a declarative class.
    run_metadata: Mapped[dict[str, Any] | None] = mapped_column("metadata")
    wall_seconds: Mapped[float | None]
    cpu_seconds: Mapped[float | None]
    # Digest of the names of its metrics: runs with equal ones report the same metrics.
    metric_names: Mapped[str | None]
    # Of its results and logs, and how much of that its series and its logs are.
    stored_bytes: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    series_bytes: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    log_bytes: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    # When its series, and the logs of attempts that had ended by then, were pruned.
    series_pruned_at: Mapped[datetime | None]
    log_pruned_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ended_at: Mapped[datetime | None]


# What the prediction of costs reads. No columns that heartbeats change: they would cost more.
Index(
    "ix_run_succeeded",
    Run.simulator_name,
    Run.ended_at,
    postgresql_where=Run.state == "succeeded",
)
# What retention looks for. Empty ones are no part of them.
Index("ix_run_series", Run.ended_at, postgresql_where=Run.series_bytes > 0)
Index("ix_run_log", Run.ended_at, postgresql_where=Run.log_bytes > 0)
Index("ix_run_claimable", Run.state, postgresql_where=Run.state.in_(["queued", "running"]))


class CampaignRun(Base):
    """Which campaign wants which run, as which cell and seed."""

    __tablename__ = "campaign_run"
    campaign_id: Mapped[str] = mapped_column(
        ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True
    )
    cell_index: Mapped[int] = mapped_column(primary_key=True)
    seed_index: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), index=True)
    # As the run has it: a claim passes over what its worker can't execute without a look at runs.
    simulator_digest: Mapped[str]
    # Whether the run has not ended yet; a trigger on run keeps it (migration 0003).
    unfinished: Mapped[bool] = mapped_column(server_default=text("true"))


# What a claim walks through, in its order.
Index(
    "ix_campaign_run_unfinished",
    CampaignRun.campaign_id,
    CampaignRun.seed_index,
    CampaignRun.cell_index,
    postgresql_where=CampaignRun.unfinished,
)


class Attempt(Base):
    """One execution of a run by one worker."""

    __tablename__ = "attempt"
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    worker: Mapped[str]
    # The OCI digest or image id that was executed; none for a program on the worker's host.
    image: Mapped[str | None]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ended_at: Mapped[datetime | None]
    outcome: Mapped[str | None]
    message: Mapped[str] = mapped_column(server_default="")
    stderr: Mapped[str] = mapped_column(server_default="")


class MetricRow(Base):
    __tablename__ = "metric"
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float]
    unit: Mapped[str]


class SeriesRow(Base):
    """A series: zstd-compressed little-endian float32, and a preview of at most 2,000 points."""

    __tablename__ = "series"
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    unit: Mapped[str]
    first_ns: Mapped[int] = mapped_column(BigInteger)
    step_ns: Mapped[int] = mapped_column(BigInteger)
    length: Mapped[int]
    maximum: Mapped[float]
    mean: Mapped[float]
    data: Mapped[bytes]
    preview: Mapped[bytes]


class RecordColumn(Base):
    """One field of a run's flow, port or packet delay records (windtunnel.store.record_columns)."""

    __tablename__ = "record_column"
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    value_type: Mapped[str]
    absent: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    integers: Mapped[list[int | None] | None] = mapped_column(ARRAY(BigInteger))
    numbers: Mapped[list[float | None] | None] = mapped_column(ARRAY(Double))
    booleans: Mapped[list[bool | None] | None] = mapped_column(ARRAY(Boolean))
    texts: Mapped[list[str | None] | None] = mapped_column(ARRAY(Text))


class CheckRow(Base):
    __tablename__ = "run_check"
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    held: Mapped[bool]
    detail: Mapped[str]


class Verification(Leased, Base):
    """A succeeded run executed again, to see whether its records are still the same bytes.

    ``state`` is queued, running, identical, different, failed or cancelled.
    """

    __tablename__ = "verification"
    requested_by: Mapped[str] = mapped_column(ForeignKey("submitter.name"), server_default="")
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    # Since when no worker offers its simulator, while it is queued.
    stranded_since: Mapped[datetime | None]
    digest: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ended_at: Mapped[datetime | None]


# Literal: PostgreSQL does not find the index of an ON CONFLICT whose condition has parameters.
OPEN_VERIFICATION = text("state IN ('queued', 'running')")
Index(
    "ix_verification_one_open",
    Verification.run_id,
    unique=True,
    postgresql_where=OPEN_VERIFICATION,
)
# What a claim walks through, in its order.
Index(
    "ix_verification_turn",
    Verification.requested_by,
    Verification.created_at,
    postgresql_where=OPEN_VERIFICATION,
)
Index("ix_verification_created_at", Verification.created_at.desc(), Verification.id.desc())
