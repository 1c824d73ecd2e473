"""Schemas of a run's topology."""

from __future__ import annotations

from pydantic import Field

from windtunnel_api.schemas import Wire


class TopologyNodeOut(Wire):
    name: str
    tier: str


class TopologyLinkOut(Wire):
    """A link from a node to one in another tier, with the port that sends in each direction."""

    from_: str = Field(alias="from")
    to: str
    port_up: str | None = Field(description="Port of `from`; null if it is not known.")
    port_down: str | None = Field(description="Port of `to`; null if it is not known.")


class TopologyOut(Wire):
    """Nodes and links of a run's topology; all are empty if the simulator describes no layout."""

    tiers: list[str] = Field(description="From the hosts up.")
    nodes: list[TopologyNodeOut]
    links: list[TopologyLinkOut]
    paths: dict[str, list[str]] = Field(description="Ports on the path of each flow, by flow.")
