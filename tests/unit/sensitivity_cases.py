"""Campaigns with known functions of their axes, for tests of sensitivity analyses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from windtunnel.comparison import CellResults, SimulatorBuild
from windtunnel.comparison.table import CellRun
from windtunnel.run import RunState
from windtunnel.sensitivity import Sensitivity, analyze
from windtunnel.spec.description import Metric
from windtunnel.spec.designs import Design, read_design

METRIC = Metric("delay", "ms", "lower", "A delay.", "delay")
BUILD = SimulatorBuild("tiny", "0" * 64)
Function = Callable[..., float]


def designed(sweep: dict[str, Any]) -> tuple[Design, dict[str, list[str]]]:
    """A design and the labels of all axes."""
    problems: list[Any] = []
    design, axes = read_design(sweep, problems)
    assert not problems
    assert design is not None
    return design, {axis.name: [value.label for value in axis.values] for axis in axes}


def cell(
    index: int, coordinates: Mapping[str, str], values: dict[int, float], seeds: int
) -> CellResults:
    """A cell whose runs without a value have failed."""
    runs = {
        seed: CellRun(str(seed), RunState.SUCCEEDED if seed in values else RunState.FAILED)
        for seed in range(1, seeds + 1)
    }
    return CellResults(index, coordinates, BUILD, None, runs, {"delay": values}, {"delay": "ms"})


def cells_of(
    design: Design, axes: dict[str, list[str]], function: Function, seeds: int = 1
) -> list[CellResults]:
    """Cells of a design over plain numbers: ``function(facets.., inputs.., seed=)``."""
    sampled = [entry.name for entry in design.inputs]
    facets = {name: labels for name, labels in axes.items() if name not in sampled}
    cells: list[CellResults] = []
    for setting in itertools.product(*facets.values()):
        for point in design.points:
            labels = [value.label for value in point]
            numbers = [float(label) for label in labels]
            values = {s: function(*setting, *numbers, seed=s) for s in range(1, seeds + 1)}
            coordinates = dict(zip([*facets, *sampled], [*setting, *labels], strict=True))
            cells.append(cell(len(cells), coordinates, values, seeds))
    return cells


def analyzed(
    sweep: dict[str, Any], function: Function, seeds: int = 1, **where: Sequence[str]
) -> Sensitivity:
    design, axes = designed(sweep)
    return analyze(
        "1f", cells_of(design, axes, function, seeds), axes, design.record(), METRIC, where
    )


def figure(result: Sensitivity, axis: str, name: str, setting: int = 0) -> float:
    effects = result.settings[setting].effects
    return next(e.figures[name].value for e in effects if e.axes == (axis,))


def noise(seed: int, *numbers: float) -> float:
    """Standard normal, the same for the same arguments."""
    key = [seed, *(int.from_bytes(np.float64(x).tobytes(), "big") for x in numbers)]
    return float(np.random.default_rng(key).standard_normal())


def grid(function: Function, seeds: int, **axes: list[Any]) -> tuple[Any, dict[str, list[str]]]:
    labels = {name: [str(value) for value in values] for name, values in axes.items()}
    cells: list[CellResults] = []
    for point in itertools.product(*axes.values()):
        values = {seed: function(*point, seed=seed) for seed in range(1, seeds + 1)}
        coordinates = dict(zip(axes, map(str, point), strict=True))
        cells.append(cell(len(cells), coordinates, values, seeds))
    return cells, labels
