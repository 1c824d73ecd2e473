"""Request and response schemas; the web client's types are generated from them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from windtunnel.campaign import CampaignState
from windtunnel.tokens import Scope


class Wire(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="forbid")


class FieldProblem(Wire):
    path: str
    message: str
    line: int | None = None


class ProblemDocument(Wire):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldProblem] | None = None


class MetricInfo(Wire):
    name: str
    unit: str
    direction: Literal["higher", "lower", "none"]
    title: str
    group: str = Field(description="Topic: throughput, delay, drops, ...")
    definition: str
    absent: str = Field(description="Why a run may have no value; empty if it always has one.")


class SimulatorInfo(Wire):
    """A simulator's self-description; ``scenario`` is a JSON Schema."""

    name: str
    title: str
    engine: str
    digest: str
    metrics: list[MetricInfo]
    scenario: dict[str, Any]


class Catalogue(Wire):
    simulators: list[SimulatorInfo]


class RunCounts(Wire):
    queued: int
    running: int
    succeeded: int
    failed: int
    cancelled: int


class SimulatorBuildOut(Wire):
    name: str
    digest: str


class UsedSimulatorOut(SimulatorBuildOut):
    built_at: datetime | None = Field(description="Time of compilation, if known.")


class LintOut(Wire):
    """Something valid in a campaign file that is likely a mistake."""

    path: str
    message: str
    line: int | None


class CampaignOut(Wire):
    """A campaign and its progress.

    ``ended``: all of its runs have ended. ``note``: why its runs can't be executed now.
    """

    id: str
    name: str
    description: str
    state: CampaignState
    simulators: list[UsedSimulatorOut]
    submitted_by: str | None
    created_at: datetime
    cells: int
    replications: int
    total_runs: int
    reused_runs: int
    runs: RunCounts
    ended: bool
    predicted_events: float
    predicted_cpu_seconds: float
    events: int
    actual_events: int
    actual_cpu_seconds: float
    simulated_ns: int
    planned_ns: int
    lints: list[LintOut]
    note: str | None = None


class CampaignDetail(CampaignOut):
    document: dict[str, Any]
    axes: list[str]


class CampaignPage(Wire):
    campaigns: list[CampaignOut]
    next_cursor: str | None


class ReplicationsIn(Wire):
    replications: int = Field(ge=1, strict=True, description="Total number of seeds per cell.")


class PlannedCell(Wire):
    index: int
    coordinates: dict[str, str]
    simulator: SimulatorBuildOut
    digest: str
    cpu_seconds: float = Field(description="Predicted CPU time of one run.")


class PlanOut(Wire):
    """The plan of a dry run; nothing is stored."""

    name: str
    simulators: list[SimulatorBuildOut]
    cells: list[PlannedCell]
    replications: int
    default_metrics: list[str]
    total_runs: int
    reused_runs: int
    predicted_events: float
    predicted_cpu_seconds: float
    calibrated: bool
    lints: list[LintOut]


class RunRow(Wire):
    id: str
    cell_index: int
    coordinates: dict[str, str]
    seed_index: int
    state: str
    failure: str | None
    message: str
    attempt: int
    simulated_ns: int
    duration_ns: int
    events: int
    wall_seconds: float | None
    ended_at: datetime | None


class RunPage(Wire):
    runs: list[RunRow]
    next_cursor: str | None


class MetricOut(Wire):
    name: str
    title: str
    value: float
    unit: str


class CheckOut(Wire):
    name: str
    held: bool
    detail: str


class AttemptOut(Wire):
    number: int
    worker: str
    image: str | None
    started_at: datetime
    ended_at: datetime | None
    outcome: str | None
    message: str


class SeriesInfo(Wire):
    name: str
    unit: str
    first_ns: int
    step_ns: int
    length: int
    maximum: float
    mean: float


class RunOut(Wire):
    """A run; ``spec`` contains everything needed to execute it again without this service."""

    id: str
    state: str
    failure: str | None
    message: str
    note: str | None
    seed_index: int
    simulator_name: str
    simulator_digest: str
    attempt: int
    simulated_ns: int
    duration_ns: int
    events: int
    predicted_events: float
    wall_seconds: float | None
    created_at: datetime
    ended_at: datetime | None
    digest: str | None
    campaigns: list[str]
    spec: dict[str, Any]
    configuration: dict[str, Any] | None
    schedule: str | None
    metadata: dict[str, Any] | None
    metrics: list[MetricOut]
    checks: list[CheckOut]
    series: list[SeriesInfo]
    attempts: list[AttemptOut]


class SeriesOut(SeriesInfo):
    """Values with their times in ns; at most 2,000 points unless ``full`` was requested."""

    times_ns: list[int]
    values: list[float]
    preview: bool


class FlowsOut(Wire):
    flows: list[dict[str, Any]]


class PortsOut(Wire):
    ports: list[dict[str, Any]]


class AttemptLog(AttemptOut):
    stderr: str


class LogOut(Wire):
    attempts: list[AttemptLog]


class VerificationOut(Wire):
    id: str
    run_id: str
    state: Literal["queued", "running", "identical", "different", "failed", "cancelled"]
    requested_by: Annotated[str | None, BeforeValidator(lambda name: name or None)]
    message: str
    digest: str | None
    created_at: datetime
    ended_at: datetime | None


