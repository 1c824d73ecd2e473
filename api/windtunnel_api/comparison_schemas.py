"""Response schemas of comparisons."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from windtunnel.comparison import Outcome
from windtunnel_api.schemas import FamilyOut, MetricInfo, SimulatorBuildOut, Wire


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


class VerdictOut(Wire):
    """The verdict on one metric of one cell against its baseline, or the reason why there is none.

    p values are adjusted for the family by Holm's method.
    """

    outcome: Outcome | None = Field(
        description="`higher` or `lower` where neither is better; null without a verdict."
    )
    label: str = Field(
        description="The outcome, or `incomplete`, `exact` (deterministic), `no verdict`."
    )
    p: float | None = Field(description="Of the difference.")
    p_equivalence: float | None = Field(
        description="Of equivalence within the relevance threshold; null without a threshold."
    )
    needed: int | None = Field(
        description="Seeds that would probably settle an inconclusive verdict."
    )
    reason: str
    incomplete: bool = Field(description="Some planned run has no value.")


class MissingOut(Wire):
    reason: str
    seeds: list[int]


class CellMetricOut(Wire):
    """A metric of one cell. ``missing``: seeds whose run finished without a value.

    ``verdict`` is null for the baseline, without a baseline, and outside the family.
    """

    unit: str
    values: dict[int, float]
    estimate: EstimateOut | None
    against_baseline: DifferenceOut | None
    verdict: VerdictOut | None
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


class PlaceOut(Wire):
    """A cell in a ranking; ``tied``: it shares its rank with cells that can't be told apart."""

    cell: int
    rank: int
    tied: bool
    mean: float


class RankingOut(Wire):
    """The cells of one setting by a metric, best first. ``unranked`` ones lack values."""

    metric: str
    setting: dict[str, str] = Field(description="Labels that the cells share, by axis.")
    places: list[PlaceOut]
    unranked: list[int]


class ParetoFrontOut(Wire):
    """Cells of one setting that no other cell dominates in both metrics, by their means."""

    metrics: tuple[str, str]
    setting: dict[str, str]
    cells: list[int]


class ShareOut(Wire):
    """The share of its max-min fair rate that an algorithm gets beside another, in percent."""

    algorithm: str
    against: str
    estimate: EstimateOut | None


class ContentiousnessOut(Wire):
    """What an algorithm leaves to the others: the mean of their shares; rank 1 leaves least."""

    algorithm: str
    rank: int
    tied: bool
    left_to_others: EstimateOut


class CoexistenceOut(Wire):
    """The matrix of shares of one setting, row by row, and the ranking by contentiousness."""

    setting: dict[str, str]
    algorithms: list[str]
    shares: list[ShareOut]
    contentiousness: list[ContentiousnessOut]


class ConfigurationDifferenceOut(Wire):
    """A difference between two campaigns' configurations, from the reference to the campaign."""

    kind: Literal["simulator", "scenario", "effective", "replications", "cells"] = Field(
        description=(
            "`scenario`: a field of the resolved scenario; `effective`: a setting that the "
            "simulator reports, where the scenario is the same; `cells`: only one campaign has "
            "them."
        )
    )
    path: str
    before: str
    after: str
    cells: int = Field(description="Number of cells that it is about.")
    text: str


class ReferenceOut(Wire):
    """The campaign with which another is compared."""

    campaign: str
    name: str
    labels: dict[str, str]
    created_at: datetime
    cells: dict[int, int] = Field(
        description="The cell of the reference by the index of the campaign's matching cell."
    )
    differences: list[ConfigurationDifferenceOut]


class ComparisonOut(Wire):
    """Every cell's metrics over its finished seeds, with differences to the baseline."""

    campaign: str
    axes: list[str]
    baseline: dict[str, str] = Field(description="Labels of the baseline compared with, by axis.")
    declared_baseline: dict[str, str] = Field(
        description="The baseline that the campaign declares; verdicts hold for it only."
    )
    confidence: float
    family: FamilyOut
    metrics: list[MetricInfo] = Field(description="Metrics shown in this comparison.")
    available: list[MetricInfo] = Field(description="Metrics available in the campaign's runs.")
    default_metrics: list[str] = Field(description="Metrics shown by default.")
    cells: list[ComparedCellOut]
    rankings: list[RankingOut]
    pareto: list[ParetoFrontOut] = Field(
        description="Over the first throughput and the delay metric shown; empty without both."
    )
    coexistence: list[CoexistenceOut] = Field(
        description="Of campaigns with an axis of algorithms for each of two groups of flows."
    )
    summary: list[str] = Field(description="The conclusions, as sentences.")
    headlines: dict[str, str] = Field(
        description="The answer in one sentence over all settings, by metric, and of `coexistence`."
    )
    notes: list[str] = Field(description="Notes to show below the figures.")
    against: ReferenceOut | None = Field(
        description="The campaign that takes the baseline's place; null for a campaign's own."
    )
