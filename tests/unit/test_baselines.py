"""Another baseline for a view: differences to it, rankings as before, and no verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.test_rankings import CELLS, GOODPUT, P99, cell, compared
from windtunnel.comparison import Comparison, Design, ResultTable, compare
from windtunnel.comparison.baselines import read_baseline_view
from windtunnel.errors import InvalidRequestError

AXES = {"algorithm": ["newreno", "cubic"], "topology.queue.limit": ["50p", "100p"]}
TABLE = ResultTable(
    Design("c1", ("algorithm",), {"algorithm": "newreno"}, (GOODPUT, P99), (GOODPUT.name,)), CELLS
)


def viewed(baseline: dict[str, str], table: ResultTable = TABLE) -> Comparison:
    return compare(table, (GOODPUT, P99), (GOODPUT, P99), baseline=baseline)


def messages(*given: str) -> list[str]:
    with pytest.raises(InvalidRequestError) as raised:
        read_baseline_view(given, AXES, "query.baseline")
    assert {problem.path for problem in raised.value.problems} == {"query.baseline"}
    return [problem.message for problem in raised.value.problems]


def test_differences_are_to_the_baseline_of_the_view() -> None:
    comparison = viewed({"algorithm": "vegas"})
    newreno, vegas, cubic, bic = comparison.cells
    assert [item.is_baseline for item in comparison.cells] == [False, True, False, False]
    assert vegas.metrics[P99.name].against_baseline is None
    for compared_cell, mean in ((newreno, 20), (cubic, 20.1), (bic, 40)):
        difference = compared_cell.metrics[P99.name].against_baseline
        assert difference is not None
        assert difference.paired
        assert difference.mean == pytest.approx(mean - 5)
        assert difference.relative_mean == pytest.approx(mean / 5 - 1)
    assert comparison.baseline == {"algorithm": "vegas"}
    assert comparison.declared_baseline == {"algorithm": "newreno"}


def test_a_view_with_another_baseline_has_no_verdicts() -> None:
    comparison = viewed({"algorithm": "vegas"})
    verdicts = [m.verdict for item in comparison.cells for m in item.metrics.values()]
    assert verdicts == [None] * 8
    assert (comparison.family.size, comparison.summary) == (0, ())
    assert comparison.notes[-1] == "Verdicts hold for the declared baseline newreno only."
    assert not any("Holm" in note for note in comparison.notes)


def test_rankings_and_fronts_do_not_depend_on_the_baseline() -> None:
    declared = compare(TABLE, (GOODPUT, P99), (GOODPUT, P99))
    comparison = viewed({"algorithm": "vegas"})
    assert comparison.rankings == declared.rankings
    assert comparison.pareto == declared.pareto
    assert comparison.headlines[P99.name] == "vegas has the lowest delay p99: 5.00 ms."


def test_the_declared_baseline_of_a_view_is_the_campaigns_own_comparison() -> None:
    assert viewed({"algorithm": "newreno"}) == compare(TABLE, (GOODPUT, P99), (GOODPUT, P99))


def test_each_cell_is_compared_with_the_baseline_of_its_own_setting() -> None:
    cells = [
        replace(cell(2 * i + j, label, 50, delay + 10 * i, limit=limit), baseline=2 * i)
        for i, limit in enumerate(("50p", "100p"))
        for j, (label, delay) in enumerate((("newreno", 20.0), ("vegas", 5.0)))
    ]
    design = replace(TABLE.design, axes=("algorithm", "limit"))
    comparison = viewed({"algorithm": "vegas"}, ResultTable(design, tuple(cells)))
    differences = [item.metrics[P99.name].against_baseline for item in comparison.cells]
    assert [d and pytest.approx(d.mean) for d in differences] == [15, None, 15, None]
    one = viewed({"algorithm": "vegas", "limit": "50p"}, ResultTable(design, tuple(cells)))
    differences = [item.metrics[P99.name].against_baseline for item in one.cells]
    assert [d and pytest.approx(d.mean) for d in differences] == [15, None, 25, 10]


def test_a_campaign_without_a_baseline_can_be_viewed_with_one() -> None:
    assert not compared(*CELLS, baseline=None).baseline
    cells = tuple(replace(source, baseline=None) for source in CELLS)
    comparison = viewed(
        {"algorithm": "bic"}, ResultTable(replace(TABLE.design, baseline={}), cells)
    )
    difference = comparison.cells[0].metrics[P99.name].against_baseline
    assert difference is not None
    assert difference.mean == pytest.approx(-20)
    assert comparison.notes[-1] == (
        "No verdicts: they need a baseline that the campaign file declares."
    )


def test_labels_by_axis_are_read() -> None:
    given = ["topology.queue.limit=50p", "algorithm=cubic"]
    assert read_baseline_view(given, AXES, "") == {
        "topology.queue.limit": "50p",
        "algorithm": "cubic",
    }


def test_errors_name_what_would_be_right() -> None:
    assert messages("algorithm=cubik") == [
        "'cubik' is not on the axis algorithm (newreno, cubic); did you mean 'cubic'?"
    ]
    assert messages("algoritm=cubic") == [
        "'algoritm' is not an axis of the campaign; did you mean 'algorithm'?"
    ]
    assert messages("x=1") == [
        "'x' is not an axis of the campaign (axes: algorithm, topology.queue.limit)"
    ]
    assert messages("cubic") == ["'cubic' names no axis; write algorithm=cubic"]
    assert messages("bbr") == ["'bbr' is not AXIS=LABEL such as algorithm=newreno"]
    assert messages("algorithm=cubic", "algorithm=newreno") == [
        "the axis algorithm has two labels; a baseline has one label of an axis"
    ]
