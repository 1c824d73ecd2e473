"""The tables. migrations/ makes them; a test asks Alembic whether both agree."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Sequence,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        str: Text,
        dict[str, Any]: JSON,  # not JSONB: the order of axes and fields is kept
        datetime: DateTime(timezone=True),
        bytes: LargeBinary,
        float: Double,
    }


class Installation(Base):
    """One row: tells this installation from others that share a Docker Engine with it.

    ``protocol`` is what its workers must speak (windtunnel.protocol).
    """

    __tablename__ = "installation"
    id: Mapped[str] = mapped_column(primary_key=True)
    protocol: Mapped[int] = mapped_column(server_default=text("1"))


class Token(Base):
    """Who may do what. The token itself is not kept, only its SHA-256."""

    __tablename__ = "token"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    scope: Mapped[str]
    digest: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Never, where it is null.
    expires_at: Mapped[datetime | None]
    # Its own quotas; the service's where null, unlimited where 0 (windtunnel.quotas).
    max_open_runs: Mapped[int | None]
    cpu_hours_per_day: Mapped[float | None]
    max_storage_bytes: Mapped[int | None] = mapped_column(BigInteger)
    # To the minute.
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


Index("ix_token_name_in_use", Token.name, unique=True, postgresql_where=Token.revoked_at.is_(None))


class BrowserSession(Base):
    """A signed-in browser. Its cookie is a random secret of which only the SHA-256 is kept."""

    __tablename__ = "browser_session"
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("token.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


class SignInLink(Base):
    """A link that signs a browser in, once. Only the SHA-256 of its code is kept."""

    __tablename__ = "sign_in_link"
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("token.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime]


class AuditEntry(Base):
    """Who did what to what, when, from where. Never changed; kept when its object is deleted.

    Only retention removes entries, by age.
    """

    __tablename__ = "audit_entry"
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    # Name and id of the token; none for what the service itself does.
    actor: Mapped[str | None]
    token_id: Mapped[str | None]
    # Of the client, as the service saw it.
    address: Mapped[str | None]
    action: Mapped[str]
    object: Mapped[str]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))


class Simulator(Base):
    """A build of a simulator that some worker has offered.

    ``installed``: false once a starting service has found that it is gone. ``built_at`` is when it
    was compiled.
    """

    __tablename__ = "simulator"
    digest: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(index=True)
    description: Mapped[dict[str, Any]]
    installed_at: Mapped[datetime]
    installed: Mapped[bool] = mapped_column(server_default=text("true"))
    built_at: Mapped[datetime | None]


class Worker(Base):
    """A worker process that has been heard of lately."""

    __tablename__ = "worker"
    name: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str]
    slots: Mapped[int]
    simulators: Mapped[list[str]] = mapped_column(JSONB)
    seen_at: Mapped[datetime]


class Submitter(Base):
    """Whose campaigns and verifications share the workers' time (windtunnel.store.turns).

    ``name`` is that of a token, or empty for what is submitted without one.
    """

    __tablename__ = "submitter"
    name: Mapped[str] = mapped_column(primary_key=True)
    # Numbers from the sequence claim_turn: of its last turn, and the last of its verifications.
    last_turn: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    verification_turn: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))


class CpuUse(Base):
    """CPU time of executions that ended, written by triggers (migration 0011)."""

    __tablename__ = "cpu_use"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    submitter: Mapped[str]
    ended_at: Mapped[datetime] = mapped_column(server_default=func.now())
    cpu_seconds: Mapped[float]


Index("ix_cpu_use_ended_at", CpuUse.ended_at)


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
