"""The same run gives the same bytes: twice, and under another CPU feature level."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BUILT, resolve
from windtunnel.embedded.simulators import compile_ns3
from windtunnel.spec.description import Description

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "fat-tree": {
        "topology": {"kind": "fat-tree", "k": 4, "routing": "ecmp-packet"},
        "workload": {"kind": "random-pairs", "flows": 12, "on_mean": "100ms", "off_mean": "50ms"},
        "duration": "300ms",
    },
    "dumbbell": {
        "topology": {
            "kind": "dumbbell",
            "pairs": 3,
            "bottleneck": {"rate": "20Mbps", "delay": "5ms"},
            "loss_rate": 0.003,
            "queue": {"kind": "red", "MinTh": 5, "MaxTh": 20, "limit": "40p", "UseEcn": True},
        },
        "workload": {"kind": "bulk", "flows": 3},
        "duration": "2s",
    },
    "incast": {
        "topology": {
            "kind": "incast",
            "servers": 6,
            "queue": {"kind": "threshold-ecn", "limit": "100KB", "ecn_threshold": "30p"},
        },
        "workload": {"kind": "incast", "sru": "100KB"},
        "duration": "15ms",
    },
}
# What an older processor lacks. FMA variants of exp and pow round differently from the others.
MASKED = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX,-AVX512F"


def digest(program: Path, spec: str, tunables: str | None = None) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "GLIBC_TUNABLES"}
    if tunables:
        environment["GLIBC_TUNABLES"] = tunables
    done = subprocess.run(
        [program], input=spec, capture_output=True, text=True, env=environment, check=True
    )
    return str(json.loads(done.stdout.splitlines()[-1])["digest"])


def specs(ns3: Description, scenario: dict[str, Any]) -> dict[str, str]:
    """The run spec of a scenario, by algorithm."""
    by_algorithm = {}
    for choice in ns3.choices("algorithm"):
        transport = {"min_rto": "300ms", "timestamps": False}
        resolved, problems = resolve(
            ns3, scenario | {"algorithm": choice["title"], "transport": transport}
        )
        assert problems == []
        by_algorithm[choice["title"]] = json.dumps(
            {"simulator": "ns3", "seed_index": 1, "scenario": resolved}
        )
    return by_algorithm


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_algorithm_gives_the_same_digest_again(
    ns3: Description, ns3_program: Path, topology: str
) -> None:
    runs = specs(ns3, TOPOLOGIES[topology])

    def three(spec: str) -> tuple[str, str, str]:
        return (
            digest(ns3_program, spec),
            digest(ns3_program, spec),
            digest(ns3_program, spec, MASKED),
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        digests = dict(zip(runs, pool.map(three, runs.values()), strict=True))
    for algorithm, (first, second, masked) in digests.items():
        assert first == second, algorithm
        assert first == masked, algorithm
    # Algorithms differ from each other, or the comparison above would be of nothing.
    assert len({first for first, _, _ in digests.values()}) > len(digests) - 6


def test_without_the_pin_results_may_depend_on_the_processor(
    ns3: Description, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control. Where the processor has FMA, what is masked decides; where not, nothing can."""
    unpinned = compile_ns3(BUILT, lambda _: None, tests=True) / "unpinned"
    has_fma = " fma " in Path("/proc/cpuinfo").read_text()
    differing = []
    for topology, scenario in TOPOLOGIES.items():
        for algorithm, spec in specs(ns3, scenario).items():
            if digest(unpinned, spec) != digest(unpinned, spec, MASKED):
                differing.append(f"{algorithm} on {topology}")
    with capsys.disabled():
        outcome = f"{len(differing)} runs differ {differing}"
        print(f"\nprocessor with FMA: {has_fma}; without the pin {outcome}")  # noqa: T201
    assert has_fma or not differing
