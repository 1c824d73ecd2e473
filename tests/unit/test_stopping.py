"""How many seeds cells need until an interval is narrow enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import tiny_campaign
from tests.plans import plan_of, problems_of
from tests.unit.test_comparison import DELAY, cell
from tests.unit.test_verdicts import failed
from windtunnel.comparison import CellResults, Design, ResultTable, seeds_needed
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Description
from windtunnel.spec.replications import Stopping

MEAN = Stopping(3, 100, DELAY.name, 0.1, "mean")
DIFFERENCE = replace(MEAN, of="difference")
WIDE = {1: 8.0, 2: 10.0, 3: 12.0}  # 10 +- 4.97
NARROW = {1: 9.99, 2: 10.0, 3: 10.01}


def needed(stopping: Stopping, *cells: CellResults) -> dict[int, int]:
    design = Design(
        "c1", ("a",), {"a": "0"}, (DELAY,), (DELAY.name,), {}, Analysis(stopping=stopping)
    )
    return seeds_needed(ResultTable(design, cells), stopping)


def test_narrow_intervals_need_no_more_seeds() -> None:
    assert needed(MEAN, cell(0, NARROW), cell(1, NARROW)) == {}


def test_wide_ones_double_at_most() -> None:
    """4.97 / 10 instead of 0.1 would take 75 seeds; three values are not trusted that far."""
    assert needed(MEAN, cell(0, WIDE)) == {0: 6}
    assert needed(replace(MEAN, relative_ci=0.45), cell(0, WIDE)) == {0: 4}
    assert needed(replace(MEAN, max=5), cell(0, WIDE)) == {0: 5}
    assert needed(replace(MEAN, max=3), cell(0, WIDE)) == {}


def test_the_baseline_gets_the_seeds_of_its_cells() -> None:
    assert needed(MEAN, cell(0, NARROW), cell(1, WIDE), cell(2, NARROW)) == {0: 6, 1: 6}


def test_the_width_of_a_difference_is_that_of_the_pairs() -> None:
    """Both cells vary, their differences hardly do."""
    other = {seed: value + 1 + 0.01 * seed for seed, value in WIDE.items()}
    assert needed(MEAN, cell(0, WIDE), cell(1, other)) == {0: 6, 1: 6}
    assert needed(DIFFERENCE, cell(0, NARROW), cell(1, {s: v + 1 for s, v in NARROW.items()})) == {}
    assert needed(DIFFERENCE, cell(0, NARROW), cell(1, WIDE)) == {0: 6, 1: 6}


def test_what_more_seeds_cannot_narrow_gets_none() -> None:
    assert needed(MEAN, cell(0, WIDE, runs=failed(4))) == {}
    assert needed(MEAN, cell(0, {1: 5.0, 2: 5.0}, same=True)) == {}
    assert needed(MEAN, cell(0, {1: 0.0, 2: 0.0, 3: 0.0})) == {}


def test_without_a_mean_to_relate_to_seeds_are_added_until_the_maximum() -> None:
    around_zero = {1: -1.0, 2: 0.0, 3: 1.0}
    assert needed(MEAN, cell(0, around_zero)) == {0: 6}
    assert needed(DIFFERENCE, cell(0, around_zero), cell(1, WIDE)) == {0: 6, 1: 6}


def campaign(**until: Any) -> dict[str, Any]:
    fields = {"min": 3, "max": 9, "until": {"metric": "value", "relative_ci": 0.1, **until}}
    return {**tiny_campaign(sweep={"offset": [1, 2]}), "replications": fields}


def test_a_campaign_begins_with_the_least_number_of_seeds(tiny: Description) -> None:
    plan = plan_of(tiny, campaign())
    assert plan.run_count == 2 * 3
    assert plan.campaign.analysis.stopping == Stopping(3, 9, "value", 0.1, "mean")


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"max": 2}, "replications.max", "2"),
        ({"min": 10}, "replications.max", "9 is less than min, 10"),
        ({"min": 1}, "replications.min", "1"),
        ({"until": None}, "replications.until", ""),
        ({"until": {"metric": "value"}}, "replications.until.relative_ci", "missing"),
        ({"until": {"metric": "v", "relative_ci": 0.1}}, "replications.until.metric", "'v'"),
        ({"until": {"metric": "value", "relative_ci": 0}}, "replications.until.relative_ci", "0"),
        (
            {"until": {"metric": "value", "relative_ci": 0.1, "of": "difference"}},
            "replications.until.of",
            "a difference needs a baseline",
        ),
        ({"seeds": 3}, "replications.seeds", "unknown"),
    ],
)
def test_errors_name_the_field(
    tiny: Description, changes: dict[str, Any], path: str, message: str
) -> None:
    broken = campaign()
    broken["replications"] |= changes
    (problem,) = problems_of(tiny, broken)
    assert problem.path == path
    assert message in problem.message


def test_the_largest_number_of_runs_is_what_counts(tiny: Description) -> None:
    large = campaign()
    large["replications"]["max"] = 1000
    (problem,) = problems_of(tiny, large)
    assert "2 cells x 1000 replications are 2000 runs" in problem.message
