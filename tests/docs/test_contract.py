"""docs/sim-image-contract.md names everything that a description can contain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.docs.blocks import block
from windtunnel.quantities import KINDS
from windtunnel.spec import expressions
from windtunnel.spec.description import MOST_DEFAULT_LABELS, Description, Metric

PAGE = (ROOT / "docs" / "sim-image-contract.md").read_text(encoding="utf-8")
KEYWORD = re.compile(r"x-[a-z0-9]+(?:-[a-z0-9]+)*")
CODE = set(re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", PAGE, flags=re.M | re.S)))


def keywords(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (key for key in schema if KEYWORD.fullmatch(key))
    for member in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(member, dict | list):
            yield from keywords(member)


def test_every_keyword_is_documented_and_used(ns3: Description) -> None:
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "windtunnel" / "spec").glob("*.py"))
    )
    used = set(keywords(ns3.scenario_schema)) | set(re.findall(rf'"({KEYWORD.pattern})"', sources))
    assert {code for code in CODE if KEYWORD.fullmatch(code)} == used


def test_every_field_is_documented(ns3: Description) -> None:
    assert set(ns3.raw) <= CODE
    metric_fields = {key for metric in ns3.raw["metrics"] for key in metric}
    assert metric_fields | {field.name for field in fields(Metric)} <= CODE
    assert "at most the first four" in PAGE
    assert MOST_DEFAULT_LABELS == 4


def test_every_quantity_is_documented() -> None:
    assert set(KINDS) <= CODE


def test_every_function_is_documented() -> None:
    called = {match[1] for code in CODE if (match := re.match(r"(\w+)\(", code))}
    assert called - {"has"} == set(expressions._FUNCTIONS)
    assert set(expressions._STANDARD_FUNCTIONS.split()) <= CODE
    assert f"at most {expressions.MAX_LENGTH} characters" in " ".join(PAGE.split())


@pytest.fixture(scope="module")
def example() -> Description:
    return Description.from_text(block("docs/sim-image-contract.md", "{").text)


def test_the_example_means_what_the_page_says(example: Description) -> None:
    scenario = {"net": {"kind": "ring", "hosts": 4}, "load": "30Mbps"}
    assert json.dumps(scenario).replace('"', "") in PAGE
    resolution = example.resolver().resolve(scenario)
    assert resolution.problems == []
    assert example.cost(resolution).events == 30_000
    assert example.default_metrics(resolution) == ["goodput_mbps"]
    layout = example.layout(resolution)
    assert layout is not None
    assert layout.tiers["host"] == ("host0", "host1", "host2", "host3")
    assert len(layout.links) == 4


def test_the_example_rejects_what_the_page_says(example: Description) -> None:
    resolution = example.resolver().resolve({"net": "ring", "load": "90Mbps"})
    assert [str(problem) for problem in resolution.problems] == [
        "scenario.load: more than the links carry"
    ]
    assert "`scenario.load: more than the links carry`" in PAGE
