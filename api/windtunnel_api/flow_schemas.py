"""Response schemas of analyses over flows."""

from __future__ import annotations

from pydantic import Field

from windtunnel_api.comparison_schemas import EstimateOut
from windtunnel_api.grid_schemas import DistributedField
from windtunnel_api.schemas import Wire


class FlowPercentileOut(Wire):
    percent: float
    pooled: float = Field(description="Over the flows of all seeds.")
    by_seed: EstimateOut = Field(description="Mean of the seeds' own percentiles.")
    is_extreme: bool = Field(
        description="Some seed has so few flows that its percentile is its largest or smallest."
    )


class CellPercentilesOut(Wire):
    cell: int
    coordinates: dict[str, str]
    n_values: int = Field(description="Flows with a value, of all seeds.")
    n_missing: int = Field(
        description="Flows without a value, such as the completion time of an unfinished transfer; "
        "not in n_values."
    )
    n_seeds: int = Field(description="Seeds that all gave the same records count as one.")
    fewest: int = Field(description="Flows with a value of the seed that has fewest.")
    percentiles: list[FlowPercentileOut] = Field(description="Ascending; empty without values.")


class FlowPercentilesOut(Wire):
    """Percentiles of a field over the flows of each cell, pooled over its seeds and by seed."""

    field: str = Field(description="Empty while no run has flow records.")
    title: str
    unit: str
    available: list[DistributedField]
    cells: list[CellPercentilesOut]
    notes: list[str] = Field(description="How to read the figures.")


class FairnessPointOut(Wire):
    time_s: float = Field(description="End of the interval.")
    mean: float = Field(description="Jain's index, mean over the seeds.")
    ci95: tuple[float, float] | None = Field(description="Null for a single seed.")
    seeds: int = Field(description="Seeds with at least two active flows.")


class CellFairnessOut(Wire):
    cell: int
    coordinates: dict[str, str]
    points: list[FairnessPointOut]


class FairnessOut(Wire):
    """Jain's fairness index of the flows' goodput over time, by cell."""

    window_s: float = Field(description="Length of an interval.")
    cells: list[CellFairnessOut]
    notes: list[str]
