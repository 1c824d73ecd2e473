"""Routes for gates: evaluate those of a campaign, or others on its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session

from windtunnel.spec.gates import Gate, check_gates, read_gates_file
from windtunnel.store import campaigns, coordinates, results
from windtunnel.store.gates import evaluate_gates
from windtunnel.store.labels import find_reference
from windtunnel.store.tables import Campaign
from windtunnel_api.authorization import READ
from windtunnel_api.body import GatesBody, openapi_body
from windtunnel_api.dependencies import CurrentSettings, ReadSession
from windtunnel_api.gate_schemas import GatesOut

router = APIRouter(prefix="/campaigns", tags=["gates"])

_Against = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=2000,
        description="Another campaign, its id or `label:branch=main`: takes the place of the "
        "baseline, or of the campaign that gates name.",
    ),
]


@router.get("/{campaign_id}/gates", dependencies=READ)
def stored_gates(
    session: ReadSession, settings: CurrentSettings, campaign_id: str, against: _Against = None
) -> GatesOut:
    """Evaluate the gates that the campaign was submitted with."""
    campaign = campaigns.find_campaign(session, campaign_id)
    gates = _redirected(session, campaign, results.design_of(campaign).analysis.gates, against)
    report = evaluate_gates(session, campaign, gates, settings.max_runs, against is not None)
    return GatesOut.of(report)


@router.post("/{campaign_id}/gates", dependencies=READ, openapi_extra=openapi_body("gates"))
def other_gates(
    session: ReadSession,
    settings: CurrentSettings,
    campaign_id: str,
    document: GatesBody,
    against: _Against = None,
) -> GatesOut:
    """Evaluate the gates in the body, a file with the field ``gates``. Stores nothing."""
    campaign = campaigns.find_campaign(session, campaign_id)
    gates = _redirected(session, campaign, read_gates_file(document), against)
    design = results.design_of(campaign)
    axes = coordinates.axis_labels(campaign)
    grows = design.analysis.stopping is not None
    sample = coordinates.sample_of(campaign)
    problems = check_gates(gates, design.metrics, axes, design.baseline, grows, sample)
    if problems:
        raise document.error(problems)
    report = evaluate_gates(session, campaign, gates, settings.max_runs, against is not None)
    return GatesOut.of(report)


def _redirected(
    session: Session, campaign: Campaign, gates: Sequence[Gate], against: str | None
) -> Sequence[Gate]:
    """Raises NotFoundError or InvalidRequestError if ``against`` names no other campaign."""
    if against is None:
        return gates
    find_reference(session, campaign, against)
    return [gate.redirected(against) for gate in gates]
