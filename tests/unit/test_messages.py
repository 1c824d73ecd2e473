"""Python's notation does not appear in messages to users."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.errors import SpecError, quoted
from windtunnel.plan import make_plan
from windtunnel.spec import read_campaign, read_yaml
from windtunnel.spec.description import Description


def problems_of(ns3: Description, text: str) -> str:
    document = read_yaml(text)
    try:
        campaign = read_campaign(document)
        make_plan(campaign, dict.fromkeys(campaign.simulators(), ns3), document)
    except SpecError as error:
        return str(error)
    raise AssertionError("the file is valid")


FRAME = "name: x\nscenario: {topology: dumbbell, workload: bulk, duration: 1s}\n"


@pytest.mark.parametrize(
    "text",
    [
        FRAME + "replications:\n",
        FRAME + "simulator:\n",
        FRAME + "sweep:\n",
        FRAME + "sweep: {algorithm: }\n",
        FRAME + "sweep: {algorithm: [cubic, ~]}\n",
        FRAME + "sweep: {simulator: [~]}\n",
        FRAME + "sweep: {algorithm: [cubic]}\nbaseline: {algorithm: }\n",
        FRAME + "replications: [~, true]\n",
        "name: x\nscenario:\n",
        "name: x\nscenario: {topology: , workload: bulk, duration: 1s}\n",
        "name: x\nscenario: {topology: {kind: }, workload: bulk, duration: 1s}\n",
        "name: x\nscenario: {topology: dumbbell, workload: bulk, duration: }\n",
        "name: x\nscenario: {topology: dumbbell, workload: bulk, duration: 1s, series: }\n",
        "name: x\nscenario: {topology: {kind: dumbbell, queue: {limit: }}, workload: bulk}\n",
        "name: x\nscenario: {topology: {kind: dumbbell, queue: {limit: true}}, workload: bulk}\n",
        "name: x\nscenario: {topology: {kind: fat-tree, k: , rack: }, workload: bulk}\n",
        "name: x\nscenario: {transport: {sack: , initial_cwnd: false}, workload: bulk}\n",
    ],
)
def test_no_message_has_pythons_none_true_or_false(ns3: Description, text: str) -> None:
    message = problems_of(ns3, text)
    for word in ("None", "True", "False"):
        assert word not in message


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ("it", "'it'"),
        (1.5, "1.5"),
        ({"a": [None]}, '{"a": [null]}'),
    ],
)
def test_values_are_quoted_as_a_file_writes_them(value: Any, text: str) -> None:
    assert quoted(value) == text


def test_long_values_are_shortened() -> None:
    assert len(quoted("x" * 1000)) < 250
