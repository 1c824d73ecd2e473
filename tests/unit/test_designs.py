"""Sweeps that sample axes: their points, their cells, and what is wrong with a design."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest

from tests.conftest import ROOT, tiny_campaign
from tests.docs.blocks import block
from tests.plans import plan_of, problems_of
from windtunnel.errors import SpecError
from windtunnel.plan import Plan, make_plan
from windtunnel.spec import Document, designs, read_campaign, read_yaml, sampling
from windtunnel.spec.bounds import Input
from windtunnel.spec.description import Description
from windtunnel.spec.designs import Design, outline_of

OFFSET = {"offset": [0, 1000, "integer"]}


def design(kind: str = "saltelli", n: int = 8, over: Any = OFFSET, **others: Any) -> dict[str, Any]:
    """A campaign of the tiny simulator; ``others``: fields of the sweep."""
    return tiny_campaign(sweep={"design": kind, "n": n, "over": over, **others})


def planned(tiny: Description, campaign: dict[str, Any]) -> tuple[Plan, Design]:
    plan = plan_of(tiny, campaign)
    assert plan.campaign.design is not None
    return plan, plan.campaign.design


def messages(tiny: Description, campaign: dict[str, Any]) -> dict[str, str]:
    return {problem.path: problem.message for problem in problems_of(tiny, campaign)}


# ------------------------------------------------------------------ samples


def test_saltelli_rows_are_a_then_a_with_columns_of_b_then_b() -> None:
    rows = sampling.saltelli(16, 3)
    assert len(rows) == 16 * 5
    for start in range(0, len(rows), 5):
        first, *mixed, second = rows[start : start + 5]
        for column, row in enumerate(mixed):
            expected = [*first]
            expected[column] = second[column]
            assert list(row) == expected


def test_sobol_points_have_one_point_in_each_elementary_interval() -> None:
    """The property of a (0, m, 1)-net in every dimension, which skipping a point would break."""
    rows = sampling.saltelli(64, 2)
    for points in (rows[::4], rows[3::4]):
        for axis in (0, 1):
            assert sorted(math.floor(64 * point[axis]) for point in points) == list(range(64))


@pytest.mark.parametrize("sample", [sampling.saltelli, lambda n, axes: sampling.morris(n, axes, 4)])
def test_a_larger_sample_begins_with_the_smaller_one(sample: Any) -> None:
    small, large = sample(16, 3), sample(64, 3)
    assert large[: len(small)] == small


def test_a_latin_hypercube_has_one_point_in_each_interval_of_each_axis() -> None:
    rows = sampling.latin_hypercube(50, 4)
    for column in zip(*rows, strict=True):
        assert sorted(math.floor(50 * value) for value in column) == list(range(50))


@pytest.mark.parametrize("levels", [2, 4, 6])
def test_morris_moves_one_axis_at_a_time_by_one_step(levels: int) -> None:
    rows, step = sampling.morris(20, 3, levels), sampling.morris_step(levels)
    for start in range(0, len(rows), 4):
        moved = []
        for before, after in itertools.pairwise(rows[start : start + 4]):
            changes = [b - a for a, b in zip(before, after, strict=True)]
            (axis,) = [index for index, change in enumerate(changes) if change]
            assert abs(changes[axis]) == pytest.approx(step, abs=1e-8)
            moved.append(axis)
        assert sorted(moved) == [0, 1, 2]
    used = {round(value * (levels - 1), 6) for row in rows for value in row}
    assert used == set(range(levels))


def test_samples_are_the_same_in_every_process() -> None:
    """Pinned, for another sample would be other runs of the same file."""
    assert sampling.saltelli(8, 2)[0] == (0.415039975, 0.573029181)
    assert sampling.latin_hypercube(10, 2)[0] == (0.255336359, 0.086992567)
    assert sampling.morris(4, 2, 4)[:2] == [(0.0, 0.0), (0.0, 0.666666667)]


# ------------------------------------------------------------------ values


def test_values_of_each_scale() -> None:
    integer = Input("x", 1, 3, "integer")
    assert [integer.value(u) for u in (0, 0.33, 0.34, 0.67, 0.999, 1)] == [1, 1, 2, 3, 3, 3]
    assert integer.label(2) == "2"
    log = Input("x", 10_000, 1_000_000, "log", "ns")
    assert [log.value(u) for u in (0, 0.5, 1)] == [10_000, 100_000, 1_000_000]
    assert log.setting(100_000.0) == "100000ns"
    linear = Input("x", 0, 1, "linear")
    assert [linear.label(linear.value(u)) for u in (0, 0.125, 1 / 3, 1)] == [
        "0.0", "0.125", "0.333333", "1.0",
    ]  # fmt: skip


@pytest.mark.parametrize("levels", [4, 6, 8])
def test_morris_levels_reach_every_integer(tiny: Description, levels: int) -> None:
    """A level of 1/3 has nine digits: 0.333333333 * 3 is below 1."""
    count = levels - 1
    over = {"modulus": [1, count, "integer"], **OFFSET}
    plan, _ = planned(tiny, design("morris", 40, over, levels=levels))
    drawn = {cell.coordinates["modulus"] for cell in plan.cells}
    assert drawn == {str(value) for value in range(1, levels)}


def test_labels_and_coordinates_lead_back_to_values() -> None:
    for entry, value in [
        (Input("x", 1, 6, "integer"), 3), (Input("x", 0, 1, "linear"), 0.333333),
        (Input("x", 10_000, 1_000_000, "log", "ns"), 100_000), (Input("x", 1, 9, "log", "p"), 3),
    ]:  # fmt: skip
        assert entry.from_label(entry.label(value)) == value
        assert entry.value(entry.coordinate(value)) == value
        assert (entry.coordinate(entry.low), entry.coordinate(entry.high)) == (0, 1)


def test_every_integer_is_equally_likely(tiny: Description) -> None:
    _, sampled = planned(tiny, design("lhs", 60, {"modulus": [1, 6, "integer"]}))
    assert set(Counter(sampled.rows).values()) == {10}


# ------------------------------------------------------------------ plans


def test_a_plan_has_the_distinct_points_for_every_facet(tiny: Description) -> None:
    over = {"duration": ["1ms", "100ms", "log"], "modulus": [1, 4, "integer"]}
    plan, sampled = planned(
        tiny, design("saltelli", 16, over, offset=[10, 20], simulator=["tiny", "tiny-2"])
    )
    names = [axis.name for axis in plan.campaign.axes]
    assert names == ["offset", "simulator", "duration", "modulus"]
    durations = plan.campaign.axes[2].values
    numbers = [int(value.label.removesuffix("ns")) for value in durations]
    assert numbers == sorted(set(numbers))
    assert 1_000_000 <= numbers[0] < numbers[-1] <= 100_000_000
    assert len(sampled.rows) == 16 * 4
    assert len(plan.cells) == 4 * len(sampled.points)
    assert len(sampled.points) < 16 * 4  # four integers coincide
    for cell in plan.cells:
        facet, point = divmod(cell.index, len(sampled.points))
        assert (cell.coordinates["offset"], cell.coordinates["simulator"]) == [
            ("10", "tiny"), ("10", "tiny-2"), ("20", "tiny"), ("20", "tiny-2"),
        ][facet]  # fmt: skip
        labels = [value.label for value in sampled.points[point]]
        assert [cell.coordinates["duration"], cell.coordinates["modulus"]] == labels
        assert cell.scenario["duration"] == labels[0]
        assert cell.scenario["modulus"] == int(labels[1])
        assert [
            plan.campaign.axes[place].values[index].label
            for place, index in enumerate(cell.value_indices)
        ] == list(cell.coordinates.values())


def test_rows_lead_to_the_points_that_they_were_rounded_to(tiny: Description) -> None:
    over = {"offset": [0, 3, "integer"], "modulus": [1, 2, "integer"]}
    _, sampled = planned(tiny, design("saltelli", 64, over))
    assert len(sampled.points) == 8
    assert len(sampled.rows) == 64 * 4
    for unit, row in zip(sampled.unit_cube, sampled.rows, strict=True):
        assert [value.label for value in sampled.points[row]] == [
            str(min(3, math.floor(4 * unit[0]))), str(1 + min(1, math.floor(2 * unit[1]))),
        ]  # fmt: skip


def test_a_design_is_the_same_from_the_same_file(tiny: Description) -> None:
    def digests(campaign: dict[str, Any]) -> list[str]:
        return [cell.digest for cell in plan_of(tiny, campaign).cells]

    assert digests(design()) == digests(design())
    assert set(digests(design(n=8))) <= set(digests(design(n=16)))


def test_a_baseline_is_on_a_facet(tiny: Description) -> None:
    campaign = {**design(modulus=[1, 2]), "baseline": {"modulus": 1}}
    plan, sampled = planned(tiny, campaign)
    points = len(sampled.points)
    assert [cell.baseline for cell in plan.cells] == [*range(points), *range(points)]
    campaign["baseline"] = {"offset": 3}
    (problem,) = problems_of(tiny, campaign)
    assert problem.path == "baseline.offset"
    assert problem.message.startswith("is sampled by the design")


def test_notes_on_a_design_are_about_its_noise(tiny: Description) -> None:
    assert [lint.path for lint in plan_of(tiny, design()).lints] == ["replications"]
    two = {**design(modulus=[1, 2]), "replications": 2}
    assert plan_of(tiny, two).lints == ()


def test_lists_named_like_a_designs_fields_are_axes(tiny: Description) -> None:
    with pytest.raises(SpecError, match=r"sweep\.design.*unknown field"):
        plan_of(tiny, tiny_campaign(sweep={"design": [1, 2]}))


def test_the_record_outlines_the_design(tiny: Description) -> None:
    over = {"duration": ["1ms", "100ms", "log"], "offset": [0, 9, "integer"]}
    _, sampled = planned(tiny, design("morris", 5, over, levels=6))
    record = json.loads(json.dumps(sampled.record()))
    assert outline_of(record) == sampled.outline()
    assert sampled.outline() == {
        "kind": "morris",
        "n": 5,
        "levels": 6,
        "formula": "5 x (2 + 1)",
        "rows": 15,
        "points": len(sampled.points),
        "inputs": [
            {"name": "duration", "low": "1ms", "high": "100ms", "scale": "log"},
            {"name": "offset", "low": "0", "high": "9", "scale": "integer"},
        ],
    }


def test_gates_of_a_design_count_its_points(tiny: Description) -> None:
    """A product of two sampled axes would be 640 x 640 cells."""
    over = {**OFFSET, "modulus": [1, 100_000, "integer"]}
    gate: dict[str, Any] = {"metric": "value", "require": "at least 1 things"}
    plan_of(tiny, {**design("lhs", 640, over), "gates": [gate]})
    gate = {"metric": "value", "require": "better", "against": {"offset": 0}}
    found = messages(tiny, {**design("lhs", 10), "gates": [gate]})
    assert found["gates[0].against.offset"].startswith("is sampled by the design")


def test_a_design_of_ten_thousand_cells_is_within_the_budget_of_work(ns3: Description) -> None:
    text = b"""
