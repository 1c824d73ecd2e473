"""Scenarios resolved against a schema: defaults, canonical quantities, clear problems."""

from typing import Any

import jsonschema
import pytest
import rfc8785

from windtunnel.spec.campaign import campaign_schema
from windtunnel.spec.description import Description
from windtunnel.spec.resolver import Resolver
from windtunnel.spec.schema import published_schema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["shape"],
    "x-quantities": {"total": "corners * factor"},
    "x-lints": [
        {"path": "factor", "require": "factor < 20.0", "message": "{} is above {} of {}",
         "values": "[factor * 1000.0, 2.0 / 3.0, mode]"},
    ],
    "x-constraints": [
        {"path": "mode", "require": "mode == 'slow' || rate > 5.0", "message": "no"},
        {"path": "factor", "require": "total < 100.0", "culprits": "[mode]", "message": "too much"},
    ],
    "properties": {
        "shape": {
            "oneOf": [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "x-renamed": {"corners": "size"},
                    "x-quantities": {"corners": "shape.size"},
                    "properties": {
                        "kind": {"const": "ring"},
                        "size": {"type": "integer", "minimum": 2, "maximum": 8, "multipleOf": 2,
                                 "default": 4, "description": "a ring needs an even size"},
                    },
                    "required": ["kind"],
                }
            ]
        },
        "rate": {"type": "string", "x-quantity": "rate", "default": "1Mbps", "x-maximum": "1Gbps"},
        "factor": {"type": "number", "minimum": 0, "default": 1},
        "label": {"type": ["string", "null"], "default": None},
        "tail": {
            "default": {"kind": "flag", "length": 3},
            "oneOf": [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "kind": {"const": "flag"},
                        "length": {"type": "integer", "default": 1},
                        "colour": {"enum": ["red", "blue"], "default": "red"},
                    },
                    "required": ["kind"],
                }
            ],
        },
        "mode": {"enum": ["slow", "fast"], "default": "slow", "x-renamed": {"quick": "fast"}},
        "list": {"type": "array", "default": [], "maxItems": 2, "items": {"type": "boolean"}},
    },
}  # fmt: skip


def resolve(value: Any) -> tuple[Any, dict[str, str]]:
    resolution = Resolver(SCHEMA, "sim").resolve(value)
    return resolution.scenario, {one.path: one.message for one in resolution.problems}


def test_fills_defaults_and_makes_quantities_canonical() -> None:
    resolved, problems = resolve({"shape": "ring", "rate": "2.5kbps"})
    assert problems == {}
    assert resolved == {
        "shape": {"kind": "ring", "size": 4},
        "rate": "2500bps",
        "factor": 1.0,
        "label": None,
        "tail": {"kind": "flag", "length": 3, "colour": "red"},
        "mode": "slow",
        "list": [],
    }


def test_a_mapping_without_a_kind_changes_the_default() -> None:
    resolved, problems = resolve({"shape": "ring", "tail": {"colour": "blue"}})
    assert problems == {}
    assert resolved["tail"] == {"kind": "flag", "length": 3, "colour": "blue"}
    resolved, _ = resolve({"shape": "ring", "tail": {"kind": "flag", "colour": "blue"}})
    assert resolved["tail"] == {"kind": "flag", "length": 1, "colour": "blue"}


def test_a_lint_has_its_values_to_three_digits() -> None:
    (lint,) = Resolver(SCHEMA, "sim").resolve({"shape": "ring", "factor": 22.5}).lints
    assert (lint.path, lint.message) == ("scenario.factor", "22500 is above 0.667 of slow")


def test_resolving_twice_changes_nothing() -> None:
    once, _ = resolve({"shape": {"kind": "ring", "size": 6}})
    assert resolve(once) == (once, {})


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ({"shape": "rind"}, "scenario.shape", "'rind' is not a shape of sim; did you mean 'ring'?"),
        ({"shape": {"kind": "ring", "size": 5}}, "scenario.shape.size", "5 is odd; a ring needs"),
        ({"shape": {"kind": "ring", "size": -2}}, "scenario.shape.size", "2 to 8 is possible"),
        ({"shape": {"kind": "ring", "size": 1.7}}, "scenario.shape.size", "not a whole number"),
        ({"shape": {"kind": "ring", "size": True}}, "scenario.shape.size", "not a whole number"),
        ({"shape": {"kind": "ring", "sise": 2}}, "scenario.shape.sise", "did you mean 'size'?"),
        ({"shape": {}}, "scenario.shape.kind", "missing"),
        ({"rate": "2Gbps"}, "scenario.rate", "at most 1Gbps"),
        ({"rate": 5}, "scenario.rate", "has no unit"),
        ({"factor": float("nan")}, "scenario.factor", "not a finite number"),
        ({"factor": "1"}, "scenario.factor", "not a finite number"),
        ({"mode": "fats"}, "scenario.mode", "did you mean 'fast'?"),
        ({"list": [True, 1]}, "scenario.list[1]", "neither true nor false"),
        ({"list": [True] * 3}, "scenario.list", "at most 2"),
        ({"mode": "fast", "rate": "5bps"}, "scenario.mode", "no"),
        ({"factor": 50}, "scenario.factor", "'slow': too much"),
        ({"shape": {"kind": "ring", "corners": 2}}, "scenario.shape.corners", "renamed to 'size'"),
        ({"mode": "quick"}, "scenario.mode", "'quick' was renamed to 'fast'"),
    ],
)
def test_problems_name_the_field_and_what_is_allowed(
    change: dict[str, Any], path: str, expected: str
) -> None:
    _, problems = resolve({"shape": "ring", **change})
    assert expected in problems[path]


