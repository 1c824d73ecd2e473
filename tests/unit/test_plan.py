"""From campaign to cells and runs."""

import hashlib
import json
import time
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
import rfc8785

from tests.conftest import tiny_campaign
from windtunnel.errors import Problem, SpecError
from windtunnel.plan import Plan, make_plan, run_identity
from windtunnel.spec import Document, read_campaign, read_yaml
from windtunnel.spec.axes import baseline_text
from windtunnel.spec.description import Description, Metric


def plan_of(tiny: Description, campaign: dict[str, Any], max_runs: int = 1000) -> Plan:
    simulators = {"tiny": tiny, "ns3": tiny, "tiny-2": variant(tiny)}
    return make_plan(read_campaign(Document(campaign), max_runs), simulators)


def variant(tiny: Description, digest: str = "f" * 64) -> Description:
    """Another build, under another name."""
    return replace(tiny, name="tiny-2", digest=digest)


def problems_of(tiny: Description, campaign: dict[str, Any]) -> tuple[Problem, ...]:
    with pytest.raises(SpecError) as caught:
        plan_of(tiny, campaign)
    return caught.value.problems


def test_the_grid_is_every_combination_in_the_files_order(tiny: Description) -> None:
    plan = plan_of(tiny, tiny_campaign(sweep={"offset": [1, 2], "duration": ["5ms", "6ms"]}))
    assert [tuple(cell.coordinates.values()) for cell in plan.cells] == [
        ("1", "5ms"), ("1", "6ms"), ("2", "5ms"), ("2", "6ms"),
    ]  # fmt: skip
    assert [cell.scenario["duration"] for cell in plan.cells[:2]] == ["5000000ns", "6000000ns"]


def test_a_coupled_axis_sets_several_paths_in_one_column(tiny: Description) -> None:
    values = [
        {"label": "short", "duration": "1ms", "offset": 3},
        {"label": "long", "duration": "9ms", "offset": 4},
    ]
    plan = plan_of(tiny, tiny_campaign(sweep={"path": values}))
    assert [cell.coordinates for cell in plan.cells] == [{"path": "short"}, {"path": "long"}]
    assert [cell.scenario["offset"] for cell in plan.cells] == [3, 4]


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


def test_runs_go_seed_by_seed_and_have_distinct_identities(tiny: Description) -> None:
    plan = plan_of(tiny, tiny_campaign(sweep={"offset": [1, 2]}, replications=3))
    runs = list(plan.runs())
    assert [(cell.index, seed) for cell, seed, _ in runs] == [
        (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3),
    ]  # fmt: skip
    assert len({identity for _, _, identity in runs}) == 6


def test_an_identity_is_of_canonical_json() -> None:
    cell, simulator = "0f" * 32, "a9" * 32
    content: dict[str, Any] = {"seed_index": 12, "simulator": simulator, "cell": cell}
    expected = hashlib.sha256(rfc8785.dumps(content)).hexdigest()
    assert run_identity(cell, 12, simulator) == expected


def test_identity_depends_on_scenario_seed_and_simulator_only(tiny: Description) -> None:
    def identities(**changes: Any) -> list[str]:
        return [run for _, _, run in plan_of(tiny, tiny_campaign(**changes)).runs()]

    assert identities(name="a") == identities(name="b", offset=0)
    assert identities(duration="10ms") == identities(duration="0.01s")
    assert identities(offset=1) != identities()
    other = replace(tiny, digest="f" * 64)
    assert [run for _, _, run in plan_of(other, tiny_campaign()).runs()] != identities()


def test_each_cell_knows_the_baseline_that_shares_its_other_axes(tiny: Description) -> None:
    sweep = {"offset": [1, 2], "modulus": [5, 6]}
    plan = plan_of(tiny, tiny_campaign(sweep=sweep, baseline={"offset": 2}))
    assert [cell.baseline for cell in plan.cells] == [2, 3, 2, 3]


def test_cost_is_start_up_and_events(tiny: Description) -> None:
    plan = plan_of(tiny, tiny_campaign(sweep={"duration": ["5ms", "7ms"]}, replications=4))
    assert [cell.cost.events for cell in plan.cells] == [5, 7]
    assert [cell.cost.simulated_seconds for cell in plan.cells] == [0.005, 0.007]
    # 20 ms, and a million events a second
    assert [cell.cost.cpu_seconds for cell in plan.cells] == pytest.approx([0.020005, 0.020007])


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


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        ({"offset": [1]}, "{offset: 1}"),
        ({"a.b[0].c": ["x"]}, '{"a.b[0].c": x}'),
        ({"x": [{"label": "a, b", "offset": 1}]}, '{"x": "a, b"}'),
        ({"x": [{"label": "07", "offset": 1}]}, '{"x": "07"}'),
        ({"x": [{"label": 'say: "hi"', "offset": 1}]}, '{"x": "say: \\"hi\\""}'),
    ],
)
def test_the_suggested_baseline_is_valid_yaml(sweep: dict[str, Any], expected: str) -> None:
    campaign = read_campaign(Document(tiny_campaign(sweep=sweep)))
    axis = campaign.axes[0]
    text = baseline_text(axis.name, axis.values[0].label)
    assert text == expected
    baseline = read_yaml(f"baseline: {text}").value["baseline"]
    again = read_campaign(Document(tiny_campaign(sweep=sweep, baseline=baseline)))
    assert again.baseline == {axis.name: axis.values[0].label}


