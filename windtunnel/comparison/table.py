"""Input of a comparison: cells x seeds x metrics, including missing runs and their reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from windtunnel.run import RunState
from windtunnel.spec.description import Metric


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
    holds the metric names by simulator digest if there are several simulators.
    """

    campaign: str
    axes: tuple[str, ...]
    baseline: Mapping[str, str]
    metrics: tuple[Metric, ...]
    default_metrics: tuple[str, ...]
    measured: Mapping[str, frozenset[str]] = field(default_factory=dict)

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
