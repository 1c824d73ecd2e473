"""Common random numbers and determinism of whole runs."""

from __future__ import annotations

import copy
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FAT_TREE, records_of, resolve
from tests.simulator.scenarios import fma_sensitive_spec
from windtunnel.result import RunResult
from windtunnel.simulator import StreamReader
from windtunnel.spec.description import Description


def spec_of(
    ns3: Description, algorithm: str, seed_index: int = 1, **topology: Any
) -> dict[str, Any]:
    scenario = copy.deepcopy(FAT_TREE)
    scenario["topology"] |= topology
    transport = {"timestamps": False}
    resolved, problems = resolve(ns3, {**scenario, "algorithm": algorithm, "transport": transport})
    assert problems == []
    return {"simulator": "ns3", "seed_index": seed_index, "scenario": resolved}


def transport_types(started: dict[str, Any]) -> set[str]:
    """ns-3's types of the congestion control and of the receiving socket that a run has used."""
    (transport,) = started["configuration"]["transport"]
    return {transport["congestion_control"]["type"], transport["receiver"]["type"]}


def test_all_algorithms_share_a_schedule_and_seeds_have_different_ones(
    ns3: Description, ns3_program: Path
) -> None:
    schedules: dict[int, set[str]] = {1: set(), 2: set(), 3: set()}
    for seed_index, seen in schedules.items():
        for choice in ns3.choices("algorithm"):
            started = records_of(ns3_program, spec_of(ns3, choice["title"], seed_index))[0]
            seen.add(started["schedule"])
            assert choice["x-ns3-type"] in transport_types(started), choice["title"]
    assert [len(seen) for seen in schedules.values()] == [1, 1, 1]
    assert len(set.union(*schedules.values())) == 3


@pytest.mark.parametrize("rack", ["point-to-point", "shared-lan"])
@pytest.mark.parametrize("routing", ["single-path", "ecmp-flow"])
def test_the_same_run_twice_has_the_same_digest(
    ns3: Description, ns3_program: Path, rack: str, routing: str
) -> None:
    for algorithm in ("bic", "yeah"):
        spec = spec_of(ns3, algorithm, rack=rack, routing=routing)
        first, second = (records_of(ns3_program, spec)[-1] for _ in range(2))
        assert first["digest"] == second["digest"]
        assert first["events"] == second["events"]


def test_the_reader_accepts_the_record_stream(ns3: Description, ns3_program: Path) -> None:
    import json

    spec = spec_of(ns3, "cubic")
    done = subprocess.run(
        [ns3_program], input=json.dumps(spec).encode(), capture_output=True, check=True
    )
    reader = StreamReader(ns3)
    for line in done.stdout.splitlines():
        reader.feed(line)
    result: RunResult | None = reader.result
    assert result is not None
    described = {metric.name for metric in ns3.metrics}
    reported = {metric.name for metric in result.metrics}
    of_other_scenarios = (
        "fct_",
        "slowdown_",
        "transfers_",
        "round_",
        "throughput_share",
        "mmf_",
    )
    assert reported <= described
    assert {name for name in described - reported if not name.startswith(of_other_scenarios)} == {
        *("random_losses", "drops_access", "drops_bottleneck", "ns325_throughput_pct"),
    }
    assert sum(flow["bytes"] for flow in result.flows) > 0


def test_goodput_is_the_delivered_data_of_all_flows(ns3: Description, ns3_program: Path) -> None:
    records = records_of(ns3_program, spec_of(ns3, "newreno"))
    metrics = {record["name"]: record["value"] for record in records if record["type"] == "metric"}
    flows = [record for record in records if record["type"] == "flow"]
    total = sum(flow["bytes"] for flow in flows) * 8 / 1e6 / 0.4
    assert metrics["goodput_total_mbps"] == pytest.approx(total)
    assert metrics["ideal_throughput_pct"] == pytest.approx(total / len(flows))  # of 100 Mb/s
    ports = [record for record in records if record["type"] == "port"]
    for tier in ("edge", "aggregation", "core", "host"):
        drops = sum(port["drops"] for port in ports if port["tier"] == tier)
        assert metrics[f"drops_{tier}"] == drops


@pytest.mark.parametrize("delay", ["1us", "1ms", "5ms"])
def test_packets_in_propagation_are_accounted_for(
    ns3: Description, ns3_program: Path, delay: str
) -> None:
    for rack in ("shared-lan", "point-to-point"):
        link = {"delay": delay}
        records = records_of(ns3_program, spec_of(ns3, "cubic", rack=rack, link=link))
        assert [record["name"] for record in records if record.get("held") is False] == []


def test_without_a_warmup_ports_count_from_the_first_packet(
    ns3: Description, ns3_program: Path
) -> None:
    records = records_of(
        ns3_program, spec_of(ns3, "cubic", queue={"kind": "drop-tail", "limit": "2p"})
    )
    sent = sum(
        record["tx_packets"] + record["ack_tx_packets"]
        for record in records
        if record["type"] == "flow"
    )
    hosts = [r for r in records if r["type"] == "port" and r["tier"] == "host"]
    waiting = sent - sum(port["packets"] + port["drops"] for port in hosts)
    assert 0 <= waiting <= 2 * len(hosts)


def test_the_result_does_not_depend_on_the_processors_math_functions(
    ns3: Description, ns3_program: Path
) -> None:
    """The simulator pins glibc's choice itself, whatever its environment says."""
    import json

    spec = json.dumps(fma_sensitive_spec(ns3))
    digests = set()
    for tunables in ("", "glibc.cpu.hwcaps=-AVX2,-AVX", "glibc.malloc.check=0"):
        done = subprocess.run(
            [ns3_program], input=spec, capture_output=True, text=True, check=True,
            env={**os.environ, "GLIBC_TUNABLES": tunables},
        )  # fmt: skip
        digests.add(json.loads(done.stdout.splitlines()[-1])["digest"])
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "not JSON"), ("{}", "missing"), ('{"simulator": "ns3", "seed_index": 1}', "scenario")],
)
def test_an_invalid_spec_is_rejected(ns3_program: Path, text: str, expected: str) -> None:
    done = subprocess.run([ns3_program], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stdout == ""
