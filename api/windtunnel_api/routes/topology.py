"""Route for a run's topology."""

from __future__ import annotations

from fastapi import APIRouter

from windtunnel.store.campaigns import find_run
from windtunnel.store.topologies import topology_of
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import ReadSession
from windtunnel_api.topology_schemas import TopologyLinkOut, TopologyNodeOut, TopologyOut

router = APIRouter(tags=["runs"])


@router.get("/runs/{run_id}/topology", dependencies=READ)
def show(session: ReadSession, run_id: str) -> TopologyOut:
    """Show nodes and links of a run's topology, with the ports of its records."""
    topology = topology_of(session, find_run(session, run_id))
    if topology is None:
        return TopologyOut(tiers=[], nodes=[], links=[], paths={})
    layout, ports = topology.layout, topology.ports
    return TopologyOut(
        tiers=list(layout.tiers),
        nodes=[
            TopologyNodeOut(name=name, tier=tier)
            for tier, names in layout.tiers.items()
            for name in names
        ],
        links=[
            TopologyLinkOut.model_validate(
                {
                    "from": lower,
                    "to": upper,
                    "port_up": ports.get((lower, upper)),
                    "port_down": ports.get((upper, lower)),
                }
            )
            for lower, upper in layout.links
        ],
        paths={flow: list(path) for flow, path in topology.paths.items()},
    )
