"""Scenarios that the ns-3 simulator's description accepts, and fields that it rejects."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import resolve
from windtunnel.spec.description import Description

DUMBBELL = {"kind": "dumbbell", "pairs": 2}
TREE = {"kind": "fat-tree", "k": 4}
INCAST = {"kind": "incast", "servers": 4}
FAST = {"kind": "dumbbell", "bottleneck": {"rate": "100Mbps", "delay": "10ms"},
        "access": {"rate": "1Gbps"}}  # fmt: skip
CUBIC = {"name": "first", "algorithm": "cubic"}


def scenario(topology: Any = DUMBBELL, workload: Any = "bulk", **more: Any) -> dict[str, Any]:
    return {"topology": topology, "workload": workload, "algorithm": "newreno", "duration": "1s",
            **more}  # fmt: skip


def without_algorithm(**more: Any) -> dict[str, Any]:
    whole = scenario(**more)
    del whole["algorithm"]
    return whole


ACCEPTED = {
    "groups that all name an algorithm need no other": without_algorithm(
        workload={"kind": "bulk", "groups": [CUBIC, {"name": "second", "algorithm": "bbr"}]}
    ),
    "a queue in BDPs": scenario({**DUMBBELL, "queue": {"kind": "drop-tail", "limit": "0.5bdp"}}),
    "a queue of the default kind": scenario({**DUMBBELL, "queue": {"limit": "30p"}}),
    "an AQM on the cores only": scenario({**TREE, "core_queue": "codel"}),
    "a shared rack below AQMs": scenario(
        {**TREE, "rack": "shared-lan", "queue": "red", "host_queue": "drop-tail",
         "edge_queue": "drop-tail"}
    ),
    "faster core links": scenario({**TREE, "core_link": {"rate": "1Gbps", "delay": "1us"}}),
    "given pairs on a dumbbell": scenario(workload={"kind": "bulk", "pairs": [[1, 2]]}),
    "a series of a group": scenario(
        workload={"kind": "bulk", "groups": [CUBIC]},
        series=[{"probe": "cwnd", "at": "first"}, {"probe": "rtt", "at": "flow0"}],
    ),
    "any flow of a mixed workload, whose number is drawn": scenario(
        workload="mixed", series=[{"probe": "cwnd", "at": "flow77"}]
    ),
    "every workload on incast": scenario(INCAST, {"kind": "shuffle", "hosts": 1}),
}  # fmt: skip

REFUSED = {
    "no algorithm at all": (without_algorithm(), "algorithm", "missing; set it"),
    "a group without one, and no other": (
        without_algorithm(workload={"kind": "bulk", "groups": [CUBIC, {"name": "second"}]}),
        "algorithm",
        "or in every group",
    ),
    "an unknown algorithm of a group": (
        scenario(workload={"kind": "bulk", "groups": [{"name": "a", "algorithm": "cubik"}]}),
        "workload.groups[0].algorithm",
        "did you mean 'cubic'?",
    ),
    "two groups of one name": (
        scenario(workload={"kind": "bulk", "groups": [CUBIC, CUBIC]}),
        "workload.groups",
        "same name",
    ),
    "flows beside groups": (
        scenario(workload={"kind": "bulk", "flows": 3, "groups": [CUBIC]}),
        "workload.flows",
        "groups have their own numbers",
    ),
    "an unknown queue": (
        scenario({**DUMBBELL, "queue": "codle"}),
        "topology.queue",
        "'codle' is not a queue of ns3; did you mean 'codel'?",
    ),
    "an AQM in a shared rack": (
        scenario({**TREE, "rack": "shared-lan", "queue": "codel"}),
        "topology.rack",
        "drop-tail queues only",
    ),
    "a loss that is no probability": (
        scenario({**DUMBBELL, "loss_rate": 1.2}), "topology.loss_rate", "0 to 0.5",
    ),
    "a sender that only receives": (
        scenario(workload={"kind": "bulk", "pairs": [[2, 3]]}),
        "workload.pairs",
        "the first of a pair sends",
    ),
    "a receiver that only sends": (
        scenario(workload={"kind": "bulk", "pairs": [[0, 1]]}),
        "workload.pairs",
        "the second of a pair receives",
    ),
    "more servers than there are": (
        scenario(INCAST, {"kind": "incast", "servers": 5}), "workload.servers", "fewer hosts",
    ),
    "shares that are no whole": (
        scenario(workload={"kind": "mixed", "sizes": {"kind": "classes", "mice": 0.5}}),
        "workload.sizes",
        "must sum to 1",
    ),
    "one host that shuffles with itself": (
        scenario(TREE, {"kind": "shuffle", "hosts": 1}), "workload.hosts", "at least two hosts",
    ),
    "a port of another topology": (
        scenario(series=[{"probe": "queue_length", "at": "core0.port0"}]),
        "series[0].at",
        "'core0.port0': no port of this topology",
    ),
    "marks of a port of another topology": (
        scenario(series=[{"probe": "ecn_marks", "at": "core0.port0"}]),
        "series[0].at",
        "no port of this topology",
    ),
    "a flow that there is not": (
        scenario(series=[{"probe": "cwnd", "at": "flow1"}, {"probe": "rtt", "at": "nobody"}]),
        "series[0].at",
        "'flow1': no flow or group",
    ),
    "a parameter beyond what ns-3 survives": (
        scenario(algorithm={"kind": "bbr", "RttWindowLength": "1ms"}),
        "algorithm.RttWindowLength",
        "at least 10s",
    ),
    "no pairs at all": (
        scenario(workload={"kind": "bulk", "pairs": []}), "workload.pairs", "at least 1",
    ),
    "RED's thresholds crossed": (
        scenario({**DUMBBELL, "queue": {"kind": "red", "MinTh": 20, "MaxTh": 10}}),
        "topology.queue.MinTh",
        "20.0 is above MaxTh, 10.0",
    ),
    "bytes where packets are counted": (
        scenario({**DUMBBELL, "access_queue": {"kind": "fq-codel", "limit": "9000B"}}),
        "topology.access_queue.limit",
        "'B' is not a unit",
    ),
    "a distribution that ends early": (
        scenario(workload={"kind": "mixed", "sizes": {"kind": "empirical", "points": [[9, 0.5]]}}),
        "workload.sizes.points",
        "must ascend",
    ),
    "more transfers than ports": (
        scenario({**TREE, "k": 8, "link": {"rate": "10Gbps"}},
                 {"kind": "mixed", "load": 1, "sizes": "classes"}, duration="10s"),
        "workload.load",
        "36,000 transfers",
    ),
    "a flow that this shuffle does not have": (
        scenario(INCAST, {"kind": "shuffle", "hosts": 2},
                 series=[{"probe": "cwnd", "at": "flow2"}]),
        "series[0].at",
        "'flow2': no flow",
    ),
    "a group named as a flow": (
        scenario(workload={"kind": "bulk", "groups": [{"name": "flow1"}]}),
        "workload.groups",
        "are reserved",
    ),
    "a group that starts when the run has ended": (
        scenario(workload={"kind": "bulk", "groups": [
            {"name": "early"}, {"name": "late", "start": "1s"}]}, duration="1s"),
        "workload.groups",
        "'late': start must be before the run's end",
    ),
    "a name that looks like a quantity": (
        scenario(series=[{"probe": "cwnd", "at": "100p"}]), "series[0].at", "'100p': no flow",
    ),
    "ia-tcp where the number of flows is not known": (
        scenario(workload="mixed", algorithm="ia-tcp"), "workload.kind", "ia-tcp divides",
    ),
    "dcvegas with round trips of whole milliseconds": (
        scenario(INCAST, algorithm="dcvegas"), "transport.timestamps", "dcvegas needs",
    ),
    "cubic with a factor that ns-3 loops on": (
        {**scenario(), "algorithm": {"kind": "cubic", "Beta": 0.2}}, "algorithm.Beta", "0.25 to",
    ),
    "a million on times": (
        scenario(
            workload={
                "kind": "random-pairs", "flows": 50, "on_mean": "1us", "off_mean": "1us",
            }
        ),
        "workload.on_mean",
        "more than 4 million",
    ),
    "a BDP of something that has none": (
        scenario(transport={"send_buffer": "1bdp"}), "transport.send_buffer", "'bdp' is not a unit",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepts(ns3: Description, name: str) -> None:
    _, problems = resolve(ns3, ACCEPTED[name])
    assert problems == []


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_naming_the_field(ns3: Description, name: str) -> None:
    refused, path, expected = REFUSED[name]
    _, problems = resolve(ns3, refused)
    messages = [problem.message for problem in problems if problem.path == f"scenario.{path}"]
    assert any(expected in message for message in messages), problems


LINTS = {
    "dctcp without marks": (
        {
            **scenario({**DUMBBELL, "queue": {"kind": "drop-tail", "limit": "50p"}}),
            "algorithm": "dctcp",
        },
        "scenario.topology.queue",
    ),
    "a long warm-up": ({**scenario(), "duration": "3s", "warmup": "2s"}, "scenario.warmup"),
    "several flows on one bottleneck": (
        scenario(DUMBBELL, {"kind": "bulk", "flows": 2}), "scenario.workload",
    ),
    "buffers below the bandwidth-delay product": (
        scenario(FAST, {"kind": "mixed", "load": 0.5}), "scenario.transport.send_buffer",
    ),
    "one buffer below the queue": (
        scenario(FAST, transport={"send_buffer": "400KB", "receive_buffer": "2MB"}),
        "scenario.transport.send_buffer",
    ),
    "buffers below the bandwidth-delay product of a fat-tree": (
        scenario({**TREE, "link": {"rate": "10Gbps", "delay": "50us"}}),
        "scenario.transport.send_buffer",
    ),
    "buffers below the bandwidth-delay product of one server": (
        scenario({**INCAST, "link": {"rate": "10Gbps", "delay": "200us"}}),
        "scenario.transport.send_buffer",
    ),
    "hosts as slow as the bottleneck": (
        scenario({**FAST, "access": {"rate": "100Mbps"}}), "scenario.topology.access.rate",
    ),
    "an algorithm that no group uses": (
        scenario(workload={"kind": "bulk", "groups": [CUBIC]}), "scenario.algorithm",
    ),
    "less than one packet": (
        scenario({**DUMBBELL, "queue": {"kind": "drop-tail", "limit": "0.001bdp"}}),
        "scenario.topology.queue.limit",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINTS)
def test_likely_mistakes_are_lints(ns3: Description, name: str) -> None:
    mistake, path = LINTS[name]
    resolution = ns3.resolver().resolve(mistake)
    assert resolution.problems == []
    assert path in [lint.path for lint in resolution.lints]


def test_a_marking_queue_is_no_mistake_for_dctcp(ns3: Description) -> None:
    marking = {**DUMBBELL, "queue": {"kind": "threshold-ecn", "limit": "50p"}}
    resolution = ns3.resolver().resolve(
        {**scenario(marking, {"kind": "bulk"}), "algorithm": "dctcp"}
    )
    assert (resolution.problems, resolution.lints) == ([], [])


def lints_of(ns3: Description, mistake: dict[str, Any]) -> dict[str, str]:
    return {lint.path: lint.message for lint in ns3.resolver().resolve(mistake).lints}


def test_a_lint_of_buffers_says_the_rate_and_the_remedy(ns3: Description) -> None:
    """128 KiB in a base RTT of 20.4 ms are 51.4 Mb/s; path and queue hold 2 x 255,000 B."""
    assert lints_of(ns3, scenario(FAST))["scenario.transport.send_buffer"] == (
        "the smaller of send_buffer and receive_buffer, 128KiB, limits each flow to 51.4 Mb/s on "
        "this path, whatever its congestion control; the bottleneck has 100 Mb/s: set both to "
        "997KiB or more"
    )


@pytest.mark.parametrize(
    "enough",
    [
        scenario(),
        scenario(FAST, transport={"send_buffer": "511KB", "receive_buffer": "511KB"}),
        # An AQM keeps its queue short; transfers rarely need all of it.
        scenario({**FAST, "queue": "codel"}, transport={"send_buffer": "300KB",
                                                        "receive_buffer": "300KB"}),
        scenario(INCAST),
        scenario(TREE, {"kind": "random-pairs", "flows": 16}),
    ],
)  # fmt: skip
def test_buffers_that_hold_path_and_queue_are_no_mistake(
    ns3: Description, enough: dict[str, Any]
) -> None:
    assert "scenario.transport.send_buffer" not in lints_of(ns3, enough)


def events_of(ns3: Description, scenario: dict[str, Any]) -> float:
    return ns3.cost(ns3.resolver().resolve(scenario)).events


def test_predicts_events_of_every_workload(ns3: Description) -> None:
    """More time, more events; a finite workload has an end."""
    for workload in ("bulk", "mixed", "incast", "shuffle", {"kind": "random-pairs", "flows": 3}):
        short = events_of(ns3, scenario(workload=workload))
        long = events_of(ns3, {**scenario(workload=workload), "duration": "10s"})
        assert 0 < short <= long
    few = events_of(ns3, scenario(INCAST, {"kind": "incast", "rounds": 1}))
    assert few < events_of(ns3, scenario(INCAST, {"kind": "incast", "rounds": 100}))
