"""What a topology or workload says of itself in ``describe`` is what the simulation then has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import records_of
from windtunnel.spec.description import Description
from windtunnel.spec.expressions import Scope
from windtunnel.spec.port_links import port_links

QUEUE = {"kind": "drop-tail", "limit": "20p"}
TOPOLOGIES: dict[str, dict[str, Any]] = {
    "fat-tree": {"kind": "fat-tree", "k": 4, "queue": QUEUE},
    "fat-tree, other links": {
        "kind": "fat-tree", "k": 6, "queue": QUEUE, "routing": "ecmp-flow",
        "host_link": {"rate": "50Mbps", "delay": "3us"},
        "core_link": {"rate": "1Gbps", "delay": "7us"},
    },
    "fat-tree, shared racks": {"kind": "fat-tree", "k": 4, "queue": QUEUE, "rack": "shared-lan"},
    "dumbbell": {"kind": "dumbbell", "pairs": 3, "bottleneck": {"rate": "10Mbps", "delay": "4ms"}},
    "incast": {"kind": "incast", "servers": 5},
    "incast, other client link": {
        "kind": "incast", "servers": 5, "client_link": {"rate": "1Gbps", "delay": "9us"},
    },
}  # fmt: skip
WORKLOADS: dict[str, Any] = {
    "random-pairs": {"kind": "random-pairs", "flows": 7, "on_mean": "20ms", "off_mean": "5ms"},
    "bulk": {"kind": "bulk", "flows": 4},
    "bulk in groups": {"kind": "bulk", "groups": [{"name": "a", "flows": 2}, {"name": "b"}]},
    "incast": {"kind": "incast", "rounds": 1, "sru": "10KB"},
    "shuffle": {"kind": "shuffle", "block": "5KB"},
}


def run(ns3: Description, program: Path, **scenario: Any) -> tuple[dict[str, Any], Scope, Any]:
    """Records of a run, and what follows from its scenario."""
    whole = {"algorithm": "newreno", "duration": "60ms", "warmup": "0s", **scenario}
    resolution = ns3.resolver().resolve(whole)
    assert not resolution.problems, resolution.problems
    assert resolution.scope is not None
    spec = {"simulator": ns3.name, "seed_index": 1, "scenario": resolution.scenario}
    records: dict[str, Any] = {"flow": [], "port": []}
    for record in records_of(program, spec):
        if record["type"] in records and isinstance(records[record["type"]], list):
            records[record["type"]].append(record)
        elif record["type"] == "started":
            records["configuration"] = record["configuration"]
    return records, resolution.scope, ns3.layout(resolution)


def check_topology(ns3: Description, program: Path, topology: dict[str, Any]) -> None:
    """Compare what follows from a topology's schema with a run in which every host sends."""
    workload = {"kind": "shuffle", "block": "5KB"}
    records, scope, layout = run(ns3, program, topology=topology, workload=workload)
    configuration, facts = records["configuration"], scope.quantities
    assert facts["hosts"] == configuration["hosts"]
    assert facts["propagation_rtt_ns"] == configuration["propagation_rtt_ns"]
    assert max(flow["hops"] for flow in records["flow"]) == facts["links_crossed"]
    ports = {port["port"] for port in records["port"]}
    ports |= {
        hop if isinstance(hop, str) else hop["port"] for f in records["flow"] for hop in f["path"]
    }
    scope.quantities["port_names"] = sorted(ports)
    assert scope.evaluate("names_unfit(port_names, [], ports)") == []
    senders = {flow["source"] for flow in records["flow"]}
    receivers = {flow["destination"] for flow in records["flow"]}
    assert senders == set(range(round(facts["senders"])))
    first = round(facts["first_receiver"])
    assert receivers == set(range(first, first + round(facts["receivers"])))
    assert layout is not None
    nodes = {node for tier in layout.tiers.values() for node in tier}
    assert len(layout.tiers["host"]) == configuration["hosts"]
    assert {node for link in layout.links for node in link} == nodes
    assert set(port_links(layout, ports, records["flow"]).values()) == ports
    assert facts["switch_ports"] + facts["hosts"] >= configuration["switch_ports"]
    if "rack" not in topology:  # a shared segment is one port of its switch
        assert configuration["switch_ports"] == 2 * len(layout.links)


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_a_topology_has_the_hosts_links_and_ports_that_it_says(
    ns3: Description, ns3_program: Path, name: str
) -> None:
    check_topology(ns3, ns3_program, TOPOLOGIES[name])


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("topology", ["fat-tree", "dumbbell", "incast"])
def test_a_workload_has_as_many_flows_as_it_says(
    ns3: Description, ns3_program: Path, name: str, topology: str
) -> None:
    records, scope, _ = run(
        ns3, ns3_program, topology=TOPOLOGIES[topology], workload=WORKLOADS[name]
    )
    assert scope.quantities["flow_count"] == records["configuration"]["flows"]
    groups = [group["group"] for group in records["configuration"]["transport"]]
    assert scope.quantities["group_names"] == [group for group in groups if group]


@pytest.mark.parametrize("sizes", ["web-search", "data-mining", "classes"])
def test_the_mean_size_is_that_of_the_distribution(
    ns3: Description, ns3_program: Path, sizes: str
) -> None:
    """The expected number of arrivals: Poisson, so within five standard deviations."""
    topology = {
        "kind": "fat-tree",
        "k": 8,
        "queue": QUEUE,
        "link": {"rate": "1Gbps", "delay": "1us"},
    }
    load = {"web-search": 1.0, "data-mining": 2.0, "classes": 1.0}[sizes]
    records, scope, _ = run(
        ns3,
        ns3_program,
        topology=topology,
        workload={"kind": "mixed", "load": load, "sizes": sizes},
        duration="20ms",
    )
    expected = scope.quantities["flow_count"]
    assert expected > 30
    assert abs(records["configuration"]["flows"] - expected) < 5 * expected**0.5
