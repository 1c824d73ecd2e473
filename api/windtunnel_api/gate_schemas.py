"""Response schemas of gates."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from windtunnel.comparison.gate_tests import GateOutcome
from windtunnel.comparison.gates import GateReport, GateResult, GateStatus
from windtunnel_api.comparison_schemas import DifferenceOut, EstimateOut
from windtunnel_api.schemas import Wire


class GateOut(Wire):
    """A gate as written, with labels by axis.

    ``against`` is `baseline`, labels of another cell, another campaign (an id or
    `label:branch=main`), or null for an absolute condition.
    """

    metric: str
    require: str
    cells: dict[str, list[str]]
    against: str | dict[str, str] | None
    inconclusive: Literal["pass", "warn", "fail", "extend"]
    allow_differences: bool


class LookOut(Wire):
    """The test that a gate has reached; one that does not extend has only one."""

    number: int
    count: int
    replications: int = Field(description="Used by this look.")
    alpha: float = Field(description="Level of each one-sided test.")
    following: int | None = Field(description="Replications of the next look; null after the last.")


class WorstSeedOut(Wire):
    seed: int
    run: str


class GateCellOut(Wire):
    """A gate's test on one cell."""

    index: int
    coordinates: dict[str, str]
    reference: dict[str, str] = Field(description="Labels that tell the reference from the cell.")
    outcome: GateOutcome
    reason: str
    exact: bool = Field(description="Numbers were compared: neither cell depends on the seed.")
    waiting: bool = Field(description="Runs have not ended.")
    runs_missing: bool = Field(description="Not passed only because runs have no result.")
    p_pass: float | None = Field(description="p of the hypothesis that the condition is violated.")
    p_fail: float | None = Field(description="p of the hypothesis that the condition holds.")
    estimate: EstimateOut | None = Field(description="The cell's own mean.")
    difference: DifferenceOut | None = Field(description="To the reference.")
    worst: WorstSeedOut | None = Field(description="The seed that speaks most against the gate.")


class GateResultOut(Wire):
    gate: GateOut
    unit: str
    direction: Literal["higher", "lower", "none"]
    status: GateStatus
    outcome: GateOutcome
    allowed: str = Field(description="What the condition allows: `+5 %`, `at most 12 ms`.")
    relative: bool = Field(description="The margin is a share of the reference's mean.")
    look: LookOut
    cells: list[GateCellOut]

    @classmethod
    def of(cls, result: GateResult) -> GateResultOut:
        threshold = result.condition.threshold
        return cls(
            gate=GateOut.model_validate(
                {**vars(result.gate), "cells": {a: list(c) for a, c in result.gate.cells.items()}}
            ),
            unit=result.metric.unit,
            direction=result.metric.direction,  # type: ignore[arg-type]
            status=result.status,
            outcome=result.outcome,
            allowed=result.allowed,
            relative=threshold is None or threshold.relative,
            look=LookOut.model_validate(result.look),
            cells=[GateCellOut.model_validate(cell) for cell in result.cells],
        )


class GatesOut(Wire):
    """A campaign's gates, evaluated. ``status`` is the worst of them; null without gates."""

    campaign: str
    status: GateStatus | None
    extend_to: int | None = Field(
        description="Replications that the gates ask for, if that is all that is missing."
    )
    gates: list[GateResultOut]

    @classmethod
    def of(cls, report: GateReport) -> GatesOut:
        return cls(
            campaign=report.campaign,
            status=report.status,
            extend_to=report.extend_to,
            gates=[GateResultOut.of(result) for result in report.gates],
        )
