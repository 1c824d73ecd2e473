"""Routes for what campaign files are written with: simulators, the schema, templates."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from windtunnel import templates
from windtunnel.spec.campaign import campaign_schema
from windtunnel.store import simulators
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import CurrentSettings, ReadSession
from windtunnel_api.schemas import MetricInfo
from windtunnel_api.service_schemas import Catalogue, SimulatorInfo, TemplateOut, TemplatesOut

router = APIRouter(tags=["catalogue"])


@router.get("/catalogue", dependencies=READ)
def catalogue(session: ReadSession) -> Catalogue:
    """List the newest build of every simulator with algorithms, topologies, workloads, metrics."""
    return Catalogue(
        simulators=[
            SimulatorInfo(
                name=description.name,
                title=description.title,
                engine=description.engine,
                digest=description.digest,
                metrics=[MetricInfo.model_validate(metric) for metric in description.metrics],
                scenario=dict(description.scenario_schema),
            )
            for description in simulators.newest_simulators(session)
        ]
    )


@router.get("/schema", dependencies=READ)
def schema(session: ReadSession, simulator: str = "ns3") -> dict[str, Any]:
    """Return the JSON Schema of campaign files, for editors."""
    return campaign_schema(simulators.find_simulator(session, simulator).scenario_schema)


@router.get("/templates", dependencies=READ)
def list_templates(settings: CurrentSettings) -> TemplatesOut:
    """List campaign files to start from: examples and reproductions of papers."""
    return TemplatesOut(
        templates=[TemplateOut.model_validate(template) for template in templates.templates()],
        max_bytes=settings.max_body_bytes,
    )
