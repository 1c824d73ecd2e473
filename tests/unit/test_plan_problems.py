"""Problems and lints of a campaign, each at its field."""

import json
from typing import Any

import pytest

from tests.conftest import tiny_campaign
from tests.plans import DUMBBELL, grouped, plan_of, problems_of
from windtunnel.errors import SpecError
from windtunnel.plan import make_plan
from windtunnel.spec import read_campaign, read_yaml
from windtunnel.spec.description import Description


def test_likely_mistakes_are_lints(tiny: Description) -> None:
    lints = plan_of(tiny, tiny_campaign(sweep={"offset": [1, 2]})).lints
    assert [lint.path for lint in lints] == ["replications", "baseline"]
    assert "no confidence intervals" in lints[0].message
    assert "'baseline: {offset: 1}'" in lints[1].message
    two = plan_of(tiny, tiny_campaign(replications=2)).lints
    assert [lint.message.split(";")[0] for lint in two] == [
        "2 seeds give intervals of ± 9 standard deviations"
    ]
    assert plan_of(tiny, tiny_campaign(replications=3)).lints == ()
    compared = tiny_campaign(sweep={"offset": [1, 2]}, replications=3, baseline={"offset": 1})
    assert plan_of(tiny, compared).lints == ()


@pytest.mark.parametrize(
    ("campaign", "path", "expected"),
    [
        (tiny_campaign(sweep={"offset": []}), "sweep.offset", "at least one value"),
        (tiny_campaign(sweep={"offset": [1, 1]}), "sweep.offset[1]", "duplicate value"),
        (tiny_campaign(sweep={"offset": 1}), "sweep.offset", "is not a list"),
        (tiny_campaign(sweep={"offset": [1, -1]}), "sweep.offset[1]", "out of range"),
        (tiny_campaign(sweep={"ofset": [1]}), "sweep.ofset", "did you mean 'offset'?"),
        (tiny_campaign(sweep={"duration": ["-10s", "1s"]}), "sweep.duration[0]", "is negative"),
        (tiny_campaign(duration="0s"), "scenario.duration", "0s is out of range; at least 1ms"),
        ({**tiny_campaign(), "simulator": "ns3@abc"}, "simulator", "4 to 64 hex digits"),
        (
            tiny_campaign(sweep={"offset": [1, 2]}, baseline=2),
            "baseline",
            "2 names no axis; write {offset: 2}",
        ),
        (tiny_campaign(sweep={"misbehave": ["no", "crush"]}), "sweep.misbehave[1]", "'crash'?"),
        (tiny_campaign(sweep={"duration": ["1ms", "0.001s"]}), "sweep", "is the same scenario as"),
        (
            tiny_campaign(sweep={"duration": ["9ms"], "x": [{"label": "a", "duration": "1ms"}]}),
            "sweep.x",
            "which the axis 'duration' sets as well",
        ),
        (tiny_campaign(replications=0), "replications", "out of range"),
        (tiny_campaign(replications=-1), "replications", "out of range"),
        (tiny_campaign(replications=1.7), "replications", "not a whole number"),
        (tiny_campaign(baseline={"offset": 1}), "baseline.offset", "is not an axis"),
        (
            tiny_campaign(sweep={"offset": [1]}, baseline={"offset": 2}),
            "baseline.offset",
            "is not on the axis",
        ),
        ({**tiny_campaign(), "impairments": []}, "impairments", "not supported yet"),
        ({**tiny_campaign(), "naem": "x"}, "naem", "did you mean 'name'?"),
        ({"name": "x"}, "scenario", "missing"),
        (tiny_campaign(sweep={"offset": list(range(400))}, replications=3), "sweep", "1200 runs"),
        (
            tiny_campaign(sweep={f"x{i}": [1, 2] for i in range(11)}),
            "sweep",
            "has 11 axes; at most",
        ),
        (tiny_campaign(sweep={f"x{i}": [1] * 99 for i in range(9)}), "sweep", "than 10^15 runs"),
        (tiny_campaign(sweep={"x" * 101: [1]}), f"sweep.{'x' * 101}", "has 101 characters; at"),
        (tiny_campaign(sweep={"x": ["y" * 101]}), "sweep.x[0]", "give the value a 'label'"),
        (
            tiny_campaign(sweep={"x": [{"label": "y" * 101, "offset": 1}]}),
            "sweep.x[0]",
            "has 101 characters; at most 100",
        ),
        (
            tiny_campaign(sweep={"x": [{"label": "a\nb", "offset": 1}]}),
            "sweep.x[0]",
            "control character U+000A; remove it",
        ),
        (
            tiny_campaign(sweep={"x": [{"label": ["a"], "offset": 1}]}),
            "sweep.x[0]",
            "is not a text",
        ),
        (
            tiny_campaign(sweep={"x": [{"label": "a", **{f"x{i}": 1 for i in range(101)}}]}),
            "sweep.x",
            "set 101 different paths; at most 100",
        ),
        (
            tiny_campaign(sweep={"simulator": [f"sim{i}" for i in range(21)]}),
            "sweep",
            "21 simulators; at most 20",
        ),
        ({**tiny_campaign(), "name": "x\n"}, "name", "is not a name"),
        (tiny_campaign(sweep={"a." * 40 + "b": [1]}), f"sweep.{'a.' * 40}b[0]", "nested deeper"),
        ({**tiny_campaign(), "simulator": "tiny\n"}, "simulator", "is not a simulator's name"),
        ({**tiny_campaign(), "seeds": 3}, "seeds", "did you mean 'replications'?"),
        ({**tiny_campaign(), "runs": 3}, "runs", "did you mean 'replications'?"),
        ({**tiny_campaign(), "matrix": {}}, "matrix", "did you mean 'sweep'?"),
        ({**tiny_campaign(), "algorithms": []}, "algorithms", "did you mean 'sweep.algorithm'?"),
        ([1], "", "a campaign is a mapping"),
    ],
)
def test_reports_problems_by_field(
    tiny: Description, campaign: Any, path: str, expected: str
) -> None:
    problems = {problem.path: problem.message for problem in problems_of(tiny, campaign)}
    assert expected in problems[path]


