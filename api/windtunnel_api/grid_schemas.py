"""Schemas of a campaign's grid of runs, its failures and its distributions."""

from __future__ import annotations

from typing import Literal

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


class DistributedField(Wire):
    """A quantity with a distribution: a numeric field of flow records, or the packet delay."""

    name: str
    title: str
    unit: str


class CellDistribution(Wire):
    cell: int
    coordinates: dict[str, str]
    n_values: int = Field(description="Flows or packets with a value, of all seeds.")
    n_missing: int = Field(
        description="Flows without a value, such as the completion time of an unfinished transfer; "
        "not in n_values."
    )
    n_seeds: int
    points: list[tuple[float, float]] = Field(
        description="Values, each with the fraction of flows or packets up to it; at most 400."
    )


class DistributionsOut(Wire):
    """The distribution of a field over the flows or packets of each cell, pooled over its seeds."""

    of: Literal["flows", "packets"] = Field(description="What the fractions are of.")
    field: str = Field(description="Empty while no run has flow records or packet delays.")
    title: str
    unit: str
    available: list[DistributedField]
    cells: list[CellDistribution]
