"""The grid of a campaign's cells, each a fully resolved scenario."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import Problem, SpecError
from windtunnel.plan.identity import cell_digest, run_identity
from windtunnel.plan.lints import Lints
from windtunnel.spec.campaign import Axis, AxisValue, Campaign
from windtunnel.spec.description import Cost, Description, Metric
from windtunnel.spec.document import Document, join_path, split_path
from windtunnel.spec.schema import MISSING, RENAMED, UNKNOWN

_MAX_DUPLICATES = 10  # cells named in messages


@dataclass(frozen=True)
class Cell:
    """One point of the grid: its label on every axis, its simulator, its resolved scenario.

    ``baseline`` is the index of the cell that it is compared with; ``cost`` is that of one run.
    """

    index: int
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
    grid = list(itertools.product(*(axis.values for axis in campaign.axes)))
    cells, chosen, problems, lints = _resolve_all(campaign, simulators, grid)
    problems += _duplicates(cells)
    if problems:
        _refuse(problems, document)
    located = tuple(
        document.locate(lint) if document and lint.path in document.lines else lint
        for lint in lints
    )
    return Plan(campaign, tuple(cells), *_metrics(cells, chosen), located)


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


def _resolve_all(
    campaign: Campaign,
    simulators: Mapping[str, Description],
    grid: Sequence[tuple[AxisValue, ...]],
) -> tuple[list[Cell], list[str], list[Problem], list[Problem]]:
    """Cells, the default metrics of all, problems (each message once per axis or field), lints."""
    cells: list[Cell] = []
    problems: dict[tuple[str, str], Problem] = {}
    lints = Lints(campaign)
    positions = {_labels(campaign.axes, point): index for index, point in enumerate(grid)}
    resolvers = {reference: simulator.resolver() for reference, simulator in simulators.items()}
    scenarios = _Scenarios(campaign.scenario)
    chosen: dict[str, None] = {}
    for index, point in enumerate(grid):
        reference = campaign.simulator_at(point)
        try:
            scenario = scenarios.at(point)
        except _PathError as error:
            axis = campaign.axes[point.index(error.value)]
            place = join_path(join_path("sweep", axis.name), error.value.index)
            problems.setdefault((axis.name, str(error)), Problem(place, str(error)))
            continue
        resolution = resolvers[reference].resolve(scenario)
        for problem in resolution.problems:
            origin, blamed = _blame(problem, campaign, point)
            if len(simulators) > 1:
                blamed = Problem(blamed.path, f"{blamed.message} (simulator {reference})")
            problems.setdefault((origin, blamed.message), blamed)
        for lint in resolution.lints:
            lints.add(lint, point)
        if not problems:
            labels = _labels(campaign.axes, point)
            coordinates = dict(zip((axis.name for axis in campaign.axes), labels, strict=True))
            cells.append(
                Cell(
                    index=index,
                    coordinates=coordinates,
                    simulator=simulators[reference],
                    scenario=resolution.scenario,
                    digest=cell_digest(resolution.canonical),
                    baseline=_baseline_index(campaign, coordinates, positions),
                    cost=simulators[reference].cost(resolution),
                )
            )
            chosen |= dict.fromkeys(simulators[reference].default_metrics(resolution))
    return cells, list(chosen), list(problems.values()), lints.problems()


def _labels(axes: Sequence[Axis], point: Sequence[AxisValue]) -> tuple[str, ...]:
    assert len(axes) == len(point)
    return tuple(value.label for value in point)


def _baseline_index(
    campaign: Campaign, coordinates: Mapping[str, str], positions: Mapping[tuple[str, ...], int]
) -> int | None:
    """The cell that differs from this one by the baseline's labels only."""
    if not campaign.baseline:
        return None
    return positions[tuple({**coordinates, **campaign.baseline}.values())]


class _PathError(Exception):
    """An axis value sets a path that leads past the end of a list, or through what is no list."""

    def __init__(self, value: AxisValue, message: str) -> None:
        self.value = value
        super().__init__(message)


class _Scenarios:
    """The scenarios of a grid's points. Points that agree on a field share its value."""

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        self._scenario = scenario
        self._fields: dict[tuple[str, tuple[int, ...]], Any] = {}

    def at(self, point: Sequence[AxisValue]) -> dict[str, Any]:
        """The campaign's scenario with a point's settings. Raises _PathError."""
        setters: dict[str, list[AxisValue]] = {}
        for value in point:
            for field in value.by_field:
                setters.setdefault(field, []).append(value)
        return {
            **self._scenario,
            **{name: self._field(name, values) for name, values in setters.items()},
        }

    def _field(self, name: str, values: Sequence[AxisValue]) -> Any:
        key = (name, tuple(map(id, values)))
        if key not in self._fields:
            field = self._scenario.get(name)
            for value in values:
                for path, keys in value.by_field[name]:
                    try:
                        field = _with(field, keys, value.settings[path], name)
                    except LookupError as error:
                        raise _PathError(value, f"can't set {path}: {error}") from error
            self._fields[key] = field
        return self._fields[key]


def _with(target: Any, keys: Sequence[str | int], setting: Any, place: str) -> Any:
    """A copy of what is at ``place`` with a member set; mappings are made on the way, lists aren't.

    ``kind`` alone becomes a mapping. Raises LookupError for an index that the scenario lacks.
    """
    if not keys:
        return setting
    key, *rest = keys
    member = join_path(place, key)
    if isinstance(key, int):
        if not isinstance(target, list):
            raise LookupError(f"the scenario has no list {place}")
        if key >= len(target):
            entries = "1 entry" if len(target) == 1 else f"{len(target)} entries"
            raise LookupError(f"{place} has {entries}, counted from 0")
        return [*target[:key], _with(target[key], rest, setting, member), *target[key + 1 :]]
    inner = {"kind": target} if isinstance(target, str) else target
    inner = inner if isinstance(inner, dict) else {}
    return {**inner, key: _with(inner.get(key), rest, setting, member)}


def _blame(problem: Problem, campaign: Campaign, point: Sequence[AxisValue]) -> tuple[str, Problem]:
    """Point a scenario's problem to the axis value that brought it, if one did.

    Returns the axis, or the path in the file, and the problem.
    """
    field = problem.path.removeprefix("scenario.")
    for axis, value in zip(campaign.axes, point, strict=True):
        for path in value.settings:
            if field == path or _inside(field, path) or _inside(path, field):
                place = join_path("sweep", axis.name)
                named = "" if field.startswith(path) and path == axis.name else f"{field}: "
                if path != axis.name or not problem.message.startswith((UNKNOWN, RENAMED)):
                    place = join_path(place, value.index) + field[len(path) :]
                return axis.name, Problem(place, named + problem.message)
            parent = path.rpartition(".")[0]
            is_made = parent and not _is_set(campaign.scenario, parent)
            if is_made and problem.message.startswith(MISSING) and _inside(field, parent):
                message = (
                    f"{field}: {problem.message}; set it in the scenario as well, because this "
                    f"axis sets only a part of {parent}"
                )
                return axis.name, Problem(join_path("sweep", axis.name), message)
    path = problem.path
    if "series" in campaign.document and (field == "series" or _inside(field, "series")):
        path = field  # the file has them beside the scenario
    return path, Problem(path, problem.message)


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


def _refuse(problems: Sequence[Problem], document: Document | None) -> None:
    raise SpecError([document.locate(problem) if document else problem for problem in problems])
