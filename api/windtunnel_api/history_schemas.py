"""Response schemas of histories."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from windtunnel.comparison import Outcome
from windtunnel_api.comparison_schemas import DifferenceOut, EstimateOut
from windtunnel_api.schemas import MetricInfo, SimulatorBuildOut, Wire


class HistoryCampaignOut(Wire):
    """A campaign of a history; ``value`` is that of the label by which they are told apart."""

    id: str
    created_at: datetime
    value: str | None
    labels: dict[str, str]
    simulators: list[SimulatorBuildOut]


class HistoryPointOut(Wire):
    """A cell in one campaign."""

    campaign: str
    planned: int
    values: dict[int, float] = Field(description="By seed.")
    estimate: EstimateOut | None


class HistoryChangeOut(Wire):
    """A change between the stretches before and after; ``campaign`` is the first one after it."""

    campaign: str
    outcome: Outcome
    difference: DifferenceOut
    p: float | None = Field(
        description="Adjusted for all candidates of the history; null if the values are exact."
    )


class HistoryCellOut(Wire):
    """One cell over the campaigns that have it; ``seeds`` are those that the test was based on."""

    coordinates: dict[str, str]
    points: list[HistoryPointOut]
    seeds: list[int]
    changes: list[HistoryChangeOut]


class HistoryOut(Wire):
    """A metric over the campaigns of one name, oldest first, and where it changed."""

    name: str
    labels: dict[str, str]
    by: str | None = Field(description="The label that tells the campaigns apart.")
    metric: MetricInfo
    campaigns: list[HistoryCampaignOut]
    cells: list[HistoryCellOut]
    tests: int = Field(description="Positions where some cell may have changed.")
    notes: list[str]
