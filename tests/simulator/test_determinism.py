"""The same run gives the same bytes: twice, and under another CPU feature level."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import programs_of_tests, resolve
from tests.simulator.scenarios import fma_sensitive_spec
from windtunnel.embedded.simulators import PROGRAM
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


def glibc_picks_fma() -> bool:
    """Whether glibc takes FMA variants of exp, log and pow on this processor, if not told to."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return {"fma", "avx2"} <= set(flags) or "fma4" in flags


def test_without_the_pin_the_result_depends_on_the_processor(ns3: Description) -> None:
    """The control: on a processor with FMA the unpinned simulator gives other bytes.

    The runs of the test above would not show it: without the pin, too, all of them have the same
    digest with FMA and without. A last bit that differs must meet a value that is about to be
    rounded the other way; fma_sensitive_spec() is such a case.
    """
    build = programs_of_tests()
    pinned, unpinned = build / PROGRAM, build / "unpinned"
    spec = json.dumps(fma_sensitive_spec(ns3))
    masked = digest(unpinned, spec, MASKED)
    assert (digest(unpinned, spec) != masked) == glibc_picks_fma()
    assert digest(pinned, spec) == masked
    assert digest(pinned, spec, MASKED) == masked


def test_a_program_that_cannot_pin_its_math_library_ends(
    ns3: Description, ns3_program: Path, tmp_path: Path
) -> None:
    source, library = tmp_path / "refuse.cc", tmp_path / "refuse.so"
    source.write_text(
        "#include <cerrno>\n"
        'extern "C" int execv(const char*, char* const*) { errno = EACCES; return -1; }\n'
    )
    subprocess.run(["g++", "-shared", "-fPIC", "-o", library, source], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "GLIBC_TUNABLES"}
    done = subprocess.run(
        [ns3_program], input=json.dumps(fma_sensitive_spec(ns3)), capture_output=True, text=True,
        env=environment | {"LD_PRELOAD": str(library)}, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert "to pin the math library (Permission denied)" in done.stderr
