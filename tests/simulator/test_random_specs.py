"""Hundreds of random valid specs: none crashes, hangs or breaks a check.

Generated with a fixed seed (`derandomize`), so that failures are reproducible. Specs that crash
stock ns-3 too are excluded by bounds of the schema, with the reason there.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.conftest import resolve
from tests.simulator.scenarios import scenarios
from windtunnel.spec.description import Description

EXAMPLES = int(os.environ.get("WINDTUNNEL_RANDOM_SPECS", "250"))
TIMEOUT_SECONDS = 60


def generated(ns3: Description) -> list[dict[str, Any]]:
    """Resolved scenarios; a random one must be valid, or the generator is wrong."""
    distinct: dict[str, dict[str, Any]] = {}

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scenario=scenarios(ns3))
    def collect(scenario: dict[str, Any]) -> None:
        resolved, problems = resolve(ns3, scenario)
        assert problems == [], (problems, scenario)
        distinct[json.dumps(resolved, sort_keys=True)] = resolved

    collect()
    return list(distinct.values())


def failure(program: Path, scenario: dict[str, Any]) -> str | None:
    """What is wrong with this run, or None."""
    spec = json.dumps({"simulator": "ns3", "seed_index": 1, "scenario": scenario})
    try:
        done = subprocess.run(
            [program], input=spec, capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"hangs: {spec}"
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr[-500:]} {spec}"
    records = [json.loads(line) for line in done.stdout.splitlines()]
    broken = [record for record in records if record["type"] == "check" and not record["held"]]
    if broken or records[-1]["type"] != "finished":
        return f"{broken} {spec}"
    return None


def reached(resolved: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Number of scenarios by kind of each part."""
    counts: dict[str, Counter[str]] = {
        part: Counter() for part in ("algorithm", "topology", "routing", "queue", "workload")
    }
    for scenario in resolved:
        topology, workload = scenario["topology"], scenario["workload"]
        counts["topology"][topology["kind"]] += 1
        counts["queue"][topology["queue"]["kind"]] += 1
        counts["workload"][workload["kind"]] += 1
        if "routing" in topology:
            counts["routing"][topology["routing"]] += 1
        named = [group["algorithm"] for group in workload.get("groups", [])]
        used = [algorithm or scenario["algorithm"] for algorithm in named] or [
            scenario["algorithm"]
        ]
        counts["algorithm"].update({algorithm["kind"] for algorithm in used})
    return counts


def report(counts: dict[str, Counter[str]], specs: int) -> str:
    lines = [f"{specs} random specs"]
    for part, kinds in counts.items():
        lines.append(f"  {part}: " + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
    return "\n".join(lines)


def test_random_specs_run(
    ns3: Description, ns3_program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resolved = generated(ns3)
    counts = reached(resolved)
    with capsys.disabled():
        print("\n" + report(counts, len(resolved)))  # noqa: T201
    assert len(resolved) >= 500 or EXAMPLES < 700
    for part in ("algorithm", "topology", "workload"):
        assert set(counts[part]) == {choice["title"] for choice in ns3.choices(part)}
    tree = next(choice for choice in ns3.choices("topology") if choice["title"] == "fat-tree")
    assert set(counts["routing"]) == set(tree["properties"]["routing"]["enum"])
    queues = {choice["title"] for choice in tree["properties"]["queue"]["oneOf"]}
    assert set(counts["queue"]) == queues
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [
            message for message in pool.map(lambda s: failure(ns3_program, s), resolved) if message
        ]
    if failures:
        pytest.fail(
            f"{len(failures)} of {len(resolved)} fail; the first: " + "\n".join(failures[:12])
        )


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all fields of a scenario that hold a value."""
    if isinstance(value, dict):
        return [leaf for key, member in value.items() for leaf in leaves(member, (*path, key))]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [leaf for i, member in enumerate(value) for leaf in leaves(member, (*path, i))]
    return [path]


def with_nonsense(scenario: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """The same with a list of texts where a quantity, number, name or list of hosts belongs."""
    changed = copy.deepcopy(scenario)
    target = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = ["nonsense"]
    return changed


def test_every_wrong_field_is_rejected_by_its_name(ns3: Description, ns3_program: Path) -> None:
    """Rejected by the resolver with the whole path, and by the program itself."""
    wrong: dict[tuple[Any, ...], dict[str, Any]] = {}
    for scenario in generated(ns3):
        for path in leaves(scenario):
            kind = scenario["topology"]["kind"], scenario["workload"]["kind"]
            wrong.setdefault((*(kind if path[0] in ("topology", "workload") else ()), *path),
                             with_nonsense(scenario, path))  # fmt: skip
    assert len(wrong) > 100

    def wrong_answer(item: tuple[tuple[Any, ...], dict[str, Any]]) -> str | None:
        path, scenario = item
        name = path[-1]
        _, problems = resolve(ns3, scenario)
        if not any(str(name) in problem.path for problem in problems):
            return f"the resolver says of {path}: {problems}"
        spec = json.dumps({"simulator": "ns3", "seed_index": 1, "scenario": scenario})
        done = subprocess.run(
            [ns3_program], input=spec, capture_output=True, text=True, check=False, timeout=60
        )
        if done.returncode != 2 or str(name) not in done.stderr:
            return f"the program says of {path}: {done.returncode} {done.stderr[-300:]}"
        return None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [message for message in pool.map(wrong_answer, wrong.items()) if message]
    if failures:
        pytest.fail(f"{len(failures)} of {len(wrong)}: " + "\n".join(failures[:20]))
