"""Input of a comparison: cells x seeds x metrics, including missing runs and their reasons."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

from windtunnel.run import RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric
from windtunnel.spec.relevance import Threshold, parse_threshold

T = TypeVar("T")


@dataclass(frozen=True)
class SimulatorBuild:
    """One build of a simulator."""

    name: str
    digest: str


@dataclass(frozen=True)
class Design:
    """The parts of a comparison that are fixed when the campaign is submitted.

    ``baseline`` maps axes to the baseline's labels. ``metrics`` are the definitions from the
    campaign's simulators; ``default_metrics`` are names, including labelled ones. ``measured``
    holds the metric names by simulator digest if there are several simulators. ``analysis`` is the
    campaign's own: its family of metrics and relevance thresholds. ``groups`` are the names of the
    groups of flows that compete in each run.
    """

    campaign: str
    axes: tuple[str, ...]
    baseline: Mapping[str, str]
    metrics: tuple[Metric, ...]
    default_metrics: tuple[str, ...]
    measured: Mapping[str, frozenset[str]] = field(default_factory=dict)
    analysis: Analysis = field(default_factory=Analysis)
    groups: tuple[str, ...] = ()

    @property
    def family(self) -> tuple[str, ...]:
        """Names of the metrics on which verdicts are given."""
        return self.analysis.family or self.default_metrics

    def threshold(self, metric: Metric) -> Threshold | None:
        """The relevance threshold of a metric: the campaign's, else the simulator's."""
        return parse_threshold(self._relevance(metric), metric.unit)

    def with_threshold(self, metric: Metric) -> Metric:
        """The metric with the campaign's relevance threshold."""
        return replace(metric, relevance=self._relevance(metric))

    def _relevance(self, metric: Metric) -> str:
        return self.analysis.relevance.get(metric.name, metric.relevance)

    def measures(self, simulator: SimulatorBuild, metric: str) -> bool:
        """Whether a simulator can report a metric, labelled or not."""
        names = self.measured.get(simulator.digest)
        return names is None or metric.partition(":")[0] in names


@dataclass(frozen=True)
class CellRun:
    """One planned run of a cell. ``schedule`` is its traffic digest, set when it has succeeded."""

    id: str
    state: RunState
    failure: str | None = None
    digest: str | None = None
    schedule: str | None = None

    @property
    def missing(self) -> str | None:
        """Why there is no result, or None."""
        match self.state:
            case RunState.SUCCEEDED:
                return None
            case RunState.FAILED:
                return f"failed: {self.failure}"
            case RunState.CANCELLED:
                return "cancelled"
        return "not finished"


@dataclass(frozen=True)
class CellResults:
    """One cell with its planned runs and values by seed index.

    ``baseline`` is the index of the cell to compare with (the baseline's own index for itself), or
    None. ``values`` and ``units`` of succeeded runs are keyed by metric name. Seeds are sorted.
    """

    index: int
    coordinates: Mapping[str, str]
    simulator: SimulatorBuild
    baseline: int | None
    runs: Mapping[int, CellRun]
    values: Mapping[str, Mapping[int, float]]
    units: Mapping[str, str]
    _known: dict[Hashable, tuple[tuple[object, ...], Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def remembered(self, key: Hashable, sources: tuple[object, ...], compute: Callable[[], T]) -> T:
        """``compute()``, or what it was the last time if the sources are the very same objects.

        A comparison after one more run computes only what that run's cell is part of, as long as
        the table keeps the other cells' objects.
        """
        before, known = self._known.get(key, (None, None))
        if (
            before is None
            or len(before) != len(sources)
            or not all(map(operator.is_, before, sources))
        ):
            known = compute()
            self._known[key] = sources, known
        return cast("T", known)

    @cached_property
    def finished(self) -> Mapping[int, CellRun]:
        """Succeeded runs by seed index."""
        return {seed: run for seed, run in self.runs.items() if run.missing is None}

    @cached_property
    def deterministic(self) -> bool:
        """Whether several seeds all gave the same records, which count as one observation."""
        digests = [run.digest for run in self.finished.values()]
        return len(digests) > 1 and len(set(digests)) == 1


@dataclass(frozen=True)
class ResultTable:
    """All results of a campaign, cell by cell."""

    design: Design
    cells: tuple[CellResults, ...]
