"""Campaigns compared with each other: matching cells, and what differs between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from windtunnel.comparison import CellResults, CellRun, Design, ResultTable, SimulatorBuild
from windtunnel.comparison.across import compare_across
from windtunnel.comparison.configurations import (
    Configuration,
    changed_conditions,
    configuration_differences,
)
from windtunnel.comparison.document import Comparison, Reference
from windtunnel.comparison.matching import match_cells, matched_pairs
from windtunnel.errors import NothingInCommonError
from windtunnel.run import RunState
from windtunnel.spec.description import Metric

DELAY = Metric("delay_ms", "ms", "lower", "", "delay")
NS3 = SimulatorBuild("ns3", "a" * 64)
REBUILT = SimulatorBuild("ns3", "b" * 64)


def places(axis: str, *labels: str, **fixed: str) -> dict[int, dict[str, str]]:
    return {index: {axis: label, **fixed} for index, label in enumerate(labels)}


@pytest.mark.parametrize(
    ("cells", "others", "matched"),
    [
        (places("a", "x", "y"), places("a", "y", "x"), {0: 1, 1: 0}),
        (places("a", "x", "y"), places("a", "y", "z"), {1: 0}),
        (places("a", "x", "y", b="1"), places("a", "x", "y"), {0: 0, 1: 1}),
        (places("a", "x"), places("a", "y"), {}),
        (places("a", "x", "y"), {0: {"a": "x", "b": "1"}, 1: {"a": "x", "b": "2"}}, {}),
        (places("a", "x", simulator="ns3"), places("a", "x", simulator="ns3-mine"), {0: 0}),
        (places("simulator", "ns3", "tiny"), places("simulator", "tiny", "ns3@abcd"), {0: 1, 1: 0}),
        (places("simulator", "ns3@aa", "ns3@bb"), places("simulator", "ns3@bb", "tiny"), {}),
        ({0: {}}, {0: {}}, {0: 0}),
        ({0: {}}, places("a", "x"), {0: 0}),
    ],
)
def test_cells_match_by_their_labels(
    cells: Mapping[int, Mapping[str, str]],
    others: Mapping[int, Mapping[str, str]],
    matched: dict[int, int],
) -> None:
    assert match_cells(cells, others) == matched


def cell(
    index: int, label: str, values: Sequence[float], build: SimulatorBuild = NS3
) -> CellResults:
    return CellResults(
        index=index,
        coordinates={"a": label},
        simulator=build,
        baseline=0,
        runs={
            seed: CellRun(f"{build.digest[0]}{label}{seed}", RunState.SUCCEEDED, None, f"{value}")
            for seed, value in enumerate(values, 1)
        },
        values={DELAY.name: dict(enumerate(values, 1))},
        units={DELAY.name: "ms"},
    )


def table(campaign: str, *cells: CellResults) -> ResultTable:
    design = Design(campaign, ("a",), {"a": "x"}, (DELAY,), (DELAY.name,))
    return ResultTable(design, cells)


SLOW = [10.0, 10.4, 9.8, 10.2, 9.6]
FAST = [9.1, 9.6, 8.9, 9.2, 8.7]


def paired(results: CellResults) -> CellResults:
    """The same cell, with the traffic of every other cell under each seed."""
    runs = {
        seed: CellRun(run.id, run.state, None, run.digest, f"traffic {seed}")
        for seed, run in results.runs.items()
    }
    return replace(results, runs=runs)


def compared(campaign: ResultTable, reference: ResultTable) -> Comparison:
    pairs = matched_pairs(campaign, reference)
    against = Reference(
        campaign=reference.design.campaign,
        name="study",
        labels={"branch": "main"},
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
        cells={index: pair.other.index for index, pair in pairs.items()},
        differences=(),
    )
    return compare_across(campaign, reference.design, pairs, against, (DELAY,), (DELAY,))


def test_cells_are_compared_with_those_of_the_reference_and_not_with_the_baseline() -> None:
    """docs/comparison.md: the difference of the example by hand is -0.9, its p 9.1e-6."""
    campaign = table("new", paired(cell(0, "x", FAST)), paired(cell(1, "z", FAST)))
    reference = table("old", paired(cell(0, "y", SLOW)), paired(cell(1, "x", SLOW, REBUILT)))
    comparison = compared(campaign, reference)
    first, unmatched = comparison.cells
    metric = first.metrics[DELAY.name]
    assert metric.against_baseline is not None
    assert metric.against_baseline.mean == pytest.approx(-0.9)
    assert (first.paired, first.is_baseline) == (True, False)
    assert metric.verdict is not None
    assert metric.verdict.outcome == "better"
    assert metric.verdict.p == pytest.approx(9.1e-6, rel=0.01)
    assert unmatched.metrics[DELAY.name].against_baseline is None
    assert unmatched.metrics[DELAY.name].verdict is None
    assert (comparison.family.comparisons, comparison.family.size) == (1, 1)
    assert comparison.summary == ("delay: better than study old.",)
    assert "differences to study old, paired by seed" in comparison.notes[0]
    assert (comparison.rankings, comparison.baseline) == ((), {})


def test_equal_records_are_noted() -> None:
    same = table("new", paired(cell(0, "x", SLOW)))
    notes = compared(same, table("old", paired(cell(0, "x", SLOW, REBUILT)))).notes
    note = "the records of all matched cells are those of study old byte for byte, seed by seed"
    assert note in notes


def test_campaigns_with_nothing_in_common_name_both_campaigns_axes() -> None:
    with pytest.raises(NothingInCommonError) as error:
        matched_pairs(table("new", cell(0, "x", FAST)), table("old", cell(0, "y", SLOW)))
    assert error.value.problems[0].path == "query.against"
    assert "new has a (x); old has a (y)" in str(error.value)


def differences(
    campaign: ResultTable, reference: ResultTable, scenarios: Mapping[int, tuple[Any, Any]]
) -> list[str]:
    """Texts of the differences; ``scenarios`` are the campaign's and the reference's."""
    configurations = {
        index: (Configuration(new, {"sack": True}), Configuration(old, {"sack": False}))
        for index, (new, old) in scenarios.items()
    }
    pairs = matched_pairs(campaign, reference)
    found = configuration_differences(campaign, reference, pairs, configurations)
    return [difference.text for difference in found]


NEW = table("new", cell(0, "x", FAST, REBUILT), cell(1, "y", FAST))
OLD = table("old", cell(0, "y", SLOW), cell(1, "x", SLOW[:3]), cell(2, "z", SLOW))


def test_differences_are_grouped_over_cells() -> None:
    new = {"transport": {"min_rto": "200000000ns", "sack": True}, "duration": "1000000000ns"}
    old = {"transport": {"min_rto": "1000000000ns", "sack": True}}
    assert differences(NEW, OLD, {0: (new, old), 1: (new, {**new, **old})}) == [
        "simulator: ns3 aaaaaaaa -> ns3 bbbbbbbb in 1 of 2 cells",
        "transport.min_rto: 1s -> 200ms in both cells",
        "duration: not set -> 1s in 1 of 2 cells",
        "replications: 3 -> 5 in 1 of 2 cells",
        "1 cell only in old: z",
    ]


def test_parameters_of_different_kinds_are_not_compared() -> None:
    new = {"flows": [{"algorithm": {"kind": "vegas", "Alpha": 2}}, 1]}
    old = {"flows": [{"algorithm": {"kind": "cubic", "Beta": 0.7}}, 1]}
    found = differences(NEW, OLD, {0: (new, old)})
    assert "flows[0].algorithm: cubic -> vegas in 1 of 2 cells" in found
    assert not any("Alpha" in text or "sack" in text for text in found)


def test_settings_that_the_simulator_reports_differ_where_the_scenario_does_not() -> None:
    found = differences(NEW, OLD, {0: ({"k": 4}, {"k": 4})})
    assert "in effect: sack: false -> true in 1 of 2 cells" in found


def test_many_changes_of_one_field_are_counted() -> None:
    labels = "vwxyz"
    new = table("new", *(cell(i, label, FAST) for i, label in enumerate(labels)))
    old = table("old", *(cell(i, label, FAST) for i, label in enumerate(labels)))
    scenarios = {i: ({"k": i + 10}, {"k": i}) for i in range(5)}
    assert differences(new, old, scenarios) == [
        "k: 5 different changes in all 5 cells, for example 0 -> 10"
    ]


def test_equal_campaigns_differ_in_nothing() -> None:
    assert differences(OLD, OLD, {}) == []


def test_the_algorithm_is_what_is_compared_and_all_else_are_conditions() -> None:
    old = {
        "algorithm": {"kind": "vegas", "Alpha": 1},
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "10Mbps"}},
        "workload": {"kind": "bulk", "groups": [{"flows": 1, "algorithm": {"kind": "cubic"}}]},
    }
    new = {
        "algorithm": {"kind": "vegas", "Alpha": 2},
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "10Mbps"}},
        "workload": {"kind": "bulk", "groups": [{"flows": 1, "algorithm": {"kind": "bbr"}}]},
    }
    assert changed_conditions(new, old) == ""
    new["topology"] = {"kind": "dumbbell", "bottleneck": {"rate": "20Mbps"}}
    new["duration"] = "5s"
    assert changed_conditions(new, old) == (
        "topology.bottleneck.rate 10Mbps -> 20Mbps, duration not set -> 5s"
    )
