"""What reading and planning a file may cost is bounded, whatever is in the file.

bench/planning.py measures the time and memory of such files.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import tiny_campaign
from windtunnel.errors import Problem, SpecError
from windtunnel.plan import make_plan
from windtunnel.spec import Document, read_campaign, read_json, read_yaml, yaml_reader
from windtunnel.spec.description import Description
from windtunnel.spec.limits import MAX_CELLS, MAX_PROBLEMS, MAX_VALUES
from windtunnel.spec.work import TooMuchWorkError, Work, checking_work


def refused(read: Any, text: str) -> Problem:
    with pytest.raises(SpecError) as caught:
        read(text)
    (problem,) = caught.value.problems
    return problem


class CountedParser(yaml_reader._Parser):  # type: ignore[misc]
    """Counts the events that are asked for."""

    events = 0

    def get_event(self) -> Any:
        type(self).events += 1
        return super().get_event()


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> type[CountedParser]:
    CountedParser.events = 0
    monkeypatch.setattr(yaml_reader, "_Parser", CountedParser)
    return CountedParser


def test_yaml_is_refused_at_the_value_that_is_one_too_many(parser: type[CountedParser]) -> None:
    problem = refused(read_yaml, "a:\n" + "- x\n" * 2 * MAX_VALUES)
    assert problem.path == f"a[{MAX_VALUES - 2}]"
    assert problem.line == MAX_VALUES
    assert f"more than {MAX_VALUES} values" in problem.message
    assert parser.events < MAX_VALUES + 10


@pytest.mark.parametrize("text", ["[" * 10**6, "[x," * 10**5, "{a: " * 10**5, "- " * 10**5])
def test_yaml_is_refused_at_the_level_that_is_too_deep(
    parser: type[CountedParser], text: str
) -> None:
    assert "nested deeper than 40 levels" in refused(read_yaml, text).message
    assert parser.events < 200


def test_an_alias_costs_nothing_but_counts(parser: type[CountedParser]) -> None:
    """90 thousand values, and 99 million characters, in a few events."""
    base = "a: &a [" + "x, " * 99 + "x]\n"
    document = read_yaml(base + "b: [" + ", ".join(["*a"] * 890) + "]\n")
    assert {id(value) for value in document.value["b"]} == {id(document.value["a"])}
    assert parser.events < 1200
    assert document.line_of("b[889][99]") == 1
    problem = refused(read_yaml, base + "b: [" + ", ".join(["*a"] * 1000) + "]\n")
    assert (problem.path, problem.line) == ("b[989]", 2)
    long = 'a: &a "' + "x" * 100_000 + '"\nb: [' + ", ".join(["*a"] * 999) + "]\n"
    assert "characters of text once aliases are written out" in refused(read_yaml, long).message


def test_an_alias_has_the_depth_of_its_value() -> None:
    levels = "a0: &a0 x\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 60))
    problem = refused(read_yaml, levels)
    assert (problem.path, problem.line) == ("a40[0]", 41)


def test_json_is_refused_at_the_value_that_is_one_too_many() -> None:
    problem = refused(read_json, '{"a": [\n' + ",\n".join(["0"] * 2 * MAX_VALUES) + "]}")
    assert problem.path == f"a[{MAX_VALUES - 2}]"
    assert problem.line == MAX_VALUES


def test_a_key_that_is_repeated_very_often_is_found_at_its_second_place() -> None:
    problem = refused(read_json, "{" + ",\n".join(['"a": 1'] * 100_000) + "}")
    assert (problem.path, problem.line, problem.message) == ("a", 2, "duplicate key")
    deep = '{"a":' * 60 + '{"b": 1, "b": 2}' + "}" * 60
    assert refused(read_json, deep).message == "duplicate key"


@pytest.mark.parametrize("read", [read_json, read_yaml])
def test_a_long_key_is_not_part_of_any_path(read: Any) -> None:
    problem = refused(read, json.dumps({"a": {"k" * 1000: list(range(1000))}}))
    assert problem.path == "a"
    assert problem.message.startswith("the key 'kkkkkkkkkkkkkkkkkkkk'... has 1000 characters")


@pytest.mark.parametrize("read", [read_json, read_yaml])
@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\x1b", "U+001B"),
        ("\u202e", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("\u2028", "U+2028 (LINE SEPARATOR)"),
        ("\u200b", "U+200B (ZERO WIDTH SPACE)"),
    ],
)
def test_control_characters_are_refused_with_their_field(
    read: Any, character: str, name: str
) -> None:
    problem = refused(read, json.dumps({"description": "a", "b": [{"label": f"x{character}"}]}))
    assert problem.path == "b[0].label"
    assert problem.line == 1
    assert problem.message == f"contains the control character {name}; remove it"
    problem = refused(read, json.dumps({"b": {f"x{character}": 1}}))
    assert problem.path == "b"
    assert f"the control character {name}" in problem.message


@pytest.mark.parametrize("read", [read_json, read_yaml])
def test_texts_may_have_paragraphs_and_all_scripts(read: Any) -> None:
    text = "Größe\tµs\nשלום 東京\u00a0😀"
    assert read(json.dumps({"description": text}, ensure_ascii=False)).value["description"] == text
    assert "U+000A" in refused(read, json.dumps({"a\nb": 1})).message


def test_axis_values_are_counted_before_anything_is_made_of_them(tiny: Description) -> None:
    values = [{"label": object()}] * (MAX_CELLS + 1)  # none of which could be read
    with pytest.raises(SpecError, match=f"^sweep: 5001 cells; at most {MAX_CELLS} are allowed"):
        read_campaign(Document(tiny_campaign(sweep={"x": values})))
    with pytest.raises(SpecError, match=r"^sweep: 100 x 51 cells are 5100; at most 5000"):
        read_campaign(Document(tiny_campaign(sweep={"x": [None] * 100, "y": [None] * 51})))


@pytest.mark.parametrize(
    "sweep",
    [
        {"workload.pairs[0]": [{"label": str(i), "workload.pairs[0][0]": i} for i in range(99)]},
        {"workload.pairs[0]": [{"label": str(i), "x.pairs[0][0]": i} for i in range(99)]},
    ],
)
def test_a_long_list_is_not_copied_for_every_cell(ns3: Description, sweep: dict[str, Any]) -> None:
    pairs = [[number % 16, (number + 1) % 16] for number in range(30_000)]
    workload = {"kind": "random-pairs", "flows": 30_000, "pairs": pairs}
    scenario = {"topology": {"kind": "fat-tree", "k": 4}, "workload": workload}
    campaign = {"name": "pairs", "scenario": scenario, "sweep": sweep}
    with pytest.raises(SpecError) as caught:
        make_plan(read_campaign(Document(campaign)), {"ns3": ns3})
    assert len(caught.value.problems) <= MAX_PROBLEMS + 1


def test_work_is_counted_with_its_limit(ns3: Description) -> None:
    """One cell per group of 100, all different: the limit is met at the same cell everywhere."""
    groups = [{"name": f"g{i}", "flows": 1} for i in range(100)]
    scenario = {
        "topology": {"kind": "dumbbell"},
        "workload": {"kind": "bulk", "groups": groups},
        "algorithm": "cubic",
        "duration": "1s",
    }
    sweep = {"workload.groups[0].start": [f"{i}ms" for i in range(400)]}
    campaign = {"name": "groups", "scenario": scenario, "sweep": sweep}
    with pytest.raises(SpecError, match=r"planning 400 cells takes too much work \(at cell \d\d"):
        make_plan(read_campaign(Document(campaign)), {"ns3": ns3})


def test_scenarios_to_store_are_limited(tiny: Description, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.plan.plan.MAX_SCENARIO_BYTES", 1000)
    campaign = read_campaign(Document(tiny_campaign(sweep={"offset": list(range(100))})))
    with pytest.raises(SpecError, match="makes scenarios of over 1000 bytes"):
        make_plan(campaign, {"tiny": tiny})


def test_unknown_fields_are_listed_up_to_a_limit(tiny: Description) -> None:
    fields: dict[str, Any] = {f"x{number}": 1 for number in range(20_000)}
    for campaign in ({**tiny_campaign(), **fields}, tiny_campaign(**fields)):
        with pytest.raises(SpecError) as caught:
            make_plan(read_campaign(Document(campaign)), {"tiny": tiny})
        assert len(caught.value.problems) == MAX_PROBLEMS + 1
        assert caught.value.problems[-1].message == "there are more problems; these are 100 of them"


def test_work_of_a_value_is_its_members() -> None:
    assert checking_work([1, [2, 3]]) == 5
    assert checking_work({"a": 1}) > checking_work([1])
    work = Work(10)
    work.copy(9000)
    with pytest.raises(TooMuchWorkError):
        work.spend(1)
