"""Suggestions for names that were almost right, among them as papers write them."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.spec.description import Description
from windtunnel.suggestions import nearest, nearest_kind


@pytest.fixture(scope="module")
def algorithms(ns3: Description) -> dict[str, Any]:
    return {choice["properties"]["kind"]["const"]: choice for choice in ns3.choices("algorithm")}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("cubik", "cubic"),
        ("DCTCP", "dctcp"),
        ("CUBIC", "cubic"),
        ("TCP NewReno", "newreno"),
        ("TCP-Vegas", "vegas"),
        ("NewReno", "newreno"),
        ("Westwood+", "westwood-plus"),
        ("TCP Westwood+", "westwood-plus"),
        ("HighSpeed", "highspeed"),
        ("H-TCP", "htcp"),
        ("IA-TCP", "ia-tcp"),
        ("Linux Reno", "linux-reno"),
    ],
)
def test_recognizes_names_as_papers_write_them(
    algorithms: dict[str, Any], written: str, name: str
) -> None:
    assert nearest(written, list(algorithms)) == f"; did you mean {name!r}?"
    assert nearest_kind(written, algorithms) == f"; did you mean {name!r}?"


@pytest.mark.parametrize(
    ("written", "suggested"),
    [
        ("Vegas-1,3", "{kind: vegas, Alpha: 1, Beta: 3}"),
        ("vegas (2, 4)", "{kind: vegas, Alpha: 2, Beta: 4}"),
        ("TCP Vegas 1/3", "{kind: vegas, Alpha: 1, Beta: 3}"),
        ("Vegas-2", "{kind: vegas, Alpha: 2}"),
    ],
)
def test_numbers_after_a_name_are_its_parameters(
    algorithms: dict[str, Any], written: str, suggested: str
) -> None:
    assert nearest_kind(written, algorithms) == f"; did you mean {suggested}?"


@pytest.mark.parametrize(
    "written", ["", "??", "quantum", "1,2,3", "-1", "vegas-" + "1," * 50 + "1"]
)
def test_other_words_suggest_no_parameters(algorithms: dict[str, Any], written: str) -> None:
    assert "{" not in nearest_kind(written, algorithms)


def test_a_name_that_ends_in_a_number_is_no_parameter() -> None:
    choices = {"rfc3649": {"properties": {"kind": {"const": "rfc3649"}}}}
    assert nearest_kind("RFC-3649", choices) == "; did you mean 'rfc3649'?"
