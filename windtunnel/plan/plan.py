"""The grid of a campaign's cells, each a fully resolved scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import Problem
from windtunnel.plan.identity import cell_digest, run_identity
from windtunnel.plan.lints import Lints
from windtunnel.plan.scenarios import GridScenarios, PathError
from windtunnel.spec.analysis import Family, check_analysis
from windtunnel.spec.axes import Axis, AxisValue
from windtunnel.spec.campaign import Campaign
from windtunnel.spec.description import Cost, Description, Metric
from windtunnel.spec.document import Document, join_path, split_path
from windtunnel.spec.gates import check_gates
from windtunnel.spec.limits import (
    MAX_PROBLEMS,
    MAX_SCENARIO_BYTES,
)
from windtunnel.spec.schema import MISSING, RENAMED, UNKNOWN
from windtunnel.spec.work import TooMuchWorkError, Work

_MAX_DUPLICATES = 10  # cells named in messages
_NOT_WHOLE = " is not a whole number"


@dataclass(frozen=True)
class Cell:
    """One point of the grid: its value on every axis, its simulator, its resolved scenario.

    ``value_indices`` are the values' indices on the axes, ``coordinates`` their labels by axis.
    ``baseline`` is the index of the cell that it is compared with; ``cost`` is that of one run.
    """

    index: int
    value_indices: tuple[int, ...]
    coordinates: Mapping[str, str]
    simulator: Description
    scenario: Mapping[str, Any]
    digest: str
    baseline: int | None
    cost: Cost


@dataclass(frozen=True)
class Plan:
    """All cells of a campaign and how often each is run; seed indices count from 1.

    ``metrics`` are those of all its simulators, ``default_metrics`` the names of those that its
    comparison shows unless told otherwise (labelled ones too). ``lints`` name what is valid but
    likely a mistake.
    """

    campaign: Campaign
    cells: tuple[Cell, ...]
    metrics: tuple[Metric, ...]
    default_metrics: tuple[str, ...]
    lints: tuple[Problem, ...] = ()

    @property
    def seed_indices(self) -> range:
        return range(1, self.campaign.replications + 1)

    @property
    def run_count(self) -> int:
        return len(self.cells) * self.campaign.replications

    @property
    def family(self) -> Family:
        """The comparisons on which verdicts are given."""
        compared = [cell for cell in self.cells if cell.baseline not in (None, cell.index)]
        names = self.campaign.analysis.family or self.default_metrics
        return Family.of(len(compared), names)

    @property
    def simulators(self) -> tuple[Description, ...]:
        """Those that some cell runs on, in the order of the cells."""
        return tuple({cell.simulator.digest: cell.simulator for cell in self.cells}.values())

    def runs(self) -> Iterator[tuple[Cell, int, str]]:
        """Every (cell, seed index, identity): seed by seed, so that early results compare."""
        for seed_index in self.seed_indices:
            for cell in self.cells:
                yield cell, seed_index, run_identity(cell.digest, seed_index, cell.simulator.digest)


def make_plan(
    campaign: Campaign,
    simulators: Mapping[str, Description],
    document: Document | None = None,
) -> Plan:
    """Resolve every cell against its own simulator's schema.

    ``simulators`` has each reference of ``campaign.simulators()``. Raises SpecError with all
    problems, with ``document``'s lines.
    """
    grid = _Grid(campaign, simulators)
    grid.resolve()
    problems = [*grid.problems.values(), *_duplicates(grid.cells)]
    metrics, default_metrics = _metrics(grid.cells, list(grid.default_metrics))
    if not problems:
        problems = check_analysis(
            campaign.analysis, metrics, campaign.baseline, campaign.replications
        )
        axes = {axis.name: [value.label for value in axis.values] for axis in campaign.axes}
        analysis = campaign.analysis
        problems += check_gates(
            analysis.gates,
            metrics,
            axes,
            campaign.baseline,
            grows=analysis.stopping is not None,
            sample=campaign.design.sample if campaign.design else None,
        )
    if problems:
        raise (document or Document(campaign.document)).error(problems)
    located = tuple(
        document.locate(lint) if document and document.line_of(lint.path) else lint
        for lint in grid.lints.problems()
    )
    return Plan(campaign, tuple(grid.cells), metrics, default_metrics, located)


def _metrics(
    cells: Sequence[Cell], chosen: Sequence[str]
) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
    """Metrics of all simulators, and the default ones, in the simulators' order.

    Where two simulators give one name different units, the first one's counts.
    """
    metrics: dict[str, Metric] = {}
    for simulator in {cell.simulator.digest: cell.simulator for cell in cells}.values():
        for metric in simulator.metrics:
            metrics.setdefault(metric.name, metric)
    order = {name: place for place, name in enumerate(metrics)}
    names = sorted(chosen, key=lambda name: order[name.partition(":")[0]])
    return tuple(metrics.values()), tuple(names)


class _Grid:
    """Resolves the cells of a campaign, one by one, until there are too many problems.

    ``problems`` has each message once per axis or field.
    """

    def __init__(self, campaign: Campaign, simulators: Mapping[str, Description]) -> None:
        self.cells: list[Cell] = []
        self.default_metrics: dict[str, None] = {}
        self.lints = Lints(campaign)
        self.problems: dict[tuple[str, str], Problem] = {}
        self._campaign = campaign
        self._simulators = simulators
        self._sampled = {axis.name for axis in campaign.axes if axis.sampled}
        self._points = campaign.points()
        self._positions = {_labels(point): index for index, point in enumerate(self._points)}
        self._work = Work()
        self._resolvers = {
            reference: simulator.resolver(self._work) for reference, simulator in simulators.items()
        }
        self._scenarios = GridScenarios(campaign.scenario, self._work)
        self._bytes = 0  # of all scenarios

    def resolve(self) -> None:
        for index, point in enumerate(self._points):
            try:
                self._resolve_cell(index, point)
            except TooMuchWorkError:
                if not self.problems:
                    self._too_large("takes too much work", index)
                return
            if len(self.problems) > MAX_PROBLEMS:
                return
            if self._bytes > MAX_SCENARIO_BYTES:
                self._too_large(f"makes scenarios of over {MAX_SCENARIO_BYTES} bytes", index)
                return

    def _resolve_cell(self, index: int, point: Sequence[AxisValue]) -> None:
        reference = self._campaign.simulator_at(point)
        simulator = self._simulators[reference]
        try:
            scenario = self._scenarios.at(point)
        except PathError as error:
            axis = self._campaign.axes[point.index(error.value)]
            place = axis.path_of(error.value.index)
            self.problems.setdefault((axis.name, str(error)), Problem(place, str(error)))
            return
        resolution = self._resolvers[reference].resolve(scenario)
        self._work.spend(len(resolution.problems) * sum(len(value.settings) for value in point))
        for problem in resolution.problems:
            origin, blamed = _blame(problem, self._campaign, point)
            if blamed.path.startswith("sweep.over.") and origin in self._sampled:
                # Every sampled value may have a problem of its own; one is enough.
                self.problems.setdefault((origin, ""), blamed)
                continue
            if len(self._simulators) > 1:
                blamed = Problem(blamed.path, f"{blamed.message} (simulator {reference})")
            self.problems.setdefault((origin, blamed.message), blamed)
        for lint in resolution.lints:
            self.lints.add(lint, point)
        if self.problems:
            return
        labels = _labels(point)
        coordinates = dict(zip((axis.name for axis in self._campaign.axes), labels, strict=True))
        cell = Cell(
            index=index,
            value_indices=tuple(value.index for value in point),
            coordinates=coordinates,
            simulator=simulator,
            scenario=resolution.scenario,
            digest=cell_digest(resolution.canonical),
            baseline=_baseline_index(self._campaign, coordinates, self._positions),
            cost=simulator.cost(resolution),
        )
        self.cells.append(cell)
        self.default_metrics |= dict.fromkeys(simulator.default_metrics(resolution))
        self._bytes += sum(map(len, resolution.canonical))

    def _too_large(self, reason: str, index: int) -> None:
        path = "sweep" if self._campaign.axes else "scenario"
        message = f"planning {len(self._points)} cells {reason} (at cell {index}); "
        message += "shorten the scenario's lists or make several campaigns of the sweep"
        self.problems[path, message] = Problem(path, message)


def _labels(point: Sequence[AxisValue]) -> tuple[str, ...]:
    return tuple(value.label for value in point)


def _baseline_index(
    campaign: Campaign, coordinates: Mapping[str, str], positions: Mapping[tuple[str, ...], int]
) -> int | None:
    """The cell that differs from this one by the baseline's labels only."""
    if not campaign.baseline:
        return None
    return positions[tuple({**coordinates, **campaign.baseline}.values())]


