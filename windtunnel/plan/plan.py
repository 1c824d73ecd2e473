"""The grid of a campaign's cells, each a fully resolved scenario."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import Problem, SpecError
from windtunnel.plan.identity import cell_digest, run_identity
from windtunnel.spec.campaign import Axis, AxisValue, Campaign
from windtunnel.spec.description import Cost, Description
from windtunnel.spec.document import Document, child
from windtunnel.spec.schema import Resolver

MAX_RUNS = 100_000


@dataclass(frozen=True)
class Cell:
    """One point of the grid. ``where`` gives its label on every axis."""

    index: int
    where: Mapping[str, str]
    scenario: Mapping[str, Any]
    digest: str
    baseline: int | None


@dataclass(frozen=True)
class Plan:
    """All cells of a campaign and how often each is run; seed indices count from 1."""

    campaign: Campaign
    simulator_digest: str
    cells: tuple[Cell, ...]
    cost: Cost

    @property
    def seed_indices(self) -> range:
        return range(1, self.campaign.replications + 1)

    @property
    def run_count(self) -> int:
        return len(self.cells) * self.campaign.replications

    def runs(self) -> Iterator[tuple[Cell, int, str]]:
        """Every (cell, seed index, identity): seed by seed, so that early results compare."""
        for seed_index in self.seed_indices:
            for cell in self.cells:
                yield cell, seed_index, run_identity(cell.digest, seed_index, self.simulator_digest)


def make_plan(
    campaign: Campaign,
    description: Description,
    document: Document | None = None,
    max_runs: int = MAX_RUNS,
) -> Plan:
    """Resolve every cell. Raises SpecError with all problems, with ``document``'s lines."""
    size = math.prod(len(axis.values) for axis in campaign.axes) * campaign.replications
    if size > max_runs:
        counts = " x ".join(str(len(axis.values)) for axis in campaign.axes)
        message = (
            f"{counts} cells x {campaign.replications} replications are {size} runs; "
            f"at most {max_runs} are allowed"
        )
        _refuse([Problem("sweep", message)], document)
    grid = list(itertools.product(*(axis.values for axis in campaign.axes)))
    cells, problems = _resolve_all(campaign, description.resolver(), grid)
    problems += _duplicates(cells)
    if problems:
        _refuse(problems, document)
    costs = [description.cost(cell.scenario) for cell in cells]
    total = Cost(
        events=sum(cost.events for cost in costs) * campaign.replications,
        events_per_second=costs[0].events_per_second,
        simulated_seconds=sum(cost.simulated_seconds for cost in costs) * campaign.replications,
    )
    return Plan(campaign, description.digest, tuple(cells), total)


def _resolve_all(
    campaign: Campaign, resolver: Resolver, grid: Sequence[tuple[AxisValue, ...]]
) -> tuple[list[Cell], list[Problem]]:
    cells: list[Cell] = []
    problems: dict[tuple[str, str], Problem] = {}
    positions = {_labels(campaign.axes, point): index for index, point in enumerate(grid)}
    for index, point in enumerate(grid):
        resolved, found = resolver.resolve(_scenario_at(campaign, point))
        for problem in found:
            blamed = _blame(problem, campaign.axes, point)
            problems.setdefault((blamed.path, blamed.message), blamed)
        if not problems:
            labels = _labels(campaign.axes, point)
            where = dict(zip((axis.name for axis in campaign.axes), labels, strict=True))
            cells.append(
                Cell(
                    index=index,
                    where=where,
                    scenario=resolved,
                    digest=cell_digest(resolved),
                    baseline=_baseline_index(campaign, where, positions),
                )
            )
    return cells, list(problems.values())


def _labels(axes: Sequence[Axis], point: Sequence[AxisValue]) -> tuple[str, ...]:
    assert len(axes) == len(point)
    return tuple(value.label for value in point)


def _baseline_index(
    campaign: Campaign, where: Mapping[str, str], positions: Mapping[tuple[str, ...], int]
) -> int | None:
    """The cell that differs from this one by the baseline's labels only."""
    if not campaign.baseline:
        return None
    return positions[tuple({**where, **campaign.baseline}.values())]


def _scenario_at(campaign: Campaign, point: Sequence[AxisValue]) -> dict[str, Any]:
    scenario = copy.deepcopy(dict(campaign.scenario))
    for value in point:
        for path, setting in value.settings.items():
            _set(scenario, path, setting)
    return scenario


def _set(scenario: dict[str, Any], path: str, setting: Any) -> None:
    """Set a dotted path, making the mappings on the way; ``kind`` alone becomes a mapping."""
    *parents, last = path.split(".")
    target = scenario
    for key in parents:
        inner = target.get(key)
        if isinstance(inner, str):
            inner = {"kind": inner}
        if not isinstance(inner, dict):
            inner = {}
        target[key] = inner
        target = inner
    target[last] = copy.deepcopy(setting)


def _blame(problem: Problem, axes: Sequence[Axis], point: Sequence[AxisValue]) -> Problem:
    """Point a scenario's problem to the axis value that brought it, if one did."""
    field = problem.path.removeprefix("scenario.")
    for axis, value in zip(axes, point, strict=True):
        for path in value.settings:
            if (
                field == path
                or field.startswith((f"{path}.", f"{path}["))
                or path.startswith(f"{field}.")
            ):
                place = child(child("sweep", axis.name), axis.values.index(value))
                return Problem(place + field[len(path) :], problem.message)
    return problem


def _duplicates(cells: Sequence[Cell]) -> list[Problem]:
    first: dict[str, Cell] = {}
    problems = []
    for cell in cells:
        other = first.setdefault(cell.digest, cell)
        if other is not cell:
            message = f"{_name(cell)} is the same scenario as {_name(other)}"
            problems.append(Problem("sweep", message))
    return problems


def _name(cell: Cell) -> str:
    return ", ".join(f"{axis}={label}" for axis, label in cell.where.items()) or "the only cell"


def _refuse(problems: Sequence[Problem], document: Document | None) -> None:
    raise SpecError([document.locate(problem) if document else problem for problem in problems])
