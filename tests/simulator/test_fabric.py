"""The fabric equals ns-3's own devices and routing, to the byte and nanosecond.

The stock program (sim-images/ns3/tests/stock_ns3.cc) builds the same scenario from
PointToPointHelper, CsmaHelper, Nix-vector and global routing, with FlowMonitor; it reads the same
run spec.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import programs_of_tests, records_of, resolve
from windtunnel.spec.description import Description

# Offered rate while on, mean on and off times, duration, queue: chosen so that ports drop.
TRAFFIC = {
    "6Mbps": {
        "rate": "3Mbps",
        "on_mean": "1s",
        "off_mean": "300ms",
        "duration": "8s",
        "limit": "10p",
    },
    "100Mbps": {
        "rate": "50Mbps",
        "on_mean": "300ms",
        "off_mean": "100ms",
        "duration": "1s",
        "limit": "20p",
    },
    "10Gbps": {
        "rate": "5Gbps",
        "on_mean": "20ms",
        "off_mean": "5ms",
        "duration": "60ms",
        "limit": "30000B",
    },
}
CASES = [
    (4, "point-to-point", "6Mbps", "newreno"),
    (4, "point-to-point", "6Mbps", "cubic"),
    (4, "point-to-point", "100Mbps", "vegas"),
    (4, "point-to-point", "100Mbps", "newreno"),
    (4, "point-to-point", "10Gbps", "cubic"),
    (4, "point-to-point", "10Gbps", "newreno"),
    (6, "point-to-point", "6Mbps", "vegas"),
    (6, "point-to-point", "100Mbps", "cubic"),
    (6, "point-to-point", "10Gbps", "newreno"),
    (4, "shared-lan", "6Mbps", "newreno"),
    (4, "shared-lan", "100Mbps", "cubic"),
    (4, "shared-lan", "100Mbps", "vegas"),
    (4, "shared-lan", "10Gbps", "newreno"),
]


@pytest.fixture(scope="module")
def stock_program() -> Path:
    return programs_of_tests() / "stock-ns3"


def fat_tree(k: int, rack: str, rate: str, algorithm: str) -> dict[str, Any]:
    traffic = TRAFFIC[rate]
    return {
        "topology": {
            "kind": "fat-tree",
            "k": k,
            "rack": rack,
            "link": {"rate": rate},
            "queue": {"kind": "drop-tail", "limit": traffic["limit"]},
        },
        "workload": {
            "kind": "random-pairs",
            "flows": k**3 // 4,
            **{name: traffic[name] for name in ("rate", "on_mean", "off_mean")},
        },
        "algorithm": algorithm,
        "transport": {"min_rto": "300ms"},
        "duration": traffic["duration"],
    }


DUMBBELL = {
    "kind": "dumbbell",
    "pairs": 3,
    "access": {"rate": "100Mbps", "delay": "100us"},
    "bottleneck": {"rate": "20Mbps", "delay": "10ms"},
    "queue": {"kind": "drop-tail", "limit": "0.5bdp"},
}
INCAST = {"kind": "incast", "servers": 8, "queue": {"kind": "drop-tail", "limit": "100KB"}}
SIX = ("newreno", "cubic", "bbr", "compound", "scalable", "dctcp")


def dumbbell(algorithm: str, **topology: Any) -> dict[str, Any]:
    return {
        "topology": DUMBBELL | topology,
        "workload": {"kind": "bulk", "flows": 4},
        "algorithm": algorithm,
        "transport": {"min_rto": "300ms"},
        "duration": "8s",
    }


def incast(algorithm: str) -> dict[str, Any]:
    return {
        "topology": INCAST,
        "workload": {"kind": "incast"},
        "algorithm": algorithm,
        "transport": {
            "segment": "960B",
            "timestamps": False,
            "min_rto": "20ms",
            "delayed_ack_count": 1,
        },
        "duration": "80ms",
    }


def on_fat_tree(**workload: Any) -> dict[str, Any]:
    scenario = fat_tree(4, "point-to-point", "100Mbps", "cubic")
    return scenario | {"workload": workload, "duration": "600ms"}


SCENARIOS = (
    {f"fat-tree {' '.join(map(str, case))}": fat_tree(*case) for case in CASES}
    | {f"dumbbell {algorithm}": dumbbell(algorithm) for algorithm in SIX}
    | {"dumbbell with loss": dumbbell("highspeed", loss_rate=0.01)}
    | {f"incast {algorithm}": incast(algorithm) for algorithm in (*SIX[:5], "dcvegas", "ia-tcp")}
    | {
        "mixed": on_fat_tree(kind="mixed", load=0.3),
        "shuffle": on_fat_tree(kind="shuffle", block="50KB"),
    }
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_equals_stock_ns3(
    ns3: Description, ns3_program: Path, stock_program: Path, name: str
) -> None:
    scenario, problems = resolve(ns3, SCENARIOS[name])
    assert problems == []
    spec = {"simulator": "ns3", "seed_index": 1, "scenario": scenario}
    done = subprocess.run(
        [stock_program], input=json.dumps(spec), capture_output=True, text=True, check=True
    )
    stock = json.loads(done.stdout)
    records = records_of(ns3_program, spec)
    assert all(record["held"] for record in records if record["type"] == "check")

    flows = [record for record in records if record["type"] == "flow"]
    assert [flow["bytes"] for flow in flows] == [flow["bytes"] for flow in stock["flows"]]
    assert sum(flow["bytes"] for flow in flows) > 0
    for ours, theirs in zip(flows, stock["flows"], strict=True):
        # What FlowMonitor counted of each five-tuple, against our own probes.
        for prefix, direction in (("", theirs["data"]), ("ack_", theirs["acks"])):
            expected = direction or {"tx_packets": 0, "rx_packets": 0, "delay_sum_ns": 0}
            for field in ("tx_packets", "rx_packets", "delay_sum_ns"):
                assert ours[prefix + field] == expected[field], (ours["flow"], prefix + field)

    drops = {record["port"]: record["drops"] for record in records if record["type"] == "port"}
    assert drops == {port: count for port, count in stock["drops"].items() if port in drops}
    assert sum(drops.values()) == sum(stock["drops"].values())
    assert sum(drops.values()) > 0 or name.endswith(("vegas", "ia-tcp"))