def _blame(problem: Problem, campaign: Campaign, point: Sequence[AxisValue]) -> tuple[str, Problem]:
    """Point a scenario's problem to the axis value that brought it, if one did.

    Returns the axis, or the path in the file, and the problem.
    """
    field = problem.path.removeprefix("scenario.")
    for axis, value in zip(campaign.axes, point, strict=True):
        for path in value.settings:
            if field == path or _inside(field, path) or _inside(path, field):
                if axis.sampled:
                    return axis.name, _of_sample(problem, axis)
                place = axis.path
                named = "" if field.startswith(path) and path == axis.name else f"{field}: "
                is_value = path != axis.name or _inside(field, path)
                if is_value or not problem.message.startswith((UNKNOWN, RENAMED)):
                    place = join_path(place, value.index) + field[len(path) :]
                return axis.name, Problem(place, named + problem.message)
            parent = path.rpartition(".")[0]
            is_part = problem.message.startswith(MISSING) and parent and _inside(field, parent)
            if is_part and not _is_set(campaign.scenario, parent):
                message = (
                    f"{field}: {problem.message}; set it in the scenario as well, because this "
                    f"axis sets only a part of {parent}"
                )
                return axis.name, Problem(axis.path, message)
    path = problem.path
    if "series" in campaign.document and (field == "series" or _inside(field, "series")):
        path = field  # the file has them beside the scenario
    return path, Problem(path, problem.message)


