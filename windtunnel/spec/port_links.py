"""Which port sends over which link of a layout, from names of ports and paths of flows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windtunnel.spec.layout import Layout

Direction = tuple[str, str]
_NUMBERED = re.compile(r"\D*(\d+)")


@dataclass(frozen=True)
class _Network:
    """A layout's nodes, each with its neighbours in the order of the layout's links."""

    hosts: Sequence[str]
    neighbours: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, layout: Layout) -> _Network:
        neighbours: dict[str, list[str]] = {
            node: [] for tier in layout.tiers.values() for node in tier
        }
        for lower, upper in layout.links:
            neighbours[lower].append(upper)
            neighbours[upper].append(lower)
        return cls(next(iter(layout.tiers.values()), ()), neighbours)

    def owner(self, port: str) -> str | None:
        """The node whose name, up to a dot, begins the port's."""
        end = len(port)
        while (end := port.rfind(".", 0, end)) > 0:
            if port[:end] in self.neighbours:
                return port[:end]
        return None


@dataclass
class _Assignment:
    """The port of each direction of a link; a port of a shared segment has several."""

    ports: dict[Direction, str] = field(default_factory=dict)
    directions: dict[str, set[Direction]] = field(default_factory=dict)

    def add(self, direction: Direction, port: str) -> None:
        if direction not in self.ports:
            self.ports[direction] = port
            self.directions.setdefault(port, set()).add(direction)


def port_links(
    layout: Layout, port_names: Iterable[str], flows: Iterable[Mapping[str, Any]]
) -> Mapping[Direction, str]:
    """The port that sends from one node to the next, as far as it follows from the records.

    In this order: where the ``path`` of a flow record leads; a node's port with number n sends
    over its n-th link, unless a path contradicts it; a node with one link has one port; the last
    port whose name has no node is the other end of a link whose port has no node in its name.
    """
    network = _Network.of(layout)
    assignment = _Assignment()
    names = dict.fromkeys(port_names)
    for flow in flows:
        path = flow.get("path") or []
        names |= dict.fromkeys(hop_port(hop) for hop in path)
        if all(isinstance(hop, str) for hop in path):
            _follow(network, assignment, flow, path)
    _match_numbers(network, assignment, names)
    _match_last(network, assignment, names)
    return assignment.ports


def hop_port(hop: Any) -> str:
    """The port of a path's hop, which is a name or has one and the share of packets."""
    return str(hop if isinstance(hop, str) else hop["port"])


def _follow(
    network: _Network, assignment: _Assignment, flow: Mapping[str, Any], path: Sequence[str]
) -> None:
    """Assign the ports of a path if only one walk through the network fits their names."""
    count = len(network.hosts)
    source, destination = flow.get("source"), flow.get("destination")
    if not (isinstance(source, int) and isinstance(destination, int)):
        return
    if not (path and source < count and destination < count):
        return
    if all(port in assignment.directions for port in path[:-1]) and (
        any(to == network.hosts[destination] for _, to in assignment.directions.get(path[-1], ()))
    ):
        return
    walks = _walks(network, network.hosts[source], network.hosts[destination], path)
    walk = next(walks, None)
    if walk and next(walks, None) is None:
        for direction, port in zip(walk, path, strict=True):
            assignment.add(direction, port)


def _walks(
    network: _Network, node: str, destination: str, path: Sequence[str]
) -> Iterator[list[Direction]]:
    if not path:
        if node == destination:
            yield []
        return
    if network.owner(path[0]) not in (None, node):
        return
    after = network.owner(path[1]) if len(path) > 1 else destination
    for neighbour in network.neighbours[node]:
        if after in (None, neighbour):
            for rest in _walks(network, neighbour, destination, path[1:]):
                yield [(node, neighbour), *rest]


def _match_numbers(network: _Network, assignment: _Assignment, names: Iterable[str]) -> None:
    owned: dict[str, list[str]] = {}
    for port in names:
        owner = network.owner(port)
        if owner is not None:
            owned.setdefault(owner, []).append(port)
    for node, ports in owned.items():
        neighbours = network.neighbours[node]
        if len(neighbours) == 1:
            pairs = [(ports[0], 0)] if len(ports) == 1 else []
        else:
            numbers = [_NUMBERED.fullmatch(port[len(node) + 1 :]) for port in ports]
            pairs = [
                (port, int(number[1]))
                for port, number in zip(ports, numbers, strict=True)
                if number and int(number[1]) < len(neighbours)
            ]
        fits = all(
            assignment.directions.get(port, {(node, neighbours[number])})
            == {(node, neighbours[number])}
            for port, number in pairs
        )
        if fits:
            for port, number in pairs:
                assignment.add((node, neighbours[number]), port)


def _match_last(network: _Network, assignment: _Assignment, names: Iterable[str]) -> None:
    left = [
        port for port in names if port not in assignment.directions and network.owner(port) is None
    ]
    ends = [
        (to, node)
        for (node, to), port in assignment.ports.items()
        if (to, node) not in assignment.ports and network.owner(port) is None
    ]
    if len(left) == len(ends) == 1:
        assignment.add(ends[0], left[0])
