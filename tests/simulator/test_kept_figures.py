"""Figures of version 0.1 that must not change.

kept_figures.json.gz holds one entry for every run spec that the tests of this folder execute: the
spec, and events, bytes and completion time of each flow, drops of each port, times of rounds. They
were recorded from a build of version 0.1 (ns-3 3.44, g++ 12). A deliberate correction of a model
replaces its entries (``python -m tests.simulator.test_kept_figures``) and is in the changelog.
"""

from __future__ import annotations

import gzip
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.conftest import BUILT, records_of
from windtunnel.embedded.simulators import newest_simulator

KEPT = Path(__file__).with_name("kept_figures.json.gz")


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The recorded figures of a run."""
    flows = [record for record in records if record["type"] == "flow"]
    ports = [record for record in records if record["type"] == "port"]
    metrics = [record for record in records if record["type"] == "metric"]
    return {
        "events": records[-1]["events"],
        "bytes": [flow["bytes"] for flow in flows],
        "fct_ms": [flow["fct_ms"] for flow in flows if "fct_ms" in flow],
        "drops": {port["port"]: port["drops"] for port in ports if port["drops"]},
        "round_ms": [
            metric["value"] for metric in metrics if metric["name"].startswith("round_ms_")
        ],
    }


def entries() -> list[dict[str, Any]]:
    recorded: list[dict[str, Any]] = json.loads(gzip.decompress(KEPT.read_bytes()))
    return recorded


def title(spec: dict[str, Any]) -> str:
    scenario = spec["scenario"]
    names = [scenario["topology"]["kind"], scenario["workload"]["kind"]]
    groups = scenario["workload"].get("groups") or []
    algorithms = [
        part.get("algorithm") or scenario.get("algorithm") for part in groups or [scenario]
    ]
    names += [algorithm["kind"] for algorithm in algorithms if algorithm]
    return f"{' '.join(names)}, seed {spec['seed_index']}"


def measured(program: Path, specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The figures of these specs now; runs as many at once as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda spec: figures(records_of(program, spec)), specs))


def test_figures_are_those_of_version_0_1(ns3_program: Path) -> None:
    recorded = entries()
    assert len(recorded) > 250
    now = measured(ns3_program, [entry["spec"] for entry in recorded])
    changed = [
        f"{title(entry['spec'])}: {name} {str(entry['figures'][name])[:60]} is now "
        f"{str(fresh[name])[:60]}"
        for entry, fresh in zip(recorded, now, strict=True)
        for name in entry["figures"]
        if entry["figures"][name] != fresh[name]
    ]
    assert changed == []


def write(specs: list[dict[str, Any]]) -> None:
    """Record these specs' figures from the installed build."""
    program = newest_simulator(BUILT)
    assert program is not None, "make setup-test builds the simulator"
    recorded = [
        {"spec": spec, "figures": fresh}
        for spec, fresh in zip(specs, measured(program, specs), strict=True)
    ]
    KEPT.write_bytes(
        gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0)
    )


if __name__ == "__main__":
    write([entry["spec"] for entry in entries()])