def test_a_misspelt_sweep_is_the_only_problem(tiny: Description) -> None:
    campaign = {**tiny_campaign(baseline={"offset": 1}), "sweeep": {"offset": [1, 2]}}
    assert [problem.path for problem in problems_of(tiny, campaign)] == ["sweeep"]


def test_equal_scenarios_are_named_up_to_ten(tiny: Description) -> None:
    values = [{"label": str(number), "offset": 1} for number in range(30)]
    problems = problems_of(tiny, tiny_campaign(sweep={"x": values}))
    assert len(problems) == 11
    assert problems[-1].message == "19 more cells have the same scenario as another"


def test_a_problem_has_the_line_of_its_value(tiny: Description) -> None:
    text = "name: x\nsimulator: tiny\nscenario:\n  duration: 1ms\n"
    text += "sweep:\n  offset:\n    - 1\n    - -1\n"
    document = read_yaml(text)
    with pytest.raises(SpecError) as caught:
        make_plan(read_campaign(document), {"tiny": tiny}, document)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        ("sweep.offset[1]", 8)
    ]


@pytest.mark.parametrize(
    ("sweep", "path", "expected"),
    [
        (
            {"workload.groups[2].algorithm": ["cubic", "bbr"]},
            "sweep.workload.groups[2].algorithm[0]",
            "can't set workload.groups[2].algorithm: workload.groups has 2 entries, counted from 0",
        ),
        (
            {"workload.flows[0]": [1]},
            "sweep.workload.flows[0][0]",
            "can't set workload.flows[0]: the scenario has no list workload.flows",
        ),
        (
            {"workload.groups[1].algorithm": ["cubic", "cubik"]},
            "sweep.workload.groups[1].algorithm[1]",
            "'cubik' is not an algorithm of ns3; did you mean 'cubic'?",
        ),
        (
            {"workload.groups[1].name": ["other", "first"]},
            "sweep.workload.groups[1].name[1]",
            "the same name",
        ),
        (
            {"workload.groups[1].algorithm": ["bbr"], "workload.groups": [[]]},
            "sweep.workload.groups",
            "which the axis 'workload.groups[1].algorithm' sets as well",
        ),
    ],
)
def test_reports_problems_of_axes_over_entries(
    ns3: Description, sweep: dict[str, Any], path: str, expected: str
) -> None:
    problems = problems_of(ns3, grouped(**sweep))
    assert [problem.path for problem in problems].count(path) == 1
    assert expected in next(problem.message for problem in problems if problem.path == path)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("topology.access_queue.limit", "25p", "topology.access_queue.kind: missing; one of drop"),
        ("topology.queu.limit", "25p", "topology.queu: unknown field; did you mean 'queue'?"),
        ("topology.queue.limt", "25p", "unknown field; did you mean 'limit'?"),
    ],
)
def test_a_path_that_the_scenario_lacks_is_a_problem_of_the_axis(
    ns3: Description, path: str, value: str, expected: str
) -> None:
    text = f"name: x\nscenario: {json.dumps(DUMBBELL)}\nsweep:\n  {path}: [{value}, 30p]\n"
    document = read_yaml(text)
    with pytest.raises(SpecError) as caught:
        make_plan(read_campaign(document), {"ns3": ns3}, document)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == (f"sweep.{path}", 4)
    assert problem.message.startswith(expected)


