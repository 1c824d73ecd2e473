"""Routes for campaigns: submit, list, show, cancel, resume, extend, delete and compare."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response, status
from pydantic import Field, TypeAdapter
from sqlalchemy.orm import Session

from windtunnel.errors import NotFoundError
from windtunnel.plan import Plan
from windtunnel.quotas import Quotas
from windtunnel.run import RunState
from windtunnel.store import (
    campaigns,
    claims,
    coordinates,
    deletion,
    growth,
    prediction,
    submission,
)
from windtunnel.store.tables import Campaign
from windtunnel.store.tokens import Bearer
from windtunnel_api.authorization import READ, SUBMIT, CurrentActor, Submitter
from windtunnel_api.body import JSON_BODY, OPENAPI_BODY, PlannedBody
from windtunnel_api.dependencies import (
    CurrentComparisons,
    CurrentDatabase,
    CurrentSettings,
    CurrentWakeup,
    Limit,
    ReadSession,
    creation_cursor,
    decode_creation_cursor,
    decode_cursor,
    encode_cursor,
)
from windtunnel_api.ownership import check_owner
from windtunnel_api.schemas import (
    CampaignDetail,
    CampaignOut,
    CampaignPage,
    ComparisonOut,
    LintOut,
    PlannedCell,
    PlanOut,
    ReplicationsIn,
    RunPage,
    RunRow,
    SimulatorBuildOut,
)

router = APIRouter(prefix="/campaigns", tags=["campaigns"])

_Index = Annotated[int, Field(ge=0, lt=2**31)]
_RUN_CURSOR = TypeAdapter(tuple[_Index, _Index])


@router.post(
    "",
    dependencies=SUBMIT,
    status_code=status.HTTP_202_ACCEPTED,
    openapi_extra=OPENAPI_BODY,
    responses={200: {"model": PlanOut, "description": "Dry run: the plan and its cost."}},
    response_model=CampaignOut,
)
def submit(
    file: PlannedBody,
    settings: CurrentSettings,
    database: CurrentDatabase,
    wakeup: CurrentWakeup,
    response: Response,
    submitter: Submitter,
    actor: CurrentActor,
    dry_run: bool = False,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> CampaignOut | Response:
    """Submit a campaign file and queue its runs, or with ``dry_run`` only return the plan."""
    plan = file.plan
    with database.transaction() as session:
        cost = prediction.predict(session, plan)
        if dry_run:
            return _planned(session, plan, cost)
        digest = hashlib.sha256(file.raw).hexdigest()
        campaign_id, created = submission.submit(
            session, plan, cost, digest, idempotency_key, submitter.name, settings.quotas
        )
        if created:
            actor.record(session, "campaign.submit", campaign_id, name=plan.campaign.name)
    with database.transaction() as session:
        submission.analyze_tables(session, plan.run_count)
    with database.transaction() as session:
        wakeup.notify(claims.startable_runs(session))
        submitted = campaigns.find_campaign(session, campaign_id)
        content = _campaign_out(session, submitted, settings.quotas)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign_id}"
    return content


def _planned(session: Session, plan: Plan, cost: prediction.Prediction) -> Response:
    content = PlanOut(
        name=plan.campaign.name,
        simulators=[
            SimulatorBuildOut(name=simulator.name, digest=simulator.digest)
            for simulator in plan.simulators
        ],
        cells=[
            PlannedCell(
                index=cell.index,
                coordinates=dict(cell.coordinates),
                simulator=SimulatorBuildOut(name=cell.simulator.name, digest=cell.simulator.digest),
                digest=cell.digest,
                cpu_seconds=cpu_seconds,
            )
            for cell, cpu_seconds in zip(plan.cells, cost.cell_cpu_seconds, strict=True)
        ],
        replications=plan.campaign.replications,
        default_metrics=list(plan.default_metrics),
        total_runs=plan.run_count,
        reused_runs=growth.count_succeeded(session, [run for _, _, run in plan.runs()]),
        predicted_events=cost.events,
        predicted_cpu_seconds=cost.cpu_seconds,
        calibrated=cost.calibrated,
        lints=[LintOut.model_validate(lint) for lint in plan.lints],
    )
    return Response(content.model_dump_json(), media_type="application/json")


@router.get("", dependencies=READ)
def list_campaigns(
    session: ReadSession, limit: Limit = 50, cursor: str | None = None
) -> CampaignPage:
    """List campaigns, newest first."""
    statuses = campaigns.list_campaigns(session, limit + 1, decode_creation_cursor(cursor))
    page = [CampaignOut.model_validate(campaign_status) for campaign_status in statuses[:limit]]
    return CampaignPage(
        campaigns=page, next_cursor=creation_cursor(page) if len(statuses) > limit else None
    )


@router.get("/{campaign_id}", dependencies=READ)
def show(session: ReadSession, settings: CurrentSettings, campaign_id: str) -> CampaignDetail:
    """Show one campaign, including the submitted document."""
    campaign = campaigns.find_campaign(session, campaign_id)
    return CampaignDetail(
        **_campaign_out(session, campaign, settings.quotas).model_dump(),
        document=campaign.document,
        axes=coordinates.axis_names(campaign),
    )


@router.post("/{campaign_id}/cancel", dependencies=SUBMIT)
def cancel(
    database: CurrentDatabase,
    settings: CurrentSettings,
    actor: CurrentActor,
    campaign_id: str,
    submitter: Submitter,
) -> CampaignOut:
    """Cancel a campaign of one's own; any with scope admin.

    Runs shared with another active campaign continue.
    """
    with database.transaction() as session:
        campaign = _own_campaign(session, campaign_id, submitter)
        submission.cancel(session, campaign.id)
        actor.record(session, "campaign.cancel", campaign.id, name=campaign.name)
    return _reload(database, campaign.id, settings.quotas)


@router.post("/{campaign_id}/resume", dependencies=SUBMIT)
def resume(
    database: CurrentDatabase,
    settings: CurrentSettings,
    wakeup: CurrentWakeup,
    actor: CurrentActor,
    campaign_id: str,
    submitter: Submitter,
) -> CampaignOut:
    """Resume a campaign of one's own, any with scope admin.

    Its failed and cancelled runs are requeued.
    """
    with database.transaction() as session:
        campaign = _own_campaign(session, campaign_id, submitter)
        submission.resume(session, campaign.id, settings.quotas)
        actor.record(session, "campaign.resume", campaign.id, name=campaign.name)
    with database.transaction() as session:
        wakeup.notify(claims.startable_runs(session))
    return _reload(database, campaign.id, settings.quotas)


@router.post(
    "/{campaign_id}/replications",
    dependencies=[*SUBMIT, *JSON_BODY],
    status_code=status.HTTP_202_ACCEPTED,
)
def extend(
    database: CurrentDatabase,
    settings: CurrentSettings,
    wakeup: CurrentWakeup,
    actor: CurrentActor,
    campaign_id: str,
    body: ReplicationsIn,
    submitter: Submitter,
) -> CampaignOut:
    """Add seeds to every cell up to the requested number. Only new runs are computed.

    The campaign must be one's own, unless the scope is admin. Idempotent: repeating the request
    has no effect.
    """
    with database.transaction() as session:
        campaign = _own_campaign(session, campaign_id, submitter)
        submission.extend(
            session, campaign.id, body.replications, settings.max_runs, settings.quotas
        )
        actor.record(
            session,
            "campaign.extend",
            campaign.id,
            name=campaign.name,
            replications=body.replications,
        )
    with database.transaction() as session:
        extended = campaigns.find_campaign(session, campaign.id)
        submission.analyze_tables(session, campaigns.campaign_status(session, extended).total_runs)
    with database.transaction() as session:
        wakeup.notify(claims.startable_runs(session))
    return _reload(database, campaign.id, settings.quotas)


@router.delete("/{campaign_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=SUBMIT)
def delete(
    database: CurrentDatabase, actor: CurrentActor, campaign_id: str, submitter: Submitter
) -> None:
    """Delete a campaign of one's own, any with scope admin.

    All runs and results that no other campaign uses are deleted with it.
    """
    with database.transaction() as session:
        campaign = _own_campaign(session, campaign_id, submitter)
        deletion.delete_campaign(session, campaign.id)
        actor.record(session, "campaign.delete", campaign.id, name=campaign.name)


@router.get("/{campaign_id}/runs", dependencies=READ)
def list_runs(
    session: ReadSession,
    campaign_id: str,
    limit: Limit = 100,
    cursor: str | None = None,
    state: RunState | None = None,
) -> RunPage:
    """List a campaign's runs, ordered by seed index and cell."""
    campaign = campaigns.find_campaign(session, campaign_id)
    after = decode_cursor(cursor, _RUN_CURSOR) if cursor else None
    runs = campaigns.campaign_runs(session, campaign, limit + 1, after, state)
    rows = [
        RunRow(
            cell_index=run.cell_index,
            coordinates=dict(run.coordinates),
            **{
                name: getattr(run.run, name)
                for name in RunRow.model_fields
                if name not in ("cell_index", "coordinates")
            },
        )
        for run in runs[:limit]
    ]
    has_more = len(runs) > limit
    end = encode_cursor([rows[-1].seed_index, rows[-1].cell_index]) if has_more else None
    return RunPage(runs=rows, next_cursor=end)


