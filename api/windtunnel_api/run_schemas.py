"""Schemas of single runs and their verifications."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from windtunnel_api.schemas import Wire


class MetricOut(Wire):
    name: str
    title: str
    value: float
    unit: str
    group: str | None = Field(description="Topic; null if no campaign defines the metric.")
    direction: Literal["higher", "lower", "none"] | None
    definition: str | None


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
    stored_bytes: int
    series_pruned_at: datetime | None = Field(description="When its series were pruned.")
    log_pruned_at: datetime | None = Field(
        description="When the logs of the attempts before were pruned."
    )
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
    """Values with their times in ns; ``preview``: only each bucket's extremes."""

    times_ns: list[int]
    values: list[float]
    preview: bool


class SiblingOut(Wire):
    id: str
    cell_index: int
    coordinates: dict[str, str]
    state: str


class SiblingsOut(Wire):
    """A run's place in a campaign, and the campaign's runs with the same seed, itself included."""

    campaign: str
    campaign_name: str
    axes: list[str]
    cell_index: int
    coordinates: dict[str, str]
    seed_index: int
    baseline_run: str | None = Field(
        description="The baseline cell's run with the same seed; null without a baseline."
    )
    is_baseline: bool
    runs: list[SiblingOut] = Field(description="By cell, at most 500.")


class FlowsOut(Wire):
    flows: list[dict[str, Any]]


class PortsOut(Wire):
    ports: list[dict[str, Any]]


class PacketDelayOut(Wire):
    delay_ns: int = Field(description="Largest one-way delay of the range.")
    packets: int = Field(description="Data packets above the previous range's end and up to it.")


class PacketDelaysOut(Wire):
    packet_delays: list[PacketDelayOut] = Field(
        description="Ascending; empty if the simulator does not report them."
    )


class AttemptLog(AttemptOut):
    stderr: str


class LogOut(Wire):
    pruned_at: datetime | None = Field(
        description="When the logs of the attempts before were pruned."
    )
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
