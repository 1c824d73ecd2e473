"""A comparison that reuses what it knows of unchanged cells equals one from scratch."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from pydantic_core import to_json

from windtunnel.comparison import (
    CellResults,
    CellRun,
    Design,
    ResultTable,
    SimulatorBuild,
    compare,
)
from windtunnel.run import RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric

METRICS = (
    Metric("goodput_mbps", "Mb/s", "higher", "", relevance="5 %"),
    Metric("delay_ms_p99", "ms", "lower", "", relevance="5 %"),
    Metric("cwnd", "segments", "none", ""),
)
ALGORITHMS = ("newreno", "cubic", "vegas", "bic")
SETTINGS = 3
NAMES = tuple(metric.name for metric in METRICS)


def cell(index: int, chance: random.Random) -> CellResults:
    """A cell with values of little spread, sometimes with a run or a value missing."""
    algorithm, setting = index % len(ALGORITHMS), index // len(ALGORITHMS)
    lacking = chance.choice([None, None, None, 2])
    runs = {
        seed: CellRun(
            f"{index}-{seed}",
            RunState.QUEUED if seed == lacking else RunState.SUCCEEDED,
            None,
            f"{chance.random()}",
            f"{seed}",
        )
        for seed in range(1, 6)
    }
    values = {
        name: {seed: 10 + algorithm + chance.gauss(0, 0.5) for seed in runs if seed != lacking}
        for name in NAMES
    }
    if chance.random() < 0.1:
        values["cwnd"] = {}
    return CellResults(
        index=index,
        coordinates={"algorithm": ALGORITHMS[algorithm], "limit": f"{setting}p"},
        simulator=SimulatorBuild("ns3", "digest"),
        baseline=setting * len(ALGORITHMS),
        runs=runs,
        values=values,
        units={},
    )


@pytest.mark.parametrize("seed", range(5))
def test_after_any_changes_it_is_what_a_new_one_is(seed: int) -> None:
    chance = random.Random(seed)
    analysis = Analysis(family=NAMES[:2])
    design = Design(
        "c", ("algorithm", "limit"), {"algorithm": "newreno"}, METRICS, NAMES, {}, analysis
    )
    cells = [cell(index, chance) for index in range(SETTINGS * len(ALGORITHMS))]
    for _ in range(30):
        for _ in range(chance.choice([0, 1, 3])):
            index = chance.randrange(len(cells))
            cells[index] = cell(index, chance)
        shown = METRICS[: chance.choice([2, 3])]
        incomplete = chance.random() < 0.3
        reused = compare(ResultTable(design, tuple(cells)), shown, METRICS, incomplete)
        fresh = tuple(replace(each) for each in cells)
        assert fresh[0] == cells[0]
        anew = compare(ResultTable(replace(design), fresh), shown, METRICS, incomplete)
        assert reused == anew
        assert to_json(reused) == to_json(anew)


def test_an_unchanged_cell_is_the_same_object() -> None:
    chance = random.Random(1)
    design = Design("c", ("algorithm", "limit"), {"algorithm": "newreno"}, METRICS[:1], NAMES[:1])
    cells = [cell(index, chance) for index in range(SETTINGS * len(ALGORITHMS))]
    before = compare(ResultTable(design, tuple(cells)), METRICS[:1], METRICS[:1]).cells
    cells[1] = cell(1, chance)
    after = compare(ResultTable(design, tuple(cells)), METRICS[:1], METRICS[:1]).cells
    assert after[1] is not before[1]
    same = [index for index in range(len(cells)) if after[index] is before[index]]
    # Verdicts of the others may change with the family's, so that not all are the same.
    assert {0, 4, 8} <= set(same)
