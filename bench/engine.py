"""CPU time of the simulator against the same scenario in stock ns-3, in turn, on the same library.

Stock: PointToPointHelper, Nix-vector routing, flow control off, FlowMonitor on all nodes
(sim-images/ns3/tests/stock_fat_tree.cc). Ours: all default probes on. Both use glibc's malloc and
ns-3's default scheduler, and are the same compiler's output with the same options.

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

SCENARIO = {
    "topology": {"kind": "fat-tree", "k": 6},
    "workload": {"kind": "random-pairs", "flows": 54},
    "algorithm": "newreno",
    "transport": {"initial_cwnd": 1, "initial_ssthresh": "2MB"},
    "duration": "2s",
}


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
    ours, stock = build / "windtunnel-ns3", build / "stock-fat-tree"
    scenario, problems = describe([str(ours)]).resolver().resolve(SCENARIO)
    assert not problems, problems
    spec = json.dumps({"simulator": "ns3", "seed_index": 1, "scenario": scenario}).encode()
    cpu_seconds(ours, spec)
    cpu_seconds(stock, spec)
    measured = [(cpu_seconds(ours, spec), cpu_seconds(stock, spec)) for _ in range(pairs)]
    ratios = [a / b for a, b in measured]
    print("k = 6, 54 flows, 2 s, newreno; CPU seconds, glibc malloc on both sides")
    for a, b in measured:
        print(
            f"  windtunnel-ns3 {a:6.2f}   stock ns-3 with FlowMonitor {b:6.2f}   ratio {a / b:.3f}"
        )
    print(f"median ratio {statistics.median(ratios):.3f} over {pairs} alternating pairs")


if __name__ == "__main__":
    main()
