"""Sensitivity analyses of campaigns with missing or constant values."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.unit.sensitivity_cases import (
    METRIC,
    analyzed,
    cell,
    cells_of,
    designed,
    grid,
)
from windtunnel.comparison.table import CellRun
from windtunnel.errors import ConflictError
from windtunnel.run import RunState
from windtunnel.sensitivity import analyze

SWEEP = {"design": "saltelli", "n": 16, "over": {"a": [0, 1], "b": [0, 1]}}


def test_blocks_with_a_missing_value_are_left_out_and_counted() -> None:
    design, axes = designed(SWEEP)
    cells = cells_of(design, axes, lambda a, b, seed: a + b, 2)
    for row in (5, 6, 13):  # of the blocks 1, 1 and 3
        cells[row] = cell(row, cells[row].coordinates, {}, 2)
    analysis = analyze("1f", cells, axes, design.record(), METRIC).settings[0]
    assert (analysis.used, analysis.planned, analysis.seeds) == (14, 16, (1, 2))
    assert analysis.notes == ("2 of 16 blocks left out: a value is missing in each",)
    cells[5] = cell(5, cells[5].coordinates, {1: 1.0}, 2)
    cells[6] = cell(6, cells[6].coordinates, {1: 1.0}, 2)
    cells[9] = cell(9, cells[9].coordinates, {1: 1.0}, 2)
    analysis = analyze("1f", cells, axes, design.record(), METRIC).settings[0]
    # Seed 2 has 13 of the 15 blocks of seed 1, less than 90 %.
    assert (analysis.used, analysis.seeds) == (15, (1,))
    assert analysis.notes[0].endswith("; seed 2 left out: far fewer blocks are complete")


def test_a_half_finished_campaign_uses_the_seeds_that_are_there() -> None:
    design, axes = designed(SWEEP)
    cells = cells_of(design, axes, lambda a, b, seed: a + b, 2)
    for index, full in enumerate(cells):
        if index > 20:
            runs = {**full.runs, 2: CellRun("2", RunState.QUEUED)}
            values = {"delay": {1: full.values["delay"][1]}}
            cells[index] = replace(full, runs=runs, values=values)
    result = analyze("1f", cells, axes, design.record(), METRIC)
    assert result.settings[0].seeds == (1,)
    assert result.settings[0].used == 16
    assert result.notes[0] == "43 of 128 runs have not ended; the figures will change"


def test_too_few_blocks_are_an_error_that_says_why() -> None:
    design, axes = designed(SWEEP)
    cells = cells_of(design, axes, lambda a, b, seed: a + b)
    empty = [cell(c.index, c.coordinates, {}, 1) if c.index > 20 else c for c in cells]
    message = r"5 of 16 blocks are complete; at least 8 are needed: 43 failed or were cancelled"
    with pytest.raises(ConflictError, match=message):
        analyze("1f", empty, axes, design.record(), METRIC)


def test_a_metric_that_is_mostly_zero_has_finite_intervals() -> None:
    """Some resamples of the blocks have no variance at all."""
    result = analyzed({**SWEEP, "n": 64}, lambda a, b, seed: max(0.0, a - 0.97))
    for effect in result.settings[0].effects:
        for value in effect.figures.values():
            assert all(math.isfinite(x) for x in (value.value, value.low or 0, value.high or 0))


@pytest.mark.parametrize("kind", ["saltelli", "lhs", "morris"])
def test_a_constant_metric_does_not_vary(kind: str) -> None:
    result = analyzed({**SWEEP, "design": kind}, lambda a, b, seed: 0.1 + 0.2)
    analysis = result.settings[0]
    assert analysis.effects == ()
    assert analysis.conclusion == "delay does not vary: it is 0.300 ms everywhere"


def test_a_constant_metric_of_a_grid_does_not_vary() -> None:
    cells, labels = grid(lambda a, seed: 7.0, 3, a=[0, 1, 2])
    result = analyze("1f", cells, labels, None, METRIC)
    assert result.settings[0].conclusion == "delay does not vary: it is 7 ms everywhere"
    assert result.notes == ()
