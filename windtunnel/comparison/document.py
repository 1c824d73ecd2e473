"""The comparison document: everything that tables, pages and files show, already computed.

The API returns it as JSON, field by field (windtunnel_api.comparison_schemas.ComparisonOut).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from windtunnel.comparison.coexistence import Coexistence
from windtunnel.comparison.configurations import ConfigurationDifference
from windtunnel.comparison.ranking import ParetoFront, Ranking
from windtunnel.comparison.table import SimulatorBuild
from windtunnel.comparison.verdicts import Verdict
from windtunnel.spec.analysis import Family
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
    ``verdict`` is None for the baseline, without a baseline, and outside the family.
    """

    unit: str
    values: Mapping[int, float]
    estimate: Estimate | None
    against_baseline: Difference | None
    verdict: Verdict | None
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
class Reference:
    """The campaign with which another is compared.

    ``cells`` maps indices of the campaign's cells to those of the matching ones here.
    """

    campaign: str
    name: str
    labels: Mapping[str, str]
    created_at: datetime
    cells: Mapping[int, int]
    differences: tuple[ConfigurationDifference, ...]


@dataclass(frozen=True)
class Comparison:
    """A comparison of all cells. ``metrics`` are shown, ``available`` are those that any run has.

    ``summary`` are sentences that conclude; ``headlines`` has one sentence for each metric, and for
    ``coexistence``, over all settings; ``notes`` are sentences that explain the figures.
    ``baseline`` is the one compared with; verdicts hold for ``declared_baseline`` only.
    ``against`` is the campaign that takes the baseline's place in a comparison across campaigns.
    """

    campaign: str
    axes: tuple[str, ...]
    baseline: Mapping[str, str]
    declared_baseline: Mapping[str, str]
    confidence: float
    family: Family
    metrics: tuple[Metric, ...]
    available: tuple[Metric, ...]
    default_metrics: tuple[str, ...]
    cells: tuple[ComparedCell, ...]
    rankings: tuple[Ranking, ...]
    pareto: tuple[ParetoFront, ...]
    coexistence: tuple[Coexistence, ...]
    summary: tuple[str, ...]
    headlines: Mapping[str, str]
    notes: tuple[str, ...]
    against: Reference | None = None
