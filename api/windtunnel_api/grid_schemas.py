"""Schemas of a campaign's grid of runs, its failures and its distributions."""

from __future__ import annotations

from pydantic import Field

from windtunnel_api.schemas import Wire


class GridOut(Wire):
    """The state of every run of a campaign, by cell."""

    cells: int
    replications: int = Field(description="Seeds of every cell; a growing cell may have more.")
    coordinates: list[dict[str, str]]
    planned: list[int] = Field(description="Number of seeds of each cell.")
    states: list[str] = Field(
        description="A letter per seed: q queued, r running, s succeeded, f failed, c cancelled, "
        "- without a run."
    )


class FailureGroupOut(Wire):
    """Failed runs with the same reason and, apart from numbers, the same message."""

    failure: str | None
    message: str = Field(description="Of the example.")
    count: int
    cell_count: int
    cells: list[int] = Field(description="Indices of cells, at most 20.")
    example_run: str
    runs: list[str] = Field(description="At most 20.")
    log_tail: str = Field(
        description="The last 20 lines of stderr of the example's last attempt; may be empty."
    )


class FailuresOut(Wire):
    groups: list[FailureGroupOut] = Field(description="The largest first; at most 50.")


class FlowField(Wire):
    """A numeric field of flow records."""

    name: str
    title: str
    unit: str


class CellDistribution(Wire):
    cell: int
    coordinates: dict[str, str]
    n_flows: int = Field(description="Flows with a value, of all seeds.")
    n_seeds: int
    points: list[tuple[float, float]] = Field(
        description="Values, each with the fraction of flows up to it; at most 400."
    )


class DistributionsOut(Wire):
    """The distribution of a field over the flows of each cell, pooled over its seeds."""

    field: str = Field(description="Empty while no run has flow records.")
    title: str
    unit: str
    available: list[FlowField]
    cells: list[CellDistribution]
