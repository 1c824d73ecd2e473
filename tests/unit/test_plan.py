"""From campaign to cells and runs."""

import hashlib
import time
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
import rfc8785

from tests.conftest import tiny_campaign
from tests.plans import DUMBBELL, GROUPS, grouped, plan_of, problems_of
from windtunnel.errors import SpecError
from windtunnel.plan import make_plan, run_identity
from windtunnel.spec import Document, read_campaign, read_yaml
from windtunnel.spec.axes import baseline_text
from windtunnel.spec.description import Description


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


def test_a_queue_without_a_kind_is_of_the_default_kind(ns3: Description) -> None:
    sweep = {"topology.queue.limit": ["25p", "100p"]}
    plan = plan_of(ns3, {"name": "x", "scenario": DUMBBELL, "sweep": sweep})
    assert [cell.scenario["topology"]["queue"] for cell in plan.cells] == [
        {"kind": "drop-tail", "limit": limit, "ns325_device_queue": None}
        for limit in ("25p", "100p")
    ]
