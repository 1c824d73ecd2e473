"""The fabric gives what ns-3's own devices and routing give, to the last byte and nanosecond.

The stock program (sim-images/ns3/tests/stock_fat_tree.cc) builds the same scenario from
PointToPointHelper, CsmaHelper and NixVectorRouting, with FlowMonitor; it reads the same run spec.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BUILT, records_of
from windtunnel.embedded.simulators import compile_ns3
from windtunnel.spec.description import Description

# Offered rate while on, mean on and off times, duration, queue: chosen so that ports drop.
TRAFFIC = {
    "6Mbps": {"rate": "3Mbps", "on": "1s", "off": "300ms", "duration": "8s", "limit": "10p"},
    "100Mbps": {"rate": "50Mbps", "on": "300ms", "off": "100ms", "duration": "1s", "limit": "20p"},
    "10Gbps": {"rate": "5Gbps", "on": "20ms", "off": "5ms", "duration": "60ms", "limit": "30000B"},
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
    return compile_ns3(BUILT, lambda _: None, tests=True) / "stock-fat-tree"


def spec_of(ns3: Description, k: int, rack: str, rate: str, algorithm: str) -> dict[str, Any]:
    traffic = TRAFFIC[rate]
    scenario, problems = ns3.resolver().resolve(
        {
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
                **{name: traffic[name] for name in ("rate", "on", "off")},
            },
            "algorithm": algorithm,
            "transport": {"min_rto": "300ms"},
            "duration": traffic["duration"],
        }
    )
    assert problems == []
    return {"simulator": "ns3", "seed_index": 1, "scenario": scenario}


@pytest.mark.parametrize(("k", "rack", "rate", "algorithm"), CASES)
def test_equals_stock_ns3(
    ns3: Description, ns3_program: Path, stock_program: Path, k: int, rack: str, rate: str,
    algorithm: str,
) -> None:  # fmt: skip
    spec = spec_of(ns3, k, rack, rate, algorithm)
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
            for name in ("tx_packets", "rx_packets", "delay_sum_ns"):
                assert ours[prefix + name] == expected[name], (ours["flow"], prefix + name)

    drops = {record["port"]: record["drops"] for record in records if record["type"] == "port"}
    assert drops == {port: count for port, count in stock["drops"].items() if port in drops}
    assert sum(drops.values()) == sum(stock["drops"].values())
    assert sum(drops.values()) > 0 or algorithm == "vegas"