def test_what_is_missing_where_the_file_has_the_rest_is_no_problem_of_an_axis(
    ns3: Description,
) -> None:
    scenario = {**DUMBBELL, "workload": {"flows": 2}}
    sweep = {"workload.start_jitter": ["1ms", "2ms"]}
    (problem,) = problems_of(ns3, {"name": "x", "scenario": scenario, "sweep": sweep})
    assert problem.path == "scenario.workload.kind"


def test_a_field_that_a_value_of_an_axis_lacks_is_a_problem_of_the_value(ns3: Description) -> None:
    sweep = {"algorithm": ["cubic", {"kind": "vegas", "alpha": 2}]}
    (problem,) = problems_of(ns3, {"name": "x", "scenario": DUMBBELL, "sweep": sweep})
    assert problem.path == "sweep.algorithm[1].alpha"
    assert problem.message.startswith("unknown field; did you mean 'Alpha'?")


def lints_of(ns3: Description, sweep: dict[str, Any], **scenario: Any) -> dict[str, str]:
    campaign = {
        "name": "x",
        "scenario": {**DUMBBELL, **scenario},
        "sweep": sweep,
        "replications": 5,
        "baseline": {axis: values[0] for axis, values in sweep.items()},
    }
    return {lint.path: lint.message for lint in plan_of(ns3, campaign).lints}  # fmt: skip


def test_lints_of_several_cells_are_one_with_what_suffices_for_all(ns3: Description) -> None:
    topology = {"kind": "dumbbell", "bottleneck": {"rate": "100Mbps"}, "access": {"rate": "1Gbps"}}
    lints = lints_of(ns3, {"topology.queue.limit": ["1bdp", "4bdp", "2bdp"]}, topology=topology)
    assert list(lints) == ["scenario.transport.send_buffer"]
    # Twice the path's 20.4 ms at 100 Mb/s, four times that in the queue: 2,550,000 B.
    assert "set both to 2491KiB or more (and 2 more cells)" in next(iter(lints.values()))


def test_a_lint_of_one_value_points_to_it(ns3: Description) -> None:
    sweep = {"topology.bottleneck.rate": ["5Mbps", "100Mbps"]}
    lints = lints_of(ns3, sweep, transport={"send_buffer": "2MB", "receive_buffer": "2MB"})
    assert list(lints) == ["scenario.topology.access.rate"]
    sweep = {"topology.access.rate": ["1Gbps", "5Mbps"]}
    assert list(lints_of(ns3, sweep)) == ["sweep.topology.access.rate[1]"]


def test_an_axis_over_an_algorithm_that_nothing_uses_is_a_lint(ns3: Description) -> None:
    workload = {"kind": "bulk", "groups": [{"name": "a", "algorithm": "cubic"}]}
    lints = lints_of(ns3, {"algorithm": ["newreno", "bbr"]}, workload=workload)
    assert lints == {
        "sweep.algorithm": "has no effect: every group of the workload names its own algorithm"
    }
    partly = {"kind": "bulk", "groups": [*workload["groups"], {"name": "b"}]}
    paths = list(lints_of(ns3, {"algorithm": ["newreno", "bbr"]}, workload=partly))
    assert "sweep.algorithm" not in paths


def test_a_wrong_series_beside_the_scenario_has_its_own_line(ns3: Description) -> None:
    text = (
        "name: x\nscenario: {topology: dumbbell, workload: bulk, algorithm: cubic, duration: 1s}\n"
        "series:\n  - {probe: queue_length, at: bottleneck}\n  - {probe: queue, at: bottleneck}\n"
    )
    document = read_yaml(text)
    with pytest.raises(SpecError) as caught:
        make_plan(read_campaign(document), {"ns3": ns3}, document)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        ("series[1].probe", 5)
    ]
