"""The comparison document: everything that tables, pages and files show, already computed.

The API returns it as JSON, field by field (windtunnel_api.schemas.ComparisonOut).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.comparison.table import SimulatorBuild
from windtunnel.spec.description import Metric
from windtunnel.statistics import Difference, Estimate


@dataclass(frozen=True)
class Missing:
    """Seeds without a value, and the reason that they share."""

    reason: str
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class CellMetric:
    """One metric of one cell over its finished seeds.

    ``estimate`` is None if there are no values. ``missing`` lists finished runs without a value.
    """

    unit: str
    values: Mapping[int, float]
    estimate: Estimate | None
    against_baseline: Difference | None
    missing: tuple[Missing, ...]


@dataclass(frozen=True)
class ComparedCell:
    """One cell. ``planned`` and ``finished`` count seeds; ``missing`` lists runs without a result.

    ``deterministic``: several seeds all have the same records and count as one observation.
    ``paired``: whether cell and baseline had the same traffic schedule for every seed; None for
    the baseline itself, without a baseline, or before both have finished a common seed.
    """

    index: int
    coordinates: Mapping[str, str]
    simulator: SimulatorBuild
    is_baseline: bool
    deterministic: bool
    paired: bool | None
    planned: int
    finished: int
    missing: tuple[Missing, ...]
    metrics: Mapping[str, CellMetric]
    digests: Mapping[int, str]
    runs: Mapping[int, str]


@dataclass(frozen=True)
class Family:
    """The comparisons fixed at submission: ``comparisons`` cells with their baseline, in each of
    the default ``metrics``; ``size`` is their product."""

    comparisons: int
    metrics: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Comparison:
    """A comparison of all cells. ``metrics`` are shown, ``available`` are those that any run has.

    ``notes`` are sentences that explain the figures, printed below them.
    """

    campaign: str
    axes: tuple[str, ...]
    baseline: Mapping[str, str]
    confidence: float
    family: Family
    metrics: tuple[Metric, ...]
    available: tuple[Metric, ...]
    default_metrics: tuple[str, ...]
    cells: tuple[ComparedCell, ...]
    notes: tuple[str, ...]
