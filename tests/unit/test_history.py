"""A metric over campaigns: cells matched with the newest campaign's, changes, what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windtunnel.comparison import SimulatorBuild
from windtunnel.comparison.history import (
    History,
    HistoryView,
    MeasuredCampaign,
    MeasuredCell,
    history,
)
from windtunnel.errors import InvalidRequestError
from windtunnel.spec.description import Metric

DELAY = Metric("delay_ms", "ms", "lower", "", "delay")
BEFORE = [10.0, 10.4, 9.8, 10.2, 9.6]
AFTER = [9.1, 9.6, 8.9, 9.2, 8.7]  # lower by 0.9 +- 0.088
START = datetime(2026, 1, 2, tzinfo=UTC)


def cell(label: str, values: list[float], planned: int = 5, axis: str = "a.b") -> MeasuredCell:
    by_seed = dict(enumerate(values, 1))
    return MeasuredCell({axis: label}, planned, by_seed, len(set(values)) == 1 < len(values))


def campaign(number: int, *cells: MeasuredCell, **labels: str) -> MeasuredCampaign:
    return MeasuredCampaign(
        id=f"c{number}",
        created_at=START + timedelta(days=number),
        labels={"branch": "main", **labels},
        simulators=(SimulatorBuild("ns3", f"{number}" * 8),),
        cells=dict(enumerate(cells)),
    )


def of(
    *campaigns: MeasuredCampaign, cells: Mapping[str, str] | None = None, by: str | None = None
) -> History:
    labels = {"branch": "main"}
    return history("study", labels, DELAY, campaigns, HistoryView(cells or {}, by))


def test_a_change_is_found_in_its_cell_and_campaign() -> None:
    """The difference of docs/comparison.md's example; two positions, of which one is a change."""
    other = [value + 0.1 * (-1) ** seed for seed, value in enumerate(BEFORE)]
    found = of(
        campaign(1, cell("x", BEFORE), cell("y", BEFORE), commit="aa"),
        campaign(2, cell("y", other), cell("x", AFTER), commit="bb"),
        campaign(3, cell("x", AFTER), cell("y", other), commit="cc"),
    )
    assert [entry.value for entry in found.campaigns] == ["aa", "bb", "cc"]
    assert (found.by, found.tests) == ("commit", 2)
    changed, steady = found.cells
    (change,) = changed.changes
    assert (change.campaign, change.outcome) == ("c2", "better")
    assert change.difference.mean == pytest.approx(-0.9)
    assert change.p == pytest.approx(2 * 9.1e-6, rel=0.01)
    assert (steady.coordinates, steady.changes) == ({"a.b": "y"}, ())
    estimate = steady.points[0].estimate
    assert estimate is not None
    assert estimate.mean == 10


def test_cells_of_the_newest_campaign_are_followed_as_far_back_as_they_exist() -> None:
    found = of(
        campaign(1, cell("x", BEFORE, axis="c")),
        campaign(2, cell("x", BEFORE)),
        campaign(3, cell("x", BEFORE), cell("y", BEFORE)),
    )
    assert [[point.campaign for point in entry.points] for entry in found.cells] == [
        ["c2", "c3"],
        ["c3"],
    ]
    assert [entry.id for entry in found.campaigns] == ["c2", "c3"]
    assert "left out, without a matching cell: c1" in found.notes


def test_cells_that_lack_values_are_shown_but_not_tested() -> None:
    found = of(
        campaign(1, cell("x", BEFORE)),
        campaign(2, cell("x", AFTER[:3])),
        campaign(3, cell("x", BEFORE)),
    )
    assert [len(point.values) for point in found.cells[0].points] == [5, 3, 5]
    assert (found.tests, found.cells[0].changes) == (0, ())
    assert "some cells of 1 of 3 campaigns" in found.notes[0]


def test_only_seeds_that_all_campaigns_have_are_tested() -> None:
    found = of(campaign(1, cell("x", BEFORE[:3], 3)), campaign(2, cell("x", AFTER)))
    assert found.cells[0].seeds == (1, 2, 3)


def test_single_seeds_are_not_tested() -> None:
    found = of(campaign(1, cell("x", [10], 1)), campaign(2, cell("x", [20], 1)))
    assert found.cells[0].changes == ()
    assert found.notes == (
        "changes can't be tested with fewer than two seeds that all campaigns have",
    )


def test_deterministic_cells_change_exactly() -> None:
    found = of(campaign(1, cell("x", [3.0] * 5)), campaign(2, cell("x", [4.0] * 5)))
    (change,) = found.cells[0].changes
    assert (change.p, change.outcome, change.difference.mean) == (None, "worse", 1)
    estimate = found.cells[0].points[0].estimate
    assert estimate is not None
    assert estimate.n == 1


def test_campaigns_without_any_value_have_no_estimate() -> None:
    found = of(campaign(1, cell("x", [])), campaign(2, cell("x", [])))
    assert [point.estimate for point in found.cells[0].points] == [None, None]
    assert found.cells[0].changes == ()


def test_the_label_that_varies_most_tells_campaigns_apart() -> None:
    campaigns = [
        campaign(n, cell("x", BEFORE), build=f"{n}", day=f"{n // 2}", os="linux") for n in range(4)
    ]
    assert of(*campaigns).by == "build"
    assert of(*campaigns, by="day").by == "day"
    assert of(campaign(1, cell("x", BEFORE))).by is None


def test_cells_are_chosen_by_axis_or_its_unique_ending() -> None:
    both = campaign(1, cell("x", BEFORE), cell("y", AFTER))
    for axis in ("a.b", "b"):
        assert [entry.coordinates for entry in of(both, cells={axis: "y"}).cells] == [{"a.b": "y"}]


@pytest.mark.parametrize(
    ("asked", "path", "message"),
    [
        ({"cells": {"c": "x"}}, "query.cell", "'c' is not an axis; known: a.b"),
        ({"cells": {"b": "z"}}, "query.cell", "'z' is not on the axis a.b; known: x, y"),
        ({"by": "comit"}, "query.by", "no campaign of this history has a label 'comit'; did you"),
    ],
)
def test_errors_name_what_is_known(asked: dict[str, Any], path: str, message: str) -> None:
    both = campaign(1, cell("x", BEFORE), cell("y", AFTER), commit="aa")
    with pytest.raises(InvalidRequestError) as error:
        of(both, **asked)
    assert error.value.problems[0].path == path
    assert error.value.problems[0].message.startswith(message)
