"""Campaigns on several simulators."""

from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import tiny_campaign
from tests.plans import plan_of, problems_of, variant
from windtunnel.plan import make_plan
from windtunnel.spec import Document, read_campaign
from windtunnel.spec.description import Description, Metric

ENGINES = [
    {"label": "one", "simulator": "tiny", "offset": 3},
    {"label": "two", "simulator": "tiny-2", "offset": 4},
]


def test_an_axis_can_name_the_simulator_beside_scenario_paths(tiny: Description) -> None:
    plan = plan_of(tiny, tiny_campaign(sweep={"engine": ENGINES}, baseline={"engine": "one"}))
    assert [cell.simulator.name for cell in plan.cells] == ["tiny", "tiny-2"]
    assert [cell.scenario["offset"] for cell in plan.cells] == [3, 4]
    assert [cell.baseline for cell in plan.cells] == [0, 0]
    assert [simulator.name for simulator in plan.simulators] == ["tiny", "tiny-2"]


def test_an_axis_named_simulator_has_simulators_as_values(tiny: Description) -> None:
    plan = plan_of(tiny, tiny_campaign(sweep={"simulator": ["tiny", "tiny-2"]}))
    assert [cell.coordinates for cell in plan.cells] == [
        {"simulator": "tiny"}, {"simulator": "tiny-2"},
    ]  # fmt: skip
    assert plan.cells[0].digest == plan.cells[1].digest  # the same scenario, another build
    assert len({identity for _, _, identity in plan.runs()}) == 2


def test_metrics_keep_the_order_of_the_first_simulator(tiny: Description) -> None:
    extra = Metric("own", "", "none", "")
    second = replace(variant(tiny), metrics=(extra, *reversed(tiny.metrics)))
    simulators = {"tiny": tiny, "tiny-2": second}
    campaign = read_campaign(Document(tiny_campaign(sweep={"engine": ENGINES})))
    assert make_plan(campaign, simulators).metrics == (*tiny.metrics, extra)


def test_only_simulators_that_some_cell_uses_are_required() -> None:
    def used(**changes: Any) -> dict[str, str]:
        return read_campaign(Document(tiny_campaign(**changes))).simulators()

    assert used() == {"tiny": "simulator"}
    assert used(sweep={"engine": ENGINES}) == {
        "tiny": "sweep.engine[0].simulator", "tiny-2": "sweep.engine[1].simulator",
    }  # fmt: skip
    assert used(sweep={"simulator": ["a", "b"]}) == {
        "a": "sweep.simulator[0]", "b": "sweep.simulator[1]",
    }  # fmt: skip
    half = [{"label": "own", "offset": 1}, ENGINES[1]]
    assert set(used(sweep={"engine": half})) == {"tiny", "tiny-2"}


@pytest.mark.parametrize(
    ("sweep", "path", "expected"),
    [
        ({"simulator": ["tiny", 3]}, "sweep.simulator[1]", "3 is not a simulator's name"),
        ({"simulator": ["tiny", "Tiny!"]}, "sweep.simulator[1]", "'Tiny!' is not a simulator's"),
        ({"e": [{"label": "x", "simulator": []}]}, "sweep.e[0].simulator", "[] is not"),
        ({"engine": ENGINES, "simulator": ["tiny"]}, "sweep.simulator", "which the axis 'engine'"),
        ({"simulator": ["tiny", "ns3"]}, "sweep", "is the same scenario as"),
    ],
)
def test_reports_simulator_problems_by_field(
    tiny: Description, sweep: dict[str, Any], path: str, expected: str
) -> None:
    problems = {
        problem.path: problem.message for problem in problems_of(tiny, tiny_campaign(sweep=sweep))
    }
    assert expected in problems[path]


def test_a_problem_names_its_simulator(tiny: Description) -> None:
    engines = [ENGINES[0], {**ENGINES[1], "modulos": 4}]
    problems = problems_of(tiny, tiny_campaign(sweep={"engine": engines}))
    assert [problem.path for problem in problems] == ["sweep.engine[0]", "sweep.engine[1]"][1:]
    assert "(simulator tiny-2)" in problems[0].message


def test_default_metrics_follow_the_scenario(ns3: Description) -> None:
    dumbbell: dict[str, Any] = {"topology": "dumbbell", "duration": "1s"}
    groups = [{"name": "a", "algorithm": "cubic"}, {"name": "b", "algorithm": "vegas"}]

    def chosen(**scenario: Any) -> tuple[str, ...]:
        campaign = {"name": "x", "scenario": {**dumbbell, **scenario}}
        return make_plan(read_campaign(Document(campaign)), {"ns3": ns3}).default_metrics

    usual = ("ideal_throughput_pct", "packet_delay_ms_mean", "packet_delay_ms_p99", "drops_total")
    assert chosen(workload="bulk", algorithm="cubic") == usual
    assert chosen(workload={"kind": "bulk", "groups": groups}) == (
        "drops_total", "goodput_mbps:a", "goodput_mbps:b", "jain_fairness",
    )  # fmt: skip
    assert chosen(workload="incast", topology="incast", algorithm="cubic") == (
        "drops_total", "timeouts", "round_ms_p99", "round_goodput_mbps", "round_unfinished",
    )  # fmt: skip
    assert chosen(workload="shuffle", algorithm="cubic") == (
        "drops_total", "fct_ms_p50", "fct_ms_p99", "slowdown_mean", "transfers_unfinished",
    )  # fmt: skip