@router.get(
    "/{campaign_id}/comparison",
    dependencies=READ,
    response_model=ComparisonOut,
    responses={304: {"description": "Unchanged."}},
)
def comparison(
    session: ReadSession,
    comparisons: CurrentComparisons,
    campaign_id: str,
    metric: Annotated[list[str] | None, Query()] = None,
    default: bool = False,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Compare a campaign's cells over their finished seeds with the baseline.

    Shows the named metrics; otherwise the default metrics if ``default`` is true, else all metrics
    that its runs have.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    return comparisons.get(session, campaign, metric or [], default).response(if_none_match)


def _own_campaign(session: Session, campaign_id: str, submitter: Bearer) -> Campaign:
    """A campaign that the submitter may change. Raises NotFoundError or ForbiddenError."""
    campaign = campaigns.find_campaign(session, campaign_id)
    check_owner(submitter, campaign.submitted_by, f"campaign {campaign.id}")
    return campaign


def _reload(database: CurrentDatabase, campaign_id: str, quotas: Quotas) -> CampaignOut:
    with database.transaction() as session:
        return _campaign_out(session, campaigns.find_campaign(session, campaign_id), quotas)


def _campaign_out(session: Session, campaign: Campaign, quotas: Quotas) -> CampaignOut:
    content = CampaignOut.model_validate(campaigns.campaign_status(session, campaign))
    if not content.ended:
        content.note = campaigns.blocked_reason(session, campaign, quotas)
    return content


def campaign_or_none(session: Session, campaign_id: str, quotas: Quotas) -> CampaignOut | None:
    """A campaign, or None if it was deleted; for streams, which can't respond 404."""
    try:
        return _campaign_out(session, campaigns.find_campaign(session, campaign_id), quotas)
    except NotFoundError:
        return None
