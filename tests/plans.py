"""Plans of campaigns on the tiny simulator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from windtunnel.errors import Problem, SpecError
from windtunnel.plan import Plan, make_plan
from windtunnel.spec import Document, read_campaign
from windtunnel.spec.description import Description

DUMBBELL: dict[str, Any] = {
    "topology": {"kind": "dumbbell"}, "workload": "bulk", "algorithm": "cubic", "duration": "1s",
}  # fmt: skip
GROUPS: dict[str, Any] = {
    "topology": "dumbbell",
    "workload": {
        "kind": "bulk",
        "groups": [{"name": "first", "algorithm": "cubic"}, {"name": "second"}],
    },
    "duration": "1s",
}


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


def grouped(**sweep: Any) -> dict[str, Any]:
    return {"name": "x", "scenario": GROUPS, "sweep": sweep}
