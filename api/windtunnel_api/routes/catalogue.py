"""What can be simulated."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from windtunnel.spec.campaign import campaign_schema
from windtunnel.store import simulators
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import Reading
from windtunnel_api.schemas import Catalogue, MetricInfo, SimulatorInfo

router = APIRouter(tags=["catalogue"])


@router.get("/catalogue", dependencies=READ)
def catalogue(session: Reading) -> Catalogue:
    """Every simulator's newest build: algorithms, topologies, workloads, metrics."""
    return Catalogue(
        simulators=[
            SimulatorInfo(
                name=one.name,
                title=one.title,
                engine=one.engine,
                digest=one.digest,
                metrics=[MetricInfo.model_validate(metric) for metric in one.metrics],
                scenario=dict(one.scenario_schema),
            )
            for one in simulators.newest_simulators(session)
        ]
    )


@router.get("/schema", dependencies=READ)
def schema(session: Reading, simulator: str = "ns3") -> dict[str, Any]:
    """JSON Schema of a campaign file, for editors."""
    return campaign_schema(simulators.find_simulator(session, simulator).scenario_schema)
