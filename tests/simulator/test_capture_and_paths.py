"""Packet captures, path maps, series and groups in the records of whole runs."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import records_of, resolve
from windtunnel.spec.description import Description


def spec_of(ns3: Description, scenario: dict[str, Any]) -> dict[str, Any]:
    resolved, problems = resolve(ns3, scenario)
    assert problems == []
    return {"simulator": "ns3", "seed_index": 1, "scenario": resolved}


def of_type(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["type"] == kind]


def metrics_of(records: list[dict[str, Any]]) -> dict[str, float]:
    return {record["name"]: record["value"] for record in of_type(records, "metric")}


DUMBBELL = {
    "topology": {"kind": "dumbbell", "pairs": 2},
    "workload": {
        "kind": "bulk",
        "groups": [
            {"name": "incumbent", "flows": 2, "algorithm": "cubic"},
            {"name": "newcomer", "algorithm": "vegas", "start": "1s"},
        ],
        "start_jitter": "0s",
    },
    "duration": "4s",
}


@pytest.mark.parametrize(("warmup", "incumbent_seconds"), [("0s", 4), ("500ms", 3.5)])
def test_a_late_group_is_measured_from_its_start(
    ns3: Description, ns3_program: Path, warmup: str, incumbent_seconds: float
) -> None:
    """The newcomer has three of the run's four seconds."""
    records = records_of(ns3_program, spec_of(ns3, DUMBBELL | {"warmup": warmup}))
    metrics, flows = metrics_of(records), of_type(records, "flow")
    seconds = [incumbent_seconds, incumbent_seconds, 3]
    rates = [flow["bytes"] * 8 / 1e6 / time for flow, time in zip(flows, seconds, strict=True)]
    assert [flow["goodput_mbps"] for flow in flows] == pytest.approx(rates)
    assert metrics["goodput_mbps"] == pytest.approx(sum(rates) / 3)
    assert metrics["goodput_mbps:newcomer"] == pytest.approx(rates[2])
    assert metrics["goodput_total_mbps:newcomer"] == pytest.approx(rates[2])
    assert metrics["ideal_throughput_pct"] == pytest.approx(sum(rates) / 3 / 10 * 100)
    fairness = sum(rates) ** 2 / 3 / sum(rate**2 for rate in rates)
    assert metrics["jain_fairness"] == pytest.approx(fairness)
    share = rates[2] / flows[2]["max_min_mbps"] * 100
    assert metrics["mmf_share_pct:newcomer"] == pytest.approx(share)


def test_transfers_keep_the_measured_time(ns3: Description, ns3_program: Path) -> None:
    """Each starts when it arrives; over its own time a goodput would be a completion time."""
    scenario = {"topology": {"kind": "dumbbell", "pairs": 2}, "workload": "mixed",
                "algorithm": "cubic", "duration": "2s"}  # fmt: skip
    records = records_of(ns3_program, spec_of(ns3, scenario))
    flows = of_type(records, "flow")
    assert max(flow["start_ns"] for flow in flows) > 10**9
    for flow in flows:
        assert flow["goodput_mbps"] == pytest.approx(flow["bytes"] * 8 / 2e6)


def read_pcap(path: Path) -> list[tuple[int, bytes]]:
    """Time in ns and bytes of every packet; the file's header must be that of raw IP in ns."""
    data = path.read_bytes()
    magic, major, minor, _, _, snaplen, link = struct.unpack("<IHHiIII", data[:24])
    assert (magic, major, minor, link) == (0xA1B23C4D, 2, 4, 101)  # nanoseconds, DLT_RAW
    packets, at = [], 24
    while at < len(data):
        seconds, ns, captured, length = struct.unpack("<IIII", data[at : at + 16])
        assert captured == length <= snaplen
        packets.append((seconds * 10**9 + ns, data[at + 16 : at + 16 + captured]))
        at += 16 + captured
    return packets


