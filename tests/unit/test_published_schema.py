"""The published JSON Schema accepts the campaigns that the service accepts, and rejects others.

It can't express everything that the service checks: constraints between fields, names of flows and
ports, bounds of quantities and the values of an axis are checked by the service alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tests.conftest import FAT_TREE, ROOT, tiny_campaign
from tests.simulator.scenarios import scenarios
from tests.simulator.test_determinism import TOPOLOGIES
from tests.unit.test_ns3_scenarios import ACCEPTED, DUMBBELL, REFUSED, TREE, scenario
from validation import experiments
from windtunnel.errors import SpecError
from windtunnel.plan import make_plan
from windtunnel.spec import Document, read_campaign, read_yaml
from windtunnel.spec.campaign import campaign_schema
from windtunnel.spec.description import Description
from windtunnel.spec.schema import complete, problems_of

Campaign = dict[str, Any]


def campaign(scenario: Any, **frame: Any) -> Campaign:
    return {"name": "a", "scenario": scenario, **frame}


def readme_campaigns() -> dict[str, Campaign]:
    """The YAML blocks of README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = [read_yaml(block).value for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    return {f"README.md: {block['name']}": block for block in blocks}


def paper_campaigns() -> dict[str, Campaign]:
    files: list[Path] = sorted((ROOT / "papers").rglob("*.yaml"))
    return {
        str(file.relative_to(ROOT)): read_yaml(file.read_text(encoding="utf-8")).value
        for file in files
    }


VALID: dict[str, Campaign] = {
    **readme_campaigns(),
    **paper_campaigns(),
    **{name: campaign(accepted) for name, accepted in ACCEPTED.items()},
    "an algorithm by its name": campaign(scenario(algorithm="cubic")),
    "an algorithm with parameters": campaign(scenario(algorithm={"kind": "vegas", "Alpha": 1})),
    "algorithms on an axis": campaign(FAT_TREE, sweep={"algorithm": ["cubic", {"kind": "bbr"}]}),
    "a queue by its name": campaign(
        scenario({**TREE, "host_queue": "drop-tail"}, algorithm={"kind": "cubic"})
    ),
    "null for a queue": campaign(
        scenario({**TREE, "host_queue": None}, algorithm={"kind": "cubic"})
    ),
    "null for the scenario's algorithm": campaign(
        scenario(
            workload={"kind": "bulk", "groups": [{"name": "a", "algorithm": {"kind": "cubic"}}]},
            algorithm=None,
        )
    ),
    "null for a group's algorithm": campaign(
        scenario(
            workload={"kind": "bulk", "groups": [{"name": "a", "algorithm": None}]},
            algorithm={"kind": "cubic"},
        )
    ),
    "null for flows, jitter and pairs": campaign(
        scenario(
            workload={"kind": "bulk", "flows": None, "start_jitter": None, "pairs": None},
            algorithm={"kind": "cubic"},
        )
    ),
    "a bulk workload by its name": campaign(
        {"topology": DUMBBELL, "workload": "bulk", "duration": "1s"},
        sweep={"algorithm": ["cubic"]},
    ),
    **{f"determinism: {name}": campaign({**TOPOLOGIES[name], "algorithm": {"kind": "newreno"}})
       for name in TOPOLOGIES},
    "a design": campaign(
        FAT_TREE,
        sweep={
            "design": "saltelli",
            "n": 8,
            "over": {"topology.link.delay": ["1us", "1ms", "log"], "warmup": ["1ms", "2ms"]},
            "algorithm": ["cubic"],
        },
    ),
    "validation: response function": campaign(experiments.lossy({"kind": "cubic"}, 0.01, 10)),
    "validation: vegas": campaign(experiments.vegas(1, 3, 1000, timestamps=False, acks=1)),
    "validation: dctcp": campaign(experiments.dctcp(2, 20)),
    "validation: bbr": campaign(experiments.bbr("bbr", 0.01)),
}  # fmt: skip

# The published schema of a choice that may be null accepts neither null nor the bare kind, 'cubic'.

# Of the refused scenarios: those with a field that is wrong by itself.
WRONG_FIELDS = {
    "cubic with a factor that ns-3 loops on",
    "an unknown algorithm of a group",
    "an unknown queue",
    "a loss that is no probability",
    "no pairs at all",
    "bytes where packets are counted",
    "a BDP of something that has none",
}
# The service checks these by keywords that JSON Schema does not have: x-minimum and x-ascending.
OWN_KEYWORDS = {"a parameter beyond what ns-3 survives", "RED's thresholds crossed"}

INVALID_FRAMES: dict[str, Any] = {
    "a list": [tiny_campaign()],
    "no name": {"simulator": "tiny", "scenario": {"duration": "1ms"}},
    "no scenario": {"name": "a", "simulator": "tiny"},
    "an unknown field": {**tiny_campaign(), "naem": "a"},
    "an unsupported field": {**tiny_campaign(), "impairments": []},
    "a name with a slash": tiny_campaign("a/b"),
    "a simulator that is no name": {**tiny_campaign(), "simulator": "Tiny!"},
    "no replications": tiny_campaign(replications=0),
    "half a replication": tiny_campaign(replications=1.5),
    "replications until a width": tiny_campaign(replications={"min": 3}),
    "an axis without values": tiny_campaign(sweep={"offset": []}),
    "an axis that is no list": tiny_campaign(sweep={"offset": 1}),
    "a design without its size": tiny_campaign(
        sweep={"design": "lhs", "over": {"offset": [0, 9, "integer"]}}
    ),
    "an unknown design": tiny_campaign(
        sweep={"design": "box", "n": 20, "over": {"offset": [0, 9, "integer"]}}
    ),
    "an unknown scale": tiny_campaign(
        sweep={"design": "lhs", "n": 20, "over": {"offset": [0, 9, "int"]}}
    ),
    "a range of one bound": tiny_campaign(
        sweep={"design": "lhs", "n": 20, "over": {"offset": [0]}}
    ),
    "a facet that is no list": tiny_campaign(
        sweep={"design": "lhs", "n": 20, "over": {"offset": [0, 9, "integer"]}, "modulus": 1}
    ),
    "an unknown field of the scenario": tiny_campaign(ofset=1),
    "a duration without a unit": tiny_campaign(duration="10"),
    "a number out of range": tiny_campaign(offset=-1),
    "a text for a number": tiny_campaign(offset="1"),
    "an unknown word": tiny_campaign(misbehave="crush"),
}


@pytest.fixture(scope="module")
def ns3_schema(ns3: Description) -> Draft202012Validator:
    return Draft202012Validator(campaign_schema(ns3.scenario_schema))


@pytest.fixture(scope="module")
def tiny_schema(tiny: Description) -> Draft202012Validator:
    return Draft202012Validator(campaign_schema(tiny.scenario_schema))


def plan(document: Any, *simulators: Description) -> None:
    """Raises SpecError if the service would refuse this campaign."""
    make_plan(
        read_campaign(Document(document)), {simulator.name: simulator for simulator in simulators}
    )


def error_paths(errors: Iterator[ValidationError] | list[ValidationError]) -> set[str]:
    """Paths of everything that is wrong, under every alternative of a choice too."""
    paths = set()
    for error in errors:
        paths.add(error.json_path.removeprefix("$."))
        paths |= error_paths(error.context or [])
    return paths


@pytest.mark.parametrize("name", VALID)
def test_accepts_valid_campaigns(ns3_schema: Draft202012Validator, name: str) -> None:
    assert [error.message for error in ns3_schema.iter_errors(VALID[name])] == []


@pytest.mark.parametrize("name", VALID)
def test_the_service_accepts_these_campaigns(ns3: Description, name: str) -> None:
    """The control: a campaign above that the service refuses would be no example."""
    plan(VALID[name], ns3, replace(ns3, name="ns3-3.43", digest="f" * 64))


def test_accepts_random_valid_scenarios(ns3: Description, ns3_schema: Draft202012Validator) -> None:
    @settings(
        max_examples=50,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scenario=scenarios(ns3))
    def accepted(scenario: dict[str, Any]) -> None:
        errors = ns3_schema.iter_errors(campaign(scenario))
        assert [error.message for error in errors] == [], scenario

    accepted()


@pytest.mark.parametrize("name", sorted(WRONG_FIELDS))
def test_rejects_wrong_fields(ns3_schema: Draft202012Validator, name: str) -> None:
    refused, path, _ = REFUSED[name]
    assert f"scenario.{path}" in error_paths(ns3_schema.iter_errors(campaign(refused)))


def test_the_other_refused_scenarios_break_constraints(ns3: Description) -> None:
    """The control: no scenario with a wrong field is missing above."""
    schema = ns3.scenario_schema
    wrong = {
        name
        for name, (refused, _, _) in REFUSED.items()
        if problems_of(complete(refused, schema), schema, "scenario")
    }
    assert wrong == WRONG_FIELDS | OWN_KEYWORDS


@pytest.mark.parametrize("name", INVALID_FRAMES)
def test_rejects_invalid_campaigns(
    tiny: Description, tiny_schema: Draft202012Validator, name: str
) -> None:
    assert tiny_schema.is_valid(tiny_campaign())
    assert not tiny_schema.is_valid(INVALID_FRAMES[name])
    with pytest.raises(SpecError):
        plan(INVALID_FRAMES[name], tiny)
