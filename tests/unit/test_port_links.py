"""Which port sends over which link."""

from __future__ import annotations

from typing import Any

from windtunnel.spec.layout import Layout
from windtunnel.spec.port_links import port_links


def flow(source: int, destination: int, *path: Any) -> dict[str, Any]:
    return {"flow": 0, "source": source, "destination": destination, "path": list(path)}


STAR = Layout(
    {"host": ("host0", "host1", "host2"), "switch": ("switch",)},
    (("host0", "switch"), ("host1", "switch"), ("host2", "switch")),
)
DUMBBELL = Layout(
    {"host": ("host0", "host1"), "left": ("left",), "right": ("right",)},
    (("host0", "left"), ("host1", "right"), ("left", "right")),
)
# Two hosts on edges that are joined by two cores.
SQUARE = Layout(
    {"host": ("host0", "host1"), "edge": ("edge0", "edge1"), "core": ("core0", "core1")},
    (
        ("host0", "edge0"), ("host1", "edge1"),
        ("edge0", "core0"), ("edge0", "core1"), ("edge1", "core0"), ("edge1", "core1"),
    ),
)  # fmt: skip


def test_numbered_ports_are_their_nodes_links_in_order() -> None:
    ports = port_links(STAR, ["host1.nic", "switch.port0", "switch.port2"], [])
    assert ports == {
        ("host1", "switch"): "host1.nic",
        ("switch", "host0"): "switch.port0",
        ("switch", "host2"): "switch.port2",
    }


def test_a_path_places_a_port_whose_name_has_no_node_and_the_last_port_is_its_other_end() -> None:
    names = ["host0.nic", "left.port0", "right.port0", "bottleneck", "bottleneck.reverse"]
    ports = port_links(DUMBBELL, names, [flow(0, 1, "host0.nic", "bottleneck", "right.port0")])
    assert ports[("left", "right")] == "bottleneck"
    assert ports[("right", "left")] == "bottleneck.reverse"
    assert ports[("right", "host1")] == "right.port0"
    assert ports[("left", "host0")] == "left.port0"


def test_a_shared_segment_is_one_port_and_its_paths_outweigh_numbers() -> None:
    layout = Layout(
        {"host": ("host0", "host1", "host2"), "edge": ("edge",), "core": ("core",)},
        (("host0", "edge"), ("host1", "edge"), ("edge", "core"), ("host2", "core")),
    )
    flows = [
        flow(2, 0, "host2.nic", "core.port0", "edge.port0"),
        flow(2, 1, "host2.nic", "core.port0", "edge.port0"),
        flow(0, 2, "host0.nic", "edge.port1", "core.port1"),
    ]
    ports = port_links(layout, [], flows)
    assert ports[("edge", "host0")] == ports[("edge", "host1")] == "edge.port0"
    assert ports[("edge", "core")] == "edge.port1"


def test_a_path_that_fits_two_walks_places_nothing() -> None:
    ports = port_links(SQUARE, [], [flow(0, 1, "host0.nic", "a", "b", "c")])
    assert ports == {("host0", "edge0"): "host0.nic"}


def test_a_path_of_shares_is_no_walk() -> None:
    hops = [
        "host0.nic",
        {"port": "edge0.port1", "share": 0.5},
        {"port": "edge0.port2", "share": 0.5},
    ]
    ports = port_links(SQUARE, [], [flow(0, 1, *hops)])
    assert ports[("edge0", "core0")] == "edge0.port1"
    assert ports[("edge0", "core1")] == "edge0.port2"


def test_records_without_paths_and_with_unknown_hosts_are_no_error() -> None:
    assert port_links(STAR, ["elsewhere"], [{"flow": 0}, flow(7, 9, "host7.nic")]) == {}