@pytest.mark.parametrize(
    ("port", "topology"),
    [
        ("bottleneck", {"kind": "dumbbell", "pairs": 2}),
        ("host0.nic", {"kind": "fat-tree", "k": 2, "rack": "shared-lan"}),
    ],
)
def test_a_capture_holds_what_the_port_sent(
    ns3: Description, ns3_program: Path, tmp_path: Path, port: str, topology: dict[str, Any]
) -> None:
    workload = {"kind": "bulk", "flows": 1, "pairs": [[0, 1 if "k" in topology else 2]]}
    scenario = {"topology": topology, "workload": workload, "algorithm": "newreno",
                "duration": "1s"}  # fmt: skip
    file = tmp_path / "port.pcap"
    spec = spec_of(ns3, scenario)
    done = subprocess.run(
        [ns3_program, "--pcap", port, str(file)], input=json.dumps(spec), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records[-1]["digest"] == records_of(ns3_program, spec)[-1]["digest"]
    sent = next(record for record in of_type(records, "port") if record["port"] == port)
    packets = read_pcap(file)
    assert len(packets) == sent["packets"] > 100
    assert sum(len(packet) for _, packet in packets) == sent["bytes"]
    times = [at for at, _ in packets]
    assert times == sorted(times)
    for _, packet in packets:
        version, total, protocol = packet[0], int.from_bytes(packet[2:4], "big"), packet[9]
        assert (version, protocol) == (0x45, 6)
        assert total == len(packet)
        assert int.from_bytes(packet[22:24], "big") == 5000  # flow 0's receiver


def test_an_unknown_capture_port_is_rejected(ns3: Description, ns3_program: Path) -> None:
    spec = json.dumps(spec_of(ns3, DUMBBELL))
    done = subprocess.run(
        [ns3_program, "--pcap", "core0.port0", "/nowhere/x.pcap"], input=spec,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no port named 'core0.port0'" in done.stderr


def test_groups_are_measured_separately(ns3: Description, ns3_program: Path) -> None:
    records = records_of(ns3_program, spec_of(ns3, DUMBBELL))
    metrics = metrics_of(records)
    flows = of_type(records, "flow")
    assert [flow["group"] for flow in flows] == ["incumbent", "incumbent", "newcomer"]
    assert flows[2]["start_ns"] == 10**9
    delivered = [flow["bytes"] for flow in flows]
    assert metrics["throughput_share:newcomer"] == pytest.approx(delivered[2] / sum(delivered))
    assert metrics["goodput_mbps:incumbent"] == pytest.approx(sum(delivered[:2]) * 8 / 4e6 / 2)
    assert metrics["goodput_total_mbps:incumbent"] == pytest.approx(sum(delivered[:2]) * 8 / 4e6)
    assert metrics["goodput_total_mbps"] == pytest.approx(sum(delivered) * 8 / 4e6)
    for count in ("retransmissions", "timeouts", "fast_recoveries"):
        assert metrics[f"{count}:incumbent"] == sum(flow[count] for flow in flows[:2])
        assert metrics[count] == sum(flow[count] for flow in flows)
    assert metrics["fast_recoveries:incumbent"] > 0
    controls = of_type(records, "started")[0]["configuration"]["transport"]
    assert [control["congestion_control"]["type"] for control in controls] == [
        "ns3::TcpCubic",
        "ns3::TcpVegas",
    ]


def test_paths_and_ceilings_on_a_fat_tree(ns3: Description, ns3_program: Path) -> None:
    """Single-path, k = 4, 100 Mb/s. Flows 0 > 4 and 1 > 8 share host rack 0's way to aggregation
    switch 0, and flow 2 > 3 stays under its edge switch."""
    pairs = [[0, 4], [1, 8], [2, 3]]
    workload = {"kind": "bulk", "flows": 3, "pairs": pairs}
    scenario = {"topology": {"kind": "fat-tree", "k": 4}, "workload": workload,
                "algorithm": "newreno", "duration": "1s"}  # fmt: skip
    records = records_of(ns3_program, spec_of(ns3, scenario))
    first, second, third = of_type(records, "flow")
    assert first["path"] == [
        "host0.nic", "pod0.edge0.port2", "pod0.aggregation0.port2", "core0.port1",
        "pod1.aggregation0.port0", "pod1.edge0.port0",
    ]  # fmt: skip
    assert third["path"] == ["host2.nic", "pod0.edge1.port1"]
    payload = 100 * 1448 / 1502  # of 1500 bytes and two of framing
    assert first["max_min_mbps"] == pytest.approx(payload / 2)
    assert second["max_min_mbps"] == pytest.approx(payload / 2)
    assert third["max_min_mbps"] == pytest.approx(payload)
    assert first["bottleneck"] in first["path"]
    shares = [flow["goodput_mbps"] / flow["max_min_mbps"] * 100 for flow in (first, second, third)]
    assert metrics_of(records)["mmf_share_pct"] == pytest.approx(sum(shares) / 3)


def test_series_of_flows_and_links_agree_with_the_records(
    ns3: Description, ns3_program: Path
) -> None:
    series = [
        {"probe": "goodput", "at": "flows", "step": "1s"},
        {"probe": "link_utilization", "at": "ports", "step": "1s"},
        {"probe": "link_drops", "at": "ports", "step": "1s"},
        {"probe": "cwnd", "at": "newcomer", "step": "100ms"},
        {"probe": "rtt", "at": "flow0", "step": "100ms"},
    ]
    records = records_of(ns3_program, spec_of(ns3, DUMBBELL | {"series": series}))
    values = {record["name"]: record["values"] for record in of_type(records, "series")}
    flows, ports = of_type(records, "flow"), of_type(records, "port")
    for flow in flows:
        goodput = values[f"goodput flow{flow['flow']}"]
        assert len(goodput) == 4
        assert sum(goodput) == pytest.approx(flow["bytes"] * 8 / 1e6)
    bottleneck = next(port for port in ports if port["port"] == "bottleneck")
    assert sum(values["link_drops bottleneck"]) == bottleneck["drops"] > 0
    assert 50 < max(values["link_utilization bottleneck"]) <= 100.2
    assert values["cwnd flow2"][0] == 0  # begins at 1 s
    assert values["cwnd flow2"][-1] >= 1
    assert (
        min(value for value in values["rtt flow0"] if value) >= 20.4
    )  # propagation, there and back


def test_the_series_of_marks_has_every_mark(ns3: Description, ns3_program: Path) -> None:
    queue = {"kind": "threshold-ecn", "limit": "100p", "ecn_threshold": "20p"}
    scenario = {
        "topology": {"kind": "dumbbell", "pairs": 2, "queue": queue},
        "workload": {"kind": "bulk", "flows": 2},
        "algorithm": "dctcp",
        "duration": "2s",
        "series": [{"probe": "ecn_marks", "at": "ports", "step": "100ms"}],
    }
    records = records_of(ns3_program, spec_of(ns3, scenario))
    marks = {record["name"]: record["values"] for record in of_type(records, "series")}
    assert len(marks["ecn_marks bottleneck"]) == 20
    for port in of_type(records, "port"):
        if f"ecn_marks {port['port']}" in marks:
            assert sum(marks[f"ecn_marks {port['port']}"]) == port["marks"]
    assert sum(marks["ecn_marks bottleneck"]) == metrics_of(records)["ecn_marks"] > 10


def test_transfers_complete_no_faster_than_the_network_allows(
    ns3: Description, ns3_program: Path
) -> None:
    scenario = {
        "topology": {"kind": "fat-tree", "k": 4, "routing": "ecmp-flow"},
        "workload": {"kind": "mixed", "load": 0.2, "sizes": {"kind": "classes"}},
        "algorithm": "cubic",
        "duration": "3s",
        "warmup": "500ms",
    }
    records = records_of(ns3_program, spec_of(ns3, scenario))
    metrics = metrics_of(records)
    flows = of_type(records, "flow")
    done = [flow for flow in flows if flow["fct_ms"] is not None and flow["start_ns"] >= 5 * 10**8]
    assert len(done) == metrics["transfers_completed"] > 20
    assert metrics["fct_ms_mean"] == pytest.approx(sum(flow["fct_ms"] for flow in done) / len(done))
    assert metrics["slowdown_p50"] >= 1
    mice = [flow["fct_ms"] for flow in done if flow["class"] == "mice"]
    assert metrics["fct_ms_mean:mice"] == pytest.approx(sum(mice) / len(mice))
    assert metrics["fct_ms_p50:mice"] < metrics["fct_ms_p50:cat"]


def test_a_lone_transfer_takes_the_least_possible_time(ns3: Description, ns3_program: Path) -> None:
    """One segment over an idle dumbbell: SYN and SYN-ACK, then 1448 bytes with their headers.

    Round trip 2 (5 + 0.02) ms and 60 bytes of SYN each way; then 1502 bytes at 100, 10, 100 Mb/s.
    """
    scenario = {
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "access": {"rate": "100Mbps", "delay": "10us"},
            "bottleneck": {"rate": "10Mbps", "delay": "5ms"},
        },
        "workload": {"kind": "shuffle", "block": "1448B", "start_jitter": "0s"},
        "algorithm": "newreno",
        "duration": "1s",
    }
    records = records_of(ns3_program, spec_of(ns3, scenario))
    propagation = 5.02
    serialization = 1502 * 8 * (1 / 100 + 1 / 10 + 1 / 100) / 1e3
    metrics = metrics_of(records)
    least = 3 * propagation + serialization
    assert least < metrics["fct_ms_mean"] < least + 0.3  # the handshake's own serialization
    assert 1 < metrics["slowdown_mean"] < 1.02


def test_ns325_counts_no_packet_that_met_a_full_device_queue(
    ns3: Description, ns3_program: Path
) -> None:
    """Eight senders to one host, 1,100 packets of queue: all but a few find 100 or more waiting."""

    def metrics_with(queue: dict[str, Any]) -> dict[str, float]:
        scenario = {
            "topology": {"kind": "fat-tree", "k": 4, "queue": {"kind": "drop-tail", **queue}},
            "workload": {"kind": "incast", "servers": 8, "sru": "1MB"},
            "algorithm": "newreno",
            "transport": {"send_buffer": "1MiB", "receive_buffer": "1MiB"},
            "duration": "2s",
        }
        return metrics_of(records_of(ns3_program, spec_of(ns3, scenario)))

    deep = metrics_with({"limit": "1100p", "ns325_device_queue": "100p"})
    assert deep["ns325_throughput_pct"] < 0.8 * deep["flowmonitor_throughput_pct"]
    # Where the queue ends at 100 nothing finds more than that waiting and gets in.
    shallow = metrics_with({"limit": "100p", "ns325_device_queue": "100p"})
    assert shallow["drops_total"] > 0
    assert shallow["ns325_throughput_pct"] == shallow["flowmonitor_throughput_pct"]
    assert "ns325_throughput_pct" not in metrics_with({"limit": "100p"})


def test_ended_connections_have_no_window_metrics(ns3: Description, ns3_program: Path) -> None:
    scenario = {
        "topology": {"kind": "fat-tree", "k": 2},
        "workload": {"kind": "shuffle", "block": "100KB"},
        "algorithm": "cubic",
        "duration": "10s",
        "warmup": "9s",  # everything has arrived long before
    }
    metrics = metrics_of(records_of(ns3_program, spec_of(ns3, scenario)))
    assert "cwnd_segments_mean" not in metrics
    assert "cwnd_cov" not in metrics


def test_link_utilization_is_at_most_100_percent(ns3: Description, ns3_program: Path) -> None:
    """Steps of 10 ms on a link where a packet takes 12, behind a queue that is never empty for
    long: 100 %, where counting whole packets would give 0 or 120."""
    scenario = {
        "topology": {"kind": "dumbbell", "pairs": 1, "bottleneck": {"rate": "1Mbps"},
                     "queue": {"kind": "drop-tail", "limit": "50p"}},
        "workload": {"kind": "bulk"},
        "algorithm": "newreno",
        "duration": "2s",
        "series": [{"probe": "link_utilization", "at": "bottleneck"},
                   {"probe": "link_utilization", "at": "links", "step": "20ms"}],
    }  # fmt: skip
    records = records_of(ns3_program, spec_of(ns3, scenario))
    series = of_type(records, "series")
    names = [record["name"] for record in series]
    assert len(names) == len(set(names))  # the bottleneck is one of the links, and recorded once
    busy = next(
        record["values"] for record in series if record["name"] == "link_utilization bottleneck"
    )
    assert max(busy) <= 100.001
    assert sum(99 < value <= 100.001 for value in busy) > len(busy) / 2
    assert metrics_of(records)["link_utilization_max"] <= 100.001