def test_quantities_follow_from_the_choice_and_the_scenario() -> None:
    resolution = Resolver(SCHEMA, "sim").resolve(
        {"shape": {"kind": "ring", "size": 6}, "factor": 2}
    )
    assert resolution.quantities == {"corners": 6.0, "total": 12.0}


def test_the_canonical_text_is_that_of_the_whole_scenario() -> None:
    resolution = Resolver(SCHEMA, "sim").resolve({"shape": "ring", "rate": "2kbps", "factor": 0.5})
    assert b"".join(resolution.canonical) == rfc8785.dumps(dict(resolution.scenario))


def test_fields_that_scenarios_share_are_resolved_once() -> None:
    resolver, shape = Resolver(SCHEMA, "sim"), {"kind": "ring", "size": 6}
    first, second = (
        resolver.resolve({"shape": shape, "rate": rate}) for rate in ("1kbps", "2kbps")
    )
    assert first.scenario["shape"] is second.scenario["shape"]
    assert first.scenario["rate"] != second.scenario["rate"]


def test_a_scenario_that_changes_one_field_shares_the_others_with_its_siblings() -> None:
    resolver, flags = Resolver(SCHEMA, "sim"), [True, False]
    first, second = (
        resolver.resolve({"shape": "ring", "list": flags, "factor": factor}) for factor in (1, 2)
    )
    assert first.scenario["list"] is second.scenario["list"] is flags


SERIES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "series": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"probe": {"type": "string"}, "at": {"type": "string"}},
            },
        }
    },
    "x-quantities": {
        "port_sets": "['ports']",
        "ports": "[['bottleneck'], ['host{}.nic', 4.0], ['core{}.port{}', 1.0, 8.0]]",
        "unknown": "names_unfit(series.map(entry, entry.at), port_sets, ports)",
    },
    "x-constraints": [
        {
            "path": "series[].at",
            "culprits": "series.filter(entry, entry.probe == 'queue' && entry.at in unknown)",
            "require": "series.all(entry, entry.probe != 'queue' || !(entry.at in unknown))",
            "message": "no port of this topology",
            "known": "port_sets + ports",
        }
    ],
}


def test_a_constraint_on_entries_names_each_wrong_one_and_what_is_known() -> None:
    names = ["host3.nic", "nonsense", "host4.nic"]
    series = [{"probe": "queue", "at": name} for name in names]
    series.append({"probe": "cwnd", "at": "nonsense"})
    problems = Resolver(SERIES, "sim").resolve({"series": series}).problems
    known = "known: ports, bottleneck, host0.nic to host3.nic, core0.port0 to core0.port7"
    assert [(problem.path, problem.message) for problem in problems] == [
        ("scenario.series[1].at", f"'nonsense': no port of this topology; {known}"),
        ("scenario.series[2].at", f"'host4.nic': no port of this topology; {known}"),
    ]


def test_reports_every_problem_at_once() -> None:
    _, problems = resolve({"rate": "x", "mode": "y", "extra": 1})
    assert set(problems) == {
        "scenario.rate", "scenario.mode", "scenario.extra", "scenario.shape",
    }  # fmt: skip


def test_the_published_schema_is_valid_json_schema(tiny: Description) -> None:
    published = published_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(published)
    validator.check_schema(published)
    assert validator.is_valid({"shape": "ring", "rate": "2.5 kbps"})
    assert validator.is_valid({"shape": {"kind": "ring", "size": 6}})
    assert not validator.is_valid({"shape": "ring", "rate": "2.5"})
    assert not validator.is_valid({"shape": "rind"})
    jsonschema.Draft202012Validator.check_schema(campaign_schema(tiny.scenario_schema))