def _of_sample(problem: Problem, axis: Axis) -> Problem:
    """A problem of sampled values, with words that they share."""
    message, _, remedy = problem.message.partition(_NOT_WHOLE)
    if remedy or problem.message.endswith(_NOT_WHOLE):
        message = f"the field takes whole numbers{remedy}; use the scale integer"
    elif not message.startswith((UNKNOWN, RENAMED)):
        message = f"{message} (of the sampled values)"
    return Problem(axis.path, message)


def _is_set(scenario: Any, path: str) -> bool:
    """Whether a scenario as written has the field."""
    for key in split_path(path):
        try:
            scenario = scenario[key]
        except (LookupError, TypeError):
            return False
    return True


def _inside(path: str, other: str) -> bool:
    return path.startswith((f"{other}.", f"{other}["))


def _duplicates(cells: Sequence[Cell]) -> list[Problem]:
    first: dict[tuple[str, str], Cell] = {}
    problems = []
    count = 0
    for cell in cells:
        other = first.setdefault((cell.digest, cell.simulator.digest), cell)
        if other is cell:
            continue
        count += 1
        if count <= _MAX_DUPLICATES:
            message = f"{_name(cell)} is the same scenario as {_name(other)}"
            problems.append(Problem("sweep", message))
    if count > _MAX_DUPLICATES:
        message = f"{count - _MAX_DUPLICATES} more cells have the same scenario as another"
        problems.append(Problem("sweep", message))
    return problems


def _name(cell: Cell) -> str:
    return (
        ", ".join(f"{axis}={label}" for axis, label in cell.coordinates.items()) or "the only cell"
    )
