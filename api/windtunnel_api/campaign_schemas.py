"""Schemas of campaigns, their plans and lists of runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from windtunnel.campaign import CampaignState
from windtunnel_api.schemas import FamilyOut, LintOut, SimulatorBuildOut, Wire


class RunCounts(Wire):
    queued: int
    running: int
    succeeded: int
    failed: int
    cancelled: int


class UsedSimulatorOut(SimulatorBuildOut):
    built_at: datetime | None = Field(description="Time of compilation, if known.")


class CampaignOut(Wire):
    """A campaign and its progress.

    ``ended``: all of its runs have ended. ``note``: why its runs can't be executed now.
    """

    id: str
    name: str
    description: str
    state: CampaignState
    superseded_by: str | None = Field(description="The newer campaign for which it was cancelled.")
    simulators: list[UsedSimulatorOut]
    submitted_by: str | None
    created_at: datetime
    cells: int
    replications: int
    total_runs: int
    reused_runs: int
    runs: RunCounts
    ended: bool
    algorithms: list[str] = Field(
        description="Kinds of congestion control in its cells, in order of appearance."
    )
    topologies: list[str]
    workloads: list[str]
    predicted_events: float
    predicted_cpu_seconds: float
    events: int
    actual_events: int
    actual_cpu_seconds: float
    simulated_ns: int
    planned_ns: int
    lints: list[LintOut]
    labels: dict[str, str]
    keep: bool = Field(description="Retention never touches its runs.")
    stored_bytes: int = Field(description="Of the results and logs of its runs, shared or not.")
    pruned_runs: int = Field(description="Runs that were deleted after it was cancelled.")
    note: str | None = None


class SubmittedOut(CampaignOut):
    superseded: list[str] = Field(description="Older campaigns that were cancelled for this one.")


class StorageOut(Wire):
    """How many bytes other campaigns use too, and runs whose series or logs were pruned."""

    shared_bytes: int
    runs_without_series: int
    runs_without_logs: int


class WebhookOut(Wire):
    """The last delivery to the campaign's webhook."""

    url: str
    state: Literal["waiting", "retrying", "delivered", "given_up"]
    event: str
    attempts: int
    last_error: str
    delivered_at: datetime | None
    next_attempt_at: datetime | None


class SampledAxisOut(Wire):
    """An axis that a design samples between two bounds."""

    name: str
    low: str
    high: str
    scale: Literal["linear", "log", "integer"]


class DesignOut(Wire):
    """A design that samples axes instead of crossing their values (docs/sensitivity.md)."""

    kind: Literal["saltelli", "lhs", "morris"]
    n: int
    levels: int | None = Field(description="Of each axis of a Morris design.")
    formula: str = Field(description="How its rows come about: `256 x (4 + 2)`.")
    rows: int
    points: int = Field(description="Different rows: rounding makes some coincide.")
    inputs: list[SampledAxisOut]


class CampaignDetail(CampaignOut):
    document: dict[str, Any]
    axes: list[str]
    design: DesignOut | None = Field(description="Null for a grid.")
    default_metrics: list[str] = Field(
        description="Names of the metrics that its workloads are about."
    )
    storage: StorageOut
    predicted_wall_seconds_left: float | None = Field(
        description=(
            "Until its runs have ended, if all other queued ones come first; null if they have "
            "ended, while they can't be executed (`note`), or without workers."
        )
    )
    webhook: WebhookOut | None = Field(
        description="Its last delivery; null without `notify` or before it ends."
    )


class CampaignPage(Wire):
    campaigns: list[CampaignOut]
    next_cursor: str | None


class FacetValueOut(Wire):
    name: str
    count: int = Field(description="Number of campaigns that have it.")


class StateCounts(Wire):
    planned: int
    running: int
    ended: int
    cancelled: int
    failures: int = Field(description="Ended, with a failed run.")


class FacetsOut(Wire):
    """What campaigns can be filtered by; at most the 50 most frequent values each."""

    total: int
    states: StateCounts
    submitters: list[FacetValueOut]
    algorithms: list[FacetValueOut]
    topologies: list[FacetValueOut]
    labels: list[FacetValueOut] = Field(description="As `branch=main`.")


class ReplicationsIn(Wire):
    replications: int = Field(ge=1, strict=True, description="Total number of seeds per cell.")


class CampaignPatch(Wire):
    keep: bool = Field(strict=True, description="Whether retention never touches its runs.")


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
    design: DesignOut | None = Field(description="Null for a grid.")
    replications: int
    default_metrics: list[str]
    family: FamilyOut
    power: str = Field(description="What verdicts will be able to show; empty without a family.")
    gates: int = Field(description="Number of gates.")
    references: list[str] = Field(description="Other campaigns that gates name.")
    total_runs: int
    reused_runs: int
    predicted_events: float
    predicted_cpu_seconds: float
    predicted_wall_seconds: float | None = Field(
        description="Until its new runs have ended after all queued ones; null without workers."
    )
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