class VerificationPage(Wire):
    verifications: list[VerificationOut]
    next_cursor: str | None


class EstimateOut(Wire):
    """Mean over n seeds with its 95 % interval; sd and interval are null for n = 1."""

    n: int
    mean: float
    sd: float | None
    half_width: float | None
    ci95: tuple[float, float] | None


class DifferenceOut(Wire):
    """Cell minus baseline; ``paired`` by seed, else between independent samples (Welch).

    Relative figures are fractions of the baseline's mean; null if the mean is not significantly
    different from zero.
    """

    paired: bool
    n: int
    mean: float
    half_width: float | None
    ci95: tuple[float, float] | None
    relative_mean: float | None
    relative_half_width: float | None
    relative_ci95: tuple[float, float] | None


class MissingOut(Wire):
    reason: str
    seeds: list[int]


class CellMetricOut(Wire):
    """A metric of one cell. ``missing``: seeds whose run finished without a value."""

    unit: str
    values: dict[int, float]
    estimate: EstimateOut | None
    against_baseline: DifferenceOut | None
    missing: list[MissingOut]


class ComparedCellOut(Wire):
    """A cell. ``planned`` and ``finished`` count seeds; ``missing``: runs without a result."""

    index: int
    coordinates: dict[str, str]
    simulator: SimulatorBuildOut
    is_baseline: bool
    deterministic: bool
    paired: bool | None
    planned: int
    finished: int
    missing: list[MissingOut]
    metrics: dict[str, CellMetricOut]
    digests: dict[int, str]
    runs: dict[int, str]


class FamilyOut(Wire):
    """The comparisons fixed at submission: cells with their baseline, in each default metric."""

    comparisons: int
    metrics: list[str]
    size: int = Field(description="Number of comparisons times number of metrics.")


class ComparisonOut(Wire):
    """Every cell's metrics over its finished seeds, with differences to the baseline."""

    campaign: str
    axes: list[str]
    baseline: dict[str, str]
    confidence: float
    family: FamilyOut
    metrics: list[MetricInfo] = Field(description="Metrics shown in this comparison.")
    available: list[MetricInfo] = Field(description="Metrics available in the campaign's runs.")
    default_metrics: list[str] = Field(description="Metrics shown by default.")
    cells: list[ComparedCellOut]
    notes: list[str] = Field(description="Notes to show below the figures.")


class Health(Wire):
    status: Literal["ok"]


class WorkerOut(Wire):
    name: str
    host: str
    slots: int
    simulators: list[str]


class WorkersOut(Wire):
    workers: list[WorkerOut]


class Ready(Wire):
    status: Literal["ready"]
    workers: int = Field(description="Live workers that offer a simulator.")
    slots: int = Field(description="Their slots; without any, runs wait.")


class QuotasOut(Wire):
    """Quotas; 0 is unlimited. Those of a token are null where the service's default applies."""

    max_open_runs: int | None = Field(
        default=None, ge=0, lt=2**31, description="Queued and running runs and verifications."
    )
    cpu_hours_per_day: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="In the last 24 hours."
    )
    max_storage_bytes: int | None = Field(
        default=None, ge=0, lt=2**63, description="Of results and logs."
    )


class UsageOut(Wire):
    """What a submitter uses, and its quotas (0: unlimited)."""

    name: Annotated[str | None, BeforeValidator(lambda name: name or None)]
    open_runs: int
    cpu_hours: float
    storage_bytes: int
    quotas: QuotasOut


class UsagesOut(Wire):
    submitters: list[UsageOut]


class NewTokenIn(QuotasOut):
    name: str = Field(description="Owner name, shown on the campaigns they submit.", max_length=63)
    scope: Scope
    days: int | None = Field(
        default=365, ge=1, le=3650, description="Days until it expires; null: never."
    )


class TokenOut(QuotasOut):
    id: str
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None = Field(description="null: never.")
    last_used_at: datetime | None = Field(description="To the minute.")
    revoked_at: datetime | None


class NewTokenOut(TokenOut):
    token: str


class TokensOut(Wire):
    tokens: list[TokenOut]


class SessionIn(Wire):
    token: str = Field(max_length=200)


class SessionOut(Wire):
    """``name`` and ``scope`` of the request's token; null without a valid one."""

    name: str | None
    scope: Scope | None


class LinkIn(Wire):
    next: str = Field(
        default="/",
        max_length=200,
        pattern="^/[A-Za-z0-9/_-]*$",
        description="Path of the page to show.",
    )


class LinkOut(Wire):
    path: str = Field(description="Path of the link on this service. It holds once.")
    expires_in_seconds: int


class AuditEntryOut(Wire):
    id: int
    at: datetime
    actor: str | None = Field(description="Name of the token; null for the service itself.")
    token_id: str | None
    address: str | None = Field(description="Of the client.")
    action: str = Field(description="campaign.submit, token.revoke, ...")
    object: str = Field(description="Id of the campaign, run or token.")
    detail: dict[str, Any]


class AuditPage(Wire):
    entries: list[AuditEntryOut]
    next_cursor: str | None
