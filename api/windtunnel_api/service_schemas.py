"""Schemas of the service itself: its health, workers and simulators."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from windtunnel_api.schemas import MetricInfo, Wire


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


class TemplateOut(Wire):
    """A campaign file to start from."""

    name: str = Field(description="`incast`, or folder and file of a paper: `cfi16/quick`.")
    kind: Literal["paper", "example"]
    title: str = Field(description="The campaign's name.")
    description: str
    file: str = Field(description="The file's text, YAML.")


class TemplatesOut(Wire):
    templates: list[TemplateOut]
    max_bytes: int = Field(description="Maximum size of a campaign file.")


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


class LiveWorkerOut(WorkerOut):
    seen_at: datetime = Field(description="Its last heartbeat.")


class QueueOut(Wire):
    queued: int
    running: int
    oldest_queued_seconds: float | None = Field(
        description="Since the creation of the oldest queued run; null without any."
    )
    verifications: int = Field(description="Queued and running ones.")


class DatabaseOut(Wire):
    bytes: int
    campaigns: int
    runs: int


class InstalledSimulatorOut(Wire):
    name: str
    digest: str
    built_at: datetime | None


class SystemOut(Wire):
    """The state of the installation."""

    version: str
    started_at: datetime = Field(description="When this API process started.")
    schema_version: str = Field(description="Of the database: its newest migration.")
    workers: list[LiveWorkerOut]
    queue: QueueOut
    database: DatabaseOut
    simulators: list[InstalledSimulatorOut]
