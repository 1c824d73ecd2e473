"""A campaign's fields about its analysis: the family of metrics, thresholds, kind of interval."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import tiny_campaign
from tests.plans import plan_of, problems_of
from windtunnel.comparison import power_note
from windtunnel.spec.analysis import Analysis, Family
from windtunnel.spec.description import Description
from windtunnel.spec.relevance import Threshold, parse_threshold


def campaign(replications: int = 5, baseline: bool = True, **fields: Any) -> dict[str, Any]:
    frame: dict[str, Any] = {"baseline": {"offset": 1}} if baseline else {}
    grid = tiny_campaign(sweep={"offset": [1, 2, 3]}, replications=replications, **frame)
    return {**grid, **fields}


def test_the_family_is_the_default_metrics_unless_declared(tiny: Description) -> None:
    assert plan_of(tiny, campaign()).family == Family(2, ("value",), 2)
    declared = campaign(family=["value", "goodput_mbps:bulk"])
    assert plan_of(tiny, declared).family == Family(2, ("value", "goodput_mbps:bulk"), 4)
    assert plan_of(tiny, campaign(baseline=False)).family.size == 0


def test_the_analysis_is_kept_as_written(tiny: Description) -> None:
    fields: dict[str, Any] = {
        "family": ["value"],
        "relevance": {"value": "2 things"},
        "interval": "bca",
    }
    analysis = plan_of(tiny, campaign(20, **fields)).campaign.analysis
    assert analysis == Analysis(("value",), {"value": "2 things"}, "bca", replications=20)
    assert Analysis.from_fields({}) == Analysis()


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ({"family": ["valeu"]}, "family[0]", "'valeu' is not a metric; did you mean 'value'?"),
        ({"family": ["value", "value"]}, "family[1]", "duplicate metric 'value'"),
        ({"family": "value"}, "family", "'value' is not a list"),
        ({"family": [3]}, "family[0]", "3 is not"),
        ({"relevance": {"delay": "5 %"}}, "relevance.delay", "'delay' is not a metric"),
        ({"relevance": {"value": "0 %"}}, "relevance.value", "'0 %' is not above 0; use 'none'"),
        ({"relevance": {"value": -1}}, "relevance.value", "'-1' is not a threshold"),
        ({"relevance": {"value": None}}, "relevance.value", "'None' is not a threshold"),
        ({"relevance": {"goodput_mbps": "1 ms"}}, "relevance.goodput_mbps", "'1 ms' has 'ms'"),
        ({"relevance": {"goodput_mbps": 1}}, "relevance.goodput_mbps", "'1' has no unit"),
        ({"interval": "bca"}, "interval", "bca needs at least 20 replications, not 5"),
        ({"interval": "bootstrap"}, "interval", "'bootstrap' is not"),
        ({"family": ["value"], "baseline": {}}, "family", "verdicts compare with a baseline"),
    ],
)
def test_errors_name_the_field_and_what_is_allowed(
    tiny: Description, fields: dict[str, Any], path: str, message: str
) -> None:
    (problem,) = problems_of(tiny, campaign(**fields))
    assert problem.path == path
    assert message in problem.message


@pytest.mark.parametrize(
    ("text", "unit", "threshold"),
    [
        ("5 %", "ms", Threshold(0.05, True, "5 %")),
        ("0.5%", "%", Threshold(0.005, True, "0.5 %")),
        ("2 pp", "%", Threshold(2.0, False, "2 pp")),
        ("1ms", "ms", Threshold(1.0, False, "1 ms")),
        ("0.01", "1", Threshold(0.01, False, "0.01")),
        ("0.5 Mb/s", "Mb/s", Threshold(0.5, False, "0.5 Mb/s")),
        ("none", "ms", None),
    ],
)
def test_thresholds_are_relative_or_in_the_metrics_unit(
    text: str, unit: str, threshold: Threshold | None
) -> None:
    assert parse_threshold(text, unit) == threshold


def test_the_plan_says_what_its_seeds_can_show() -> None:
    family = Family.of(7, ["a", "b", "c", "d"])
    assert power_note(family, 5) == (
        "family: 7 comparisons x 4 metrics; 5 seeds can show differences of 3.7 standard "
        "deviations by seed, 10 seeds 1.6"
    )
    assert "a single seed gives no intervals and no verdicts" in power_note(family, 1)
    assert power_note(Family.of(0, ["a"]), 5) == ""
