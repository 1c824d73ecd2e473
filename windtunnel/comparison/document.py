"""The comparison as a value: everything that a table, a page or a file shows, already computed.

The API's answer is this document as JSON, field by field (windtunnel_api.schemas.ComparisonOut).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.comparison.table import SimulatorBuild
from windtunnel.spec.description import Metric
from windtunnel.statistics import Difference, Estimate


@dataclass(frozen=True)
class Missing:
    """Seeds without a value, and the one reason that they share."""

    reason: str
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class CellMetric:
    """One metric of one cell over its finished seeds.

    ``estimate`` is None without any value; ``missing`` lists finished runs that reported none.
    """

    unit: str
    values: Mapping[int, float]
    estimate: Estimate | None
    against_baseline: Difference | None
    missing: tuple[Missing, ...]


@dataclass(frozen=True)
class ComparedCell:
    """One cell. ``planned`` and ``finished`` count seeds; ``missing`` lists runs without a result.

    ``deterministic``: several seeds, all with the same records, which are one observation.
    ``paired``: whether each seed gave it the traffic schedule that it gave the baseline; None for
    the baseline itself, without one, or before both have a seed in common.
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
    """What a campaign asks when it is submitted: so many cells against their baseline, in each of
    the default metrics; ``size`` questions in all."""

    comparisons: int
    metrics: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Comparison:
    """``metrics`` are those shown, ``available`` those that any run has. ``notes`` are sentences
    about how to read the figures, to be printed below them."""

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
