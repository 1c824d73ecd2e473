"""What a comparison is made from: cells x seeds x metrics, with what is missing and why."""

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
    """What a campaign fixes about its comparison when it is submitted.

    ``baseline`` gives the baseline's label on the axes that it is set on; ``metrics`` are the
    definitions of its simulators, ``default_metrics`` names, labelled ones too. ``measured`` has
    the names that a simulator measures, by its digest, where there are several simulators.
    """

    campaign: str
    axes: tuple[str, ...]
    baseline: Mapping[str, str]
    metrics: tuple[Metric, ...]
    default_metrics: tuple[str, ...]
    measured: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def measures(self, simulator: SimulatorBuild, metric: str) -> bool:
        """Whether a simulator may report a metric, labelled or not."""
        names = self.measured.get(simulator.digest)
        return names is None or metric.partition(":")[0] in names


@dataclass(frozen=True)
class CellRun:
    """One planned run of a cell. ``schedule`` is the digest of its traffic, once it succeeded."""

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
    """One cell: every planned run and every value, by seed index.

    ``baseline`` is the index of the cell that it is compared with (its own for the baseline), None
    without one. ``values`` and ``units`` are by metric name, of succeeded runs. Seeds are in order.
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
        """Several seeds, all with the same records: one observation, however often repeated."""
        digests = [run.digest for run in self.finished.values()]
        return len(digests) > 1 and len(set(digests)) == 1


@dataclass(frozen=True)
class ResultTable:
    """All results of a campaign, cell by cell."""

    design: Design
    cells: tuple[CellResults, ...]
