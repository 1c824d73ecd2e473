"""Gates as they are written: in a campaign, and in a file of their own."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

import pytest

from tests.conftest import tiny_campaign
from tests.plans import plan_of, problems_of
from windtunnel.errors import SpecError
from windtunnel.spec import read_yaml
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.conditions import Condition, Kind, parse_condition
from windtunnel.spec.description import Description, Metric
from windtunnel.spec.gates import Gate, check_gates, read_gates_file
from windtunnel.spec.limits import MAX_GATE_CELLS
from windtunnel.spec.relevance import Threshold

DELAY = Metric("delay_ms", "ms", "lower", "")
SHARE = Metric("share", "%", "higher", "")
COUNT = Metric("count", "1", "none", "")


def campaign(*gates: Any, baseline: bool = True) -> dict[str, Any]:
    frame: dict[str, Any] = {"baseline": {"offset": 1}} if baseline else {}
    grid = tiny_campaign(
        sweep={"offset": [1, 2, 3], "duration": ["5ms", "7ms"]}, replications=3, **frame
    )
    return {**grid, "gates": list(gates)}


def gate(**fields: Any) -> dict[str, Any]:
    return {"metric": "value", "require": "not worse than 5 %", **fields}


@pytest.mark.parametrize(
    ("text", "metric", "condition"),
    [
        ("better", DELAY, Condition(Kind.BETTER, None)),
        ("not worse than 5 %", DELAY, Condition(Kind.NOT_WORSE, Threshold(0.05, True, "5 %"))),
        (" not  worse than 2ms ", DELAY, Condition(Kind.NOT_WORSE, Threshold(2, False, "2 ms"))),
        ("not worse than 2 pp", SHARE, Condition(Kind.NOT_WORSE, Threshold(2, False, "2 pp"))),
        ("equivalent within 3", COUNT, Condition(Kind.EQUIVALENT, Threshold(3, False, "3"))),
        ("at most 12 ms", DELAY, Condition(Kind.AT_MOST, Threshold(12, False, "12 ms"))),
        ("at least 90 %", SHARE, Condition(Kind.AT_LEAST, Threshold(90, False, "90 %"))),
        ("at least 1.5", COUNT, Condition(Kind.AT_LEAST, Threshold(1.5, False, "1.5"))),
    ],
)
def test_conditions_are_in_the_metrics_unit(
    text: str, metric: Metric, condition: Condition
) -> None:
    assert parse_condition(text, metric) == condition


@pytest.mark.parametrize(
    ("text", "metric", "message"),
    [
        ("not wors than 5 %", DELAY, "'not wors than 5 %' is not a condition; use 'not worse than"),
        ("bettering", DELAY, "is not a condition"),
        ("better than 5 %", DELAY, "is not a condition"),
        ("at mostly 5 ms", DELAY, "is not a condition"),
        ("", DELAY, "'' is not a condition; use 'not worse than 5 %', 'better'"),
        ("not worse than", DELAY, "has no amount"),
        ("not worse than none", DELAY, "'none' is not a threshold; use a percentage of the base"),
        ("not worse than 0 %", DELAY, "'0 %' is not above 0"),
        ("equivalent within 0.0 ms", DELAY, "'0.0 ms' is not above 0"),
        ("at most 0 ms", DELAY, "'0 ms' is not above 0; no mean can be shown to be exactly 0"),
        ("not worse than 5 s", DELAY, "'5 s' has 's'; use a percentage of the baseline such as"),
        ("not worse than 5", DELAY, "'5' has no unit"),
        ("not worse than -5 %", DELAY, "'-5 %' is not a threshold"),
        ("not worse than 1e3 ms", DELAY, "'1e3 ms' is not a threshold"),
        ("at most 5 %", DELAY, "'5 %' is not a value of the metric; write it as '1 ms'"),
        ("at most 5 s", DELAY, "'5 s' is not a value of the metric; write it as '1 ms'"),
        ("not worse than 5 %", COUNT, "neither direction of count is better; use 'equivalent"),
        ("better", COUNT, "neither direction of count is better"),
    ],
)
def test_errors_of_conditions_say_what_is_allowed(text: str, metric: Metric, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_condition(text, metric)


@pytest.mark.parametrize(
    ("written", "path", "message"),
    [
        (gate(metric="valeu"), "metric", "'valeu' is not a metric; did you mean 'value'?"),
        (gate(require="good"), "require", "'good' is not a condition"),
        (gate(require=5), "require", "5 is not a string"),
        ({"metric": "value"}, "require", "missing"),
        (gate(inconclusive="maybe"), "inconclusive", "not one of pass, warn, fail, extend"),
        (gate(condition="better"), "condition", "did you mean 'require'?"),
        (gate(cells={"ofset": 2}), "cells.ofset", "is not an axis of the sweep (axes: offset, dur"),
        (gate(cells={"offset": 4}), "cells.offset", "'4' is not on the axis"),
        (gate(cells={"offset": [2, 4]}), "cells.offset", "'4' is not on the axis"),
        (gate(cells={"offset": []}), "cells.offset", "names no label"),
        (gate(cells={"offset": 1}), "cells", "only cells that would be compared with themselves"),
        (gate(cells=[1]), "cells", "[1] is not a mapping of fields"),
        (gate(against={"offset": 9}), "against.offset", "'9' is not on the axis"),
        (gate(against={}), "against", "names no label"),
        (gate(against={"offset": 2}, cells={"offset": 2}), "cells", "compared with themselves"),
        (gate(against=7), "against", "7 is not a mapping"),
        (gate(require="at most 5 things", against="baseline"), "against", "is on a cell alone"),
    ],
)
def test_errors_of_gates_name_the_field(
    tiny: Description, written: dict[str, Any], path: str, message: str
) -> None:
    (problem,) = problems_of(tiny, campaign(written))
    assert problem.path == f"gates[0].{path}"
    assert message in problem.message


def test_a_gate_against_the_baseline_needs_one(tiny: Description) -> None:
    (problem,) = problems_of(tiny, campaign(gate(), baseline=False))
    assert (problem.path, problem.message) == (
        "gates[0].against",
        "the campaign has no baseline; set its field baseline, or name labels here",
    )
    fine = gate(against={"offset": 2}), gate(require="at most 9 things")
    assert len(plan_of(tiny, campaign(*fine, baseline=False)).campaign.analysis.gates) == 2


def test_seeds_are_added_by_one_rule_only(tiny: Description) -> None:
    until = {"min": 3, "max": 9, "until": {"metric": "value", "relative_ci": 0.05}}
    growing = {**campaign(gate(inconclusive="extend")), "replications": until}
    (problem,) = problems_of(tiny, growing)
    assert problem.path == "gates[0].inconclusive"
    assert "extend needs a fixed number of replications" in problem.message
    assert plan_of(tiny, {**growing, "gates": [gate()]}).campaign.analysis.replications == 3


def test_gates_are_kept_as_written_and_read_again_from_the_store(tiny: Description) -> None:
    written = (
        gate(cells={"offset": 2}, inconclusive="extend"),
        gate(metric="goodput_mbps:bulk", cells={"offset": [2, 3]}, against={"duration": "5ms"}),
        gate(require="at least 3 things"),
    )
    analysis = plan_of(tiny, campaign(*written)).campaign.analysis
    assert analysis.gates == (
        Gate("value", "not worse than 5 %", {"offset": ("2",)}, "baseline", "extend"),
        Gate(
            "goodput_mbps:bulk", "not worse than 5 %", {"offset": ("2", "3")}, {"duration": "5ms"},
            "fail",
        ),
        Gate("value", "at least 3 things", {}, None, "fail"),
    )  # fmt: skip
    assert analysis.replications == 3
    assert Analysis.from_fields(asdict(analysis)) == analysis


@pytest.mark.parametrize("against", ["label:branch=main", "label:branch=main,os=linux", "1f2e3d"])
def test_a_gate_may_name_another_campaign(tiny: Description, against: str) -> None:
    """No baseline is needed for it."""
    fields = {**campaign(gate(against=against)), "baseline": {}}
    (read,) = plan_of(tiny, fields).campaign.analysis.gates
    assert read.other_campaign == against
    assert read.reference_labels({"offset": "1"}) == {}


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ({"against": "basline"}, "against", "neither 'baseline', labels by axis, a campaign's id"),
        ({"against": ""}, "against", "'' is neither 'baseline', labels by axis, a campaign's id"),
        ({"against": "label:branch"}, "against", "'branch' is not a label such as branch=main"),
        ({"against": "label:"}, "against", "'' is not a label such as branch=main"),
        ({"against": "1f2e3d", "require": "at most 3 things"}, "against", "on a cell alone"),
        (
            {"against": "label:branch=main", "inconclusive": "extend"},
            "inconclusive",
            "extend adds seeds to this campaign only, not to the one it is compared with",
        ),
    ],
)
def test_what_is_no_campaign_is_refused(
    tiny: Description, fields: dict[str, str], path: str, message: str
) -> None:
    (problem,) = problems_of(tiny, campaign(gate(**fields)))
    assert problem.path == f"gates[0].{path}"
    assert message in problem.message


def test_another_campaign_takes_the_place_of_a_baseline_but_not_of_named_cells() -> None:
    relative = Gate("value", "better", inconclusive="extend").redirected("1f2e")
    assert (relative.against, relative.inconclusive) == ("1f2e", "fail")
    assert Gate("value", "better", {}, "label:a=b").redirected("1f2e").against == "1f2e"
    named = Gate("value", "better", {}, {"offset": "2"}, "extend")
    absolute = Gate("value", "at most 3 things", {}, None)
    assert [gate.redirected("1f2e") for gate in (named, absolute)] == [named, absolute]


def test_the_number_of_comparisons_is_limited() -> None:
    axes = {"a": [str(n) for n in range(5000)]}
    gates = [Gate("delay_ms", "at most 1 ms", {}, None)] * 3
    (problem,) = check_gates(gates, [DELAY], axes, {})
    assert problem.message == (
        f"the gates compare 15000 cells; at most {MAX_GATE_CELLS} are allowed"
    )


@pytest.mark.parametrize(
    ("text", "path", "line", "message"),
    [
        ("[]", "", None, "a file of gates is a mapping with the field gates"),
        ("{}", "gates", None, "missing"),
        ("gates: []", "gates", 1, "at least 1"),
        ("gates:\n- metric: value", "gates[0].require", 2, "missing"),
        ("gates:\n- metric: value\n  requires: better", "gates[0].requires", 3, "'require'?"),
        ("name: x\ngates: [{metric: value, require: better}]", "name", 1, "unknown field"),
    ],
)
def test_a_file_of_gates_has_nothing_else(
    text: str, path: str, line: int | None, message: str
) -> None:
    with pytest.raises(SpecError) as raised:
        read_gates_file(read_yaml(text))
    problem = next(problem for problem in raised.value.problems if problem.path == path)
    assert message in problem.message
    assert line is None or problem.line == line
