"""A run's topology: nodes and links from its simulator's description, ports from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from windtunnel.spec.layout import Layout
from windtunnel.spec.port_links import Direction, hop_port, port_links
from windtunnel.store import record_columns, runs
from windtunnel.store.simulators import find_simulator
from windtunnel.store.tables import Run


@dataclass(frozen=True)
class Topology:
    """``paths`` has the ports of each flow whose record has a path."""

    layout: Layout
    ports: Mapping[Direction, str]
    paths: Mapping[str, Sequence[str]]


def topology_of(session: Session, run: Run) -> Topology | None:
    """None if the run's simulator describes no layout of its topology."""
    description = find_simulator(session, f"{run.simulator_name}@{run.simulator_digest}")
    resolution = description.resolver().resolve(runs.run_spec(session, run)["scenario"])
    if resolution.scope is None:
        return None
    layout = description.layout(resolution)
    if layout is None:
        return None
    flows = record_columns.load(session, run.id, "flow")
    names = [record["port"] for record in record_columns.load(session, run.id, "port")]
    return Topology(layout, port_links(layout, names, flows), _paths(flows))


def _paths(flows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    return {
        str(flow["flow"]): [hop_port(hop) for hop in flow["path"]]
        for flow in flows
        if flow.get("path")
    }
