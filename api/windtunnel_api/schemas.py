"""Schemas shared by several families of routes; the web client's types are generated from all."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


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
    relevance: str = Field(description="Smallest difference that matters: `5 %`, `1 ms`, `none`.")


class SimulatorBuildOut(Wire):
    name: str
    digest: str


class LintOut(Wire):
    """Something valid in a campaign file that is likely a mistake."""

    path: str
    message: str
    line: int | None


class FamilyOut(Wire):
    """The comparisons on which verdicts are given, fixed at submission."""

    comparisons: int
    metrics: list[str]
    size: int = Field(description="Number of comparisons times number of metrics.")
