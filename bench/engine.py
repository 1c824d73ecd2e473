"""CPU time of the simulator against the same scenario in stock ns-3, in turn, on the same library.

Stock: PointToPointHelper, Nix-vector routing (on dumbbell and incast global routing), flow control
off, FlowMonitor on all nodes (sim-images/ns3/tests/stock_ns3.cc). Ours: all default probes on. Both
use glibc's malloc and ns-3's default scheduler, and are the same compiler's output with the same
options.

    .venv/bin/python bench/engine.py [PAIRS]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.simulators import compile_ns3
from windtunnel.simulator import describe

SCENARIOS = {
    "fat-tree, k = 6, 54 flows on and off, 2 s": {
        "topology": {"kind": "fat-tree", "k": 6},
        "workload": {"kind": "random-pairs", "flows": 54},
        "algorithm": "newreno",
        "transport": {"initial_cwnd": 1, "initial_ssthresh": "2MB"},
        "duration": "2s",
    },
    "dumbbell, 4 bulk flows over 100 Mb/s and 20 ms, 10 s": {
        "topology": {
            "kind": "dumbbell",
            "pairs": 4,
            "access": {"rate": "1Gbps"},
            "bottleneck": {"rate": "100Mbps", "delay": "10ms"},
        },
        "workload": {"kind": "bulk", "flows": 4},
        "algorithm": "newreno",
        "duration": "10s",
    },
    "incast, 16 servers of 256 KiB at 10 Gb/s, 150 ms": {
        "topology": {"kind": "incast", "servers": 16},
        "workload": {"kind": "incast"},
        "algorithm": "newreno",
        "transport": {"segment": "960B", "timestamps": False, "min_rto": "20ms",
                      "delayed_ack_count": 1, "send_buffer": "512KiB",
                      "receive_buffer": "512KiB"},
        "duration": "150ms",
    },
}  # fmt: skip


def cpu_seconds(program: Path, spec: bytes) -> float:
    """User and system time of one run."""
    before = os.times()
    subprocess.run([program], input=spec, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    build = compile_ns3(Folders(default_data()), lambda _: None, tests=True)
    ours, stock = build / "windtunnel-ns3", build / "stock-ns3"
    resolver = describe([str(ours)]).resolver()
    print("CPU seconds, glibc malloc on both sides; newreno")
    for name, scenario in SCENARIOS.items():
        resolution = resolver.resolve(scenario)
        assert not resolution.problems, resolution.problems
        resolved = resolution.scenario
        spec = json.dumps({"simulator": "ns3", "seed_index": 1, "scenario": resolved}).encode()
        print(name)
        compare(ours, stock, spec, pairs)


def compare(ours: Path, stock: Path, spec: bytes, pairs: int) -> None:
    cpu_seconds(ours, spec)
    cpu_seconds(stock, spec)
    measured = [(cpu_seconds(ours, spec), cpu_seconds(stock, spec)) for _ in range(pairs)]
    for a, b in measured:
        print(
            f"  windtunnel-ns3 {a:6.2f}   stock ns-3 with FlowMonitor {b:6.2f}   ratio {a / b:.3f}"
        )
    ratio = statistics.median(a / b for a, b in measured)
    print(f"  median ratio {ratio:.3f} over {pairs} alternating pairs")


if __name__ == "__main__":
    main()