name: large
scenario:
  topology: {kind: fat-tree, k: 4}
  workload: {kind: random-pairs, flows: 16, rate: 50Mbps, on_mean: 1s, off_mean: 1s}
  duration: 10s
sweep:
  design: lhs
  n: 2500
  over:
    topology.link.delay: [10us, 1ms, log]
    topology.link.rate: [10Mbps, 1Gbps, log]
    topology.queue.limit: [10p, 1000p, log]
    workload.flows: [1, 32, integer]
  algorithm: [newreno, vegas]
"""
    document = read_yaml(text)
    plan = make_plan(read_campaign(document), {"ns3": ns3}, document)
    assert len(plan.cells) == 5_000


def test_scipy_is_not_imported_for_a_grid() -> None:
    code = (
        "import sys\nfrom windtunnel.spec import Document, read_campaign\n"
        "read_campaign(Document({'name': 'x', 'scenario': {}, 'sweep': {'a': [1]}}))\n"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_documentations_design_is_planned(ns3: Description) -> None:
    example = read_yaml(block("docs/sensitivity.md", "sweep:").text.encode()).value
    scenario = {
        "topology": {"kind": "fat-tree", "k": 4},
        "workload": {"kind": "random-pairs", "flows": 4},
        "duration": "1s",
    }
    campaign = {"name": "documented", "scenario": scenario, **example}
    plan = make_plan(read_campaign(Document(campaign)), {"ns3": ns3})
    assert plan.campaign.design is not None
    assert plan.campaign.design.outline()["formula"] == "256 x (2 + 2)"


def test_the_study_of_four_axes_is_planned(ns3: Description) -> None:
    document = read_yaml((ROOT / "papers" / "cfi16" / "sensitivity.yaml").read_bytes())
    plan = make_plan(read_campaign(document), {"ns3": ns3}, document)
    assert plan.campaign.design is not None
    assert (plan.campaign.design.formula, len(plan.cells)) == ("64 x (4 + 2)", 766)
    assert plan.lints == ()


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"design": "sobol"}, "sweep.design", "'sobol' is not a design; did you mean 'saltelli'?"),
        ({"design": "saltely"}, "sweep.design", "did you mean 'saltelli'?"),
        ({"design": "box"}, "sweep.design", "known: saltelli, lhs, morris"),
        ({"n": 100}, "sweep.n", "100 is not a power of two, which Sobol' points need; use 64"),
        ({"n": 4}, "sweep.n", "4 is too small for saltelli; at least 8"),
        ({"n": None}, "sweep.n", "missing; for saltelli it is a power of two, for example 64"),
        ({"n": 8.0}, "sweep.n", "8.0 is not a whole number"),
        ({"design": "lhs", "n": 9}, "sweep.n", "9 is too small for lhs; at least 10"),
        ({"levels": 4}, "sweep.levels", "only design morris has levels; remove the field"),
        ({"design": "morris", "levels": 3}, "sweep.levels", "3 is not an even whole number from 2"),
        ({"over": None}, "sweep.over", "missing; it has the axes to sample, such as"),
        ({"over": {}}, "sweep.over", "names no axis; add at least one, such as"),
        ({"over": {"simulator": [1, 2]}}, "sweep.over.simulator", "'simulator' is not a number"),
        ({"over": ["offset"]}, "sweep.over", "is not a mapping of paths and bounds"),
        ({"offset": [1, 2]}, "sweep.over.offset", "which the axis 'offset' sets as well"),
        ({"n": 16_384}, "sweep.n", "16384 x (1 + 2) = 49152 points"),
        ({"n": 4096}, "sweep.n", "are 12288 cells; at most 5000 are allowed; n: 1024 would fit"),
        ({"n": 512, "modulus": [1, 2], "x": [3, 4, 5]}, "sweep.n",
         "x 2 (modulus) x 3 (x) x 1 replications are 9216 runs; at most 5000 are allowed; n: 256"),
    ],
)  # fmt: skip
def test_errors_of_a_design_name_the_field_and_what_is_right(
    tiny: Description, changes: dict[str, Any], path: str, message: str
) -> None:
    sweep = {"design": "saltelli", "n": 8, "over": OFFSET, **changes}
    max_runs = 5000 if "x" in changes else 100_000
    with pytest.raises(SpecError) as caught:
        plan_of(tiny, tiny_campaign(sweep=sweep), max_runs)
    found = {problem.path: problem.message for problem in caught.value.problems}
    assert message in found[path]


@pytest.mark.parametrize(
    ("kind", "n", "path"),
    [
        ("saltelli", 65_536, "sweep.n"),
        ("lhs", 2**30, "sweep.n"),
        ("morris", 2**30, "sweep.n"),
        ("lhs", 400, "sweep.x"),
    ],
)
@pytest.mark.parametrize("facet", [[], 5, {}, ["a", "a"]])
def test_a_wrong_facet_is_refused_without_a_sample(
    tiny: Description, monkeypatch: pytest.MonkeyPatch, kind: str, n: int, path: str, facet: Any
) -> None:
    def sample(*_: Any) -> sampling.Rows:
        raise AssertionError("sampled")

    for name in ("saltelli", "latin_hypercube", "morris"):
        monkeypatch.setattr(sampling, name, sample)
    monkeypatch.setitem(designs._SAMPLES, "morris", sample)
    start = time.process_time()
    found = messages(tiny, design(kind, n, x=facet))
    assert time.process_time() - start < 1
    assert [known for known in found if known.startswith(path)]


def test_the_size_of_a_design_names_each_axis_with_its_own_length(tiny: Description) -> None:
    found = messages(tiny, design("lhs", 9_000, x=5, modulus=[1, 2], z=[]))
    assert "9000 points x 2 (modulus) x 1 replications are 18000 runs" in found["sweep.n"]


@pytest.mark.parametrize(
    ("bounds", "place", "message"),
    [
        ([5, 5], "", "low 5 is not below high 5; expected [low, high]"),
        (["1ms", "10us", "log"], "", "low '1ms' is not below high '10us'"),
        ([0, 5, "log"], "[0]", "a log scale begins above 0, not at 0; raise it or use linear"),
        (["0s", "5s", "log"], "[0]", "a log scale begins above 0"),
        (["1ms", "5Mbps"], "", "'1ms' is time and '5Mbps' is rate; both bounds must have units"),
        ([1, "5ms"], "", "1 is a number and '5ms' is time"),
        ([1, 2, "int"], "[2]", "'int' is not a scale; did you mean 'integer'?"),
        ([1, 2, "cubic"], "[2]", "known: linear, log, integer"),
        ([1, 2.5, "integer"], "", "bounds of the scale integer are whole numbers, not 2.5"),
        (["a", "b"], "[0]", "'a' is not a number or a quantity such as 10ms"),
        (["0.5ns", "1s"], "[0]", "'0.5ns' is not a whole number of ns"),
        (["-1ms", "1s"], "[0]", "is negative"),
        ([True, 2], "[0]", "true is not a number"),
        ([1], "", "[1] is not a range; expected [low, high] or [low, high, linear|log|integer]"),
        ("1..2", "", "'1..2' is not a range"),
    ],
)
def test_errors_of_bounds(tiny: Description, bounds: Any, place: str, message: str) -> None:
    found = messages(tiny, design(over={"offset": bounds}))
    assert message in found[f"sweep.over.offset{place}"]


def test_errors_have_the_lines_of_the_file() -> None:
    text = (
        b"name: x\nscenario: {}\nsweep:\n  design: lhs\n  n: 20\n  over:\n"
        b"    a.b: [1, 2]\n    c.d: [2, 1]\n"
    )
    with pytest.raises(SpecError) as caught:
        read_campaign(read_yaml(text))
    assert [(p.path, p.line) for p in caught.value.problems] == [("sweep.over.c.d", 8)]


def test_problems_of_sampled_values_are_told_once_at_the_range(tiny: Description) -> None:
    found = messages(tiny, design(over={"offset": [0, 1000]}))
    assert list(found) == ["sweep.over.offset"]
    assert found["sweep.over.offset"].endswith("; use the scale integer")
    found = messages(tiny, design(over={"ofset": [0, 1000, "integer"]}))
    assert found == {"sweep.over.ofset": "unknown field; did you mean 'offset'?"}
    found = messages(tiny, design(over={"offset": [-9, 1000, "integer"]}, n=64))
    assert "is out of range; 0 to 1000000 is possible (of the" in found["sweep.over.offset"]