def test_the_size_is_checked_before_the_values(tiny: Description) -> None:
    sweep = {"offset": [1, 1], "modulus": [[]] * 600}
    problems = problems_of(tiny, tiny_campaign(sweep=sweep))
    assert [problem.message for problem in problems] == [
        "2 x 600 cells x 1 replications are 1200 runs; at most 1000 are allowed"
    ]


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ({"ofset": list(range(5_000))}, 1),  # the same mistake in every value
        ({"offset": list(range(-5_000, 0))}, 101),  # the last says that there are more
        ({"offset": [1] * 5_000}, 1),
        ({"x": [{"label": str(i), f"x{i}.y": 1} for i in range(5_000)]}, 1),
    ],
)
def test_a_long_axis_takes_linear_time(
    tiny: Description, axis: dict[str, Any], expected: int
) -> None:
    campaign = tiny_campaign(sweep=axis)
    document = Document(campaign)
    began = time.process_time()
    with pytest.raises(SpecError) as caught:
        make_plan(read_campaign(document), {"tiny": tiny}, document)
    assert time.process_time() - began < 5
    assert len(caught.value.problems) == expected


def test_cells_share_a_long_list(ns3: Description) -> None:
    """16 cells of a list of 88 kB: each has its own copy of other fields only."""
    pairs = [[number % 16, (number + 1) % 16] for number in range(10_000)]
    workload = {"kind": "random-pairs", "flows": 10_000, "pairs": pairs}
    campaign = read_campaign(
        Document(
            {
                "name": "pairs",
                "scenario": {
                    "topology": {"kind": "fat-tree", "k": 4},
                    "workload": workload,
                    "algorithm": "cubic",
                    "duration": "1s",
                },
                "sweep": {"workload.on_mean": [f"{time}ms" for time in range(1, 17)]},
            }
        )
    )
    tracemalloc.start()
    plan = make_plan(campaign, {"ns3": ns3})
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {id(cell.scenario["workload"]["pairs"]) for cell in plan.cells} == {id(pairs)}
    assert kept < 1e6
    assert peak < 5e6


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


def test_series_beside_the_scenario_are_part_of_every_cell(ns3: Description) -> None:
    campaign = {
        "name": "x",
        "scenario": {
            "topology": {"kind": "fat-tree", "k": 4},
            "workload": {"kind": "random-pairs", "flows": 2},
            "algorithm": "cubic",
            "duration": "1s",
        },
    }
    without = plan_of(ns3, campaign).cells[0]
    series = [{"probe": "queue_length", "at": "core"}]
    with_series = plan_of(ns3, {**campaign, "series": series}).cells[0]
    assert with_series.scenario["series"][0]["step"] == "10000000ns"
    assert without.digest != with_series.digest


GROUPS: dict[str, Any] = {
    "topology": "dumbbell",
    "workload": {
        "kind": "bulk",
        "groups": [{"name": "first", "algorithm": "cubic"}, {"name": "second"}],
    },
    "duration": "1s",
}


def grouped(**sweep: Any) -> dict[str, Any]:
    return {"name": "x", "scenario": GROUPS, "sweep": sweep}


def test_axes_over_entries_of_a_list_pair_every_algorithm_with_every_other(
    ns3: Description,
) -> None:
    algorithms = ["cubic", "bbr", {"kind": "vegas", "Alpha": 1}]
    plan = plan_of(
        ns3,
        grouped(**{f"workload.groups[{group}].algorithm": algorithms for group in (0, 1)}),
    )
    chosen = [
        tuple(group["algorithm"]["kind"] for group in cell.scenario["workload"]["groups"])
        for cell in plan.cells
    ]
    kinds = ("cubic", "bbr", "vegas")
    assert chosen == [(first, second) for first in kinds for second in kinds]
    assert [group["name"] for group in plan.cells[4].scenario["workload"]["groups"]] == [
        "first", "second",
    ]  # fmt: skip
    assert "algorithm" not in GROUPS["workload"]["groups"][1]


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


DUMBBELL: dict[str, Any] = {
    "topology": {"kind": "dumbbell"}, "workload": "bulk", "algorithm": "cubic", "duration": "1s",
}  # fmt: skip


def test_a_queue_without_a_kind_is_of_the_default_kind(ns3: Description) -> None:
    sweep = {"topology.queue.limit": ["25p", "100p"]}
    plan = plan_of(ns3, {"name": "x", "scenario": DUMBBELL, "sweep": sweep})
    assert [cell.scenario["topology"]["queue"] for cell in plan.cells] == [
        {"kind": "drop-tail", "limit": limit, "ns325_device_queue": None}
        for limit in ("25p", "100p")
    ]


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
