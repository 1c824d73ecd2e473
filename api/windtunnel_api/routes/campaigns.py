"""Routes for campaigns: submit, show, keep, cancel, resume, extend, delete and compare."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response, status
from sqlalchemy.orm import Session

from windtunnel.comparison import power_note
from windtunnel.errors import NotFoundError
from windtunnel.labels import label_texts
from windtunnel.plan import Plan
from windtunnel.quotas import Quotas
from windtunnel.run import RunState
from windtunnel.spec.designs import outline_of
from windtunnel.spec.gates import other_campaigns
from windtunnel.store import (
    campaigns,
    cancellation,
    claims,
    coordinates,
    deletion,
    growth,
    prediction,
    retention,
    submission,
    webhooks,
)
from windtunnel.store.audit import Actor
from windtunnel.store.labels import find_reference
from windtunnel.store.tables import Campaign
from windtunnel.store.tokens import Bearer
from windtunnel_api.authorization import READ, SUBMIT, CurrentActor, Submitter
from windtunnel_api.baselines import BaselineView, chosen_baseline
from windtunnel_api.body import JSON_BODY, PlannedBody, openapi_body
from windtunnel_api.campaign_schemas import (
    CampaignDetail,
    CampaignOut,
    CampaignPatch,
    DesignOut,
    PlannedCell,
    PlanOut,
    ReplicationsIn,
    StorageOut,
    SubmittedOut,
    WebhookOut,
)
from windtunnel_api.comparison_schemas import ComparisonOut
from windtunnel_api.comparisons import View
from windtunnel_api.dependencies import (
    CurrentComparisons,
    CurrentDatabase,
    CurrentQueue,
    CurrentSettings,
    CurrentWakeup,
    ReadSession,
)
from windtunnel_api.labels import QueryLabels, SupersedeLabels, labelled, superseding
from windtunnel_api.notifications import check_notify
from windtunnel_api.ownership import check_owner
from windtunnel_api.schemas import FamilyOut, LintOut, SimulatorBuildOut

router = APIRouter(prefix="/campaigns", tags=["campaigns"])


@router.post(
    "",
    dependencies=SUBMIT,
    status_code=status.HTTP_202_ACCEPTED,
    openapi_extra=openapi_body("name", "scenario"),
    responses={200: {"model": PlanOut, "description": "Dry run: the plan and its cost."}},
    response_model=SubmittedOut,
)
def submit(
    labels: QueryLabels,
    file: PlannedBody,
    settings: CurrentSettings,
    database: CurrentDatabase,
    wakeup: CurrentWakeup,
    response: Response,
    submitter: Submitter,
    actor: CurrentActor,
    dry_run: bool = False,
    keep: bool = False,
    supersede: SupersedeLabels = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> SubmittedOut | Response:
    """Submit a campaign file and queue its runs, or with ``dry_run`` only return the plan.

    With ``keep``, retention never touches its runs. Labels of the query are added to the file's and
    win over them. They are part of the request, as ``supersede`` is: an Idempotency-Key can't be
    used again with others.
    """
    plan = labelled(file.plan, labels)
    by = superseding(plan, supersede or ())
    check_notify(plan, settings)
    with database.transaction() as session:
        cost = prediction.predict(session, plan)
        if dry_run:
            return _planned(session, plan, cost)
        parts = (file.file.content, *(text.encode() for text in (*label_texts(labels), *by)))
        digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
        submitted = submission.submit(
            session,
            plan,
            cost,
            digest,
            idempotency_key,
            submitter.name,
            settings.quotas,
            keep,
            by,
            file.file,
        )
        if submitted.created:
            _record_submission(session, actor, plan, submitted, keep)
    with database.transaction() as session:
        submission.analyze_tables(session, plan.run_count)
    with database.transaction() as session:
        wakeup.notify(claims.startable_runs(session))
        campaign = campaigns.find_campaign(session, submitted.campaign_id)
        content = _campaign_out(session, campaign, settings.quotas)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return SubmittedOut(**content.model_dump(), superseded=list(submitted.superseded))


def _record_submission(
    session: Session, actor: Actor, plan: Plan, submitted: submission.Submitted, keep: bool
) -> None:
    name, new = plan.campaign.name, submitted.campaign_id
    actor.record(session, "campaign.submit", new, name=name, **({"keep": True} if keep else {}))
    for older in submitted.superseded:
        actor.record(session, "campaign.cancel", older, name=name, superseded_by=new)


def _planned(session: Session, plan: Plan, cost: prediction.Prediction) -> Response:
    states = growth.states_of(session, [run for _, _, run in plan.runs()])
    new = prediction.new_cpu_seconds(plan, cost, states)
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
        design=_design_out(plan),
        replications=plan.campaign.replications,
        default_metrics=list(plan.default_metrics),
        family=FamilyOut.model_validate(plan.family),
        power=power_note(plan.family, plan.campaign.replications),
        gates=len(plan.campaign.analysis.gates),
        references=list(other_campaigns(plan.campaign.analysis.gates)),
        total_runs=plan.run_count,
        reused_runs=sum(state is RunState.SUCCEEDED for state in states.values()),
        predicted_events=cost.events,
        predicted_cpu_seconds=cost.cpu_seconds,
        predicted_wall_seconds=prediction.wall_seconds(session, new),
        calibrated=cost.calibrated,
        lints=[LintOut.model_validate(lint) for lint in plan.lints],
    )
    return Response(content.model_dump_json(), media_type="application/json")


def _design_out(plan: Plan) -> DesignOut | None:
    design = plan.campaign.design
    return DesignOut.model_validate(design.outline()) if design else None


@router.get("/{campaign_id}", dependencies=READ)
def show(
    session: ReadSession, settings: CurrentSettings, queue: CurrentQueue, campaign_id: str
) -> CampaignDetail:
    """Show one campaign, including the submitted document."""
    campaign = campaigns.find_campaign(session, campaign_id)
    progress = campaigns.campaign_status(session, campaign)
    content = _campaign_out(session, campaign, settings.quotas, progress)
    last = webhooks.last_delivery(session, campaign)
    left = None
    if not content.ended and not content.note:  # a note says what it waits for
        left = prediction.wall_seconds_left(session, campaign, progress, queue.get(session))
    return CampaignDetail(
        **content.model_dump(),
        document=campaign.document,
        axes=coordinates.axis_names(campaign),
        design=DesignOut.model_validate(outline_of(campaign.design)) if campaign.design else None,
        default_metrics=campaign.default_metrics,
        storage=StorageOut.model_validate(campaigns.storage(session, campaign)),
        predicted_wall_seconds_left=left,
        webhook=WebhookOut.model_validate(last) if last else None,
    )


@router.patch("/{campaign_id}", dependencies=[*SUBMIT, *JSON_BODY])
def change(
    database: CurrentDatabase,
    settings: CurrentSettings,
    actor: CurrentActor,
    campaign_id: str,
    body: CampaignPatch,
    submitter: Submitter,
) -> CampaignOut:
    """Keep a campaign of one's own, any with scope admin: retention never touches its runs.

    With ``keep`` false, retention applies again.
    """
    with database.transaction() as session:
        campaign = _own_campaign(session, campaign_id, submitter)
        retention.set_keep(session, campaign, body.keep)
        actor.record(session, "campaign.keep", campaign.id, name=campaign.name, keep=body.keep)
    return _reload(database, campaign.id, settings.quotas)


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
        cancellation.cancel(session, campaign.id)
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
    incomplete: bool = False,
    against: Annotated[str | None, Query(min_length=1, max_length=2000)] = None,
    baseline: BaselineView = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Compare a campaign's cells over their finished seeds with the baseline.

    With ``against`` each cell is compared with the matching one of another campaign, given by its
    id or as `label:branch=main`: the newest complete campaign of the same name with that label.
    With ``baseline`` differences are to that one instead of the declared one, without verdicts,
    which hold for the declared one only.

    Shows the named metrics; otherwise the default metrics if ``default`` is true, else all metrics
    that its runs have. Verdicts do not depend on which metrics are shown. With ``incomplete``,
    cells that lack some planned values get a verdict on those that they have.
    """
    campaign = campaigns.find_campaign(session, campaign_id)
    chosen = chosen_baseline(campaign, baseline, against)
    shown = View(tuple(metric or ()), default, incomplete, chosen)
    if against is not None:
        reference = find_reference(session, campaign, against)
        return comparisons.across(session, campaign, reference, shown).response(if_none_match)
    return comparisons.get(session, campaign, shown).response(if_none_match)


def _own_campaign(session: Session, campaign_id: str, submitter: Bearer) -> Campaign:
    """A campaign that the submitter may change. Raises NotFoundError or ForbiddenError."""
    campaign = campaigns.find_campaign(session, campaign_id)
    check_owner(submitter, campaign.submitted_by, f"campaign {campaign.id}")
    return campaign


def _reload(database: CurrentDatabase, campaign_id: str, quotas: Quotas) -> CampaignOut:
    with database.transaction() as session:
        return _campaign_out(session, campaigns.find_campaign(session, campaign_id), quotas)


def _campaign_out(
    session: Session,
    campaign: Campaign,
    quotas: Quotas,
    progress: campaigns.CampaignStatus | None = None,
) -> CampaignOut:
    """``progress``: the campaign's status, if it is known already."""
    content = CampaignOut.model_validate(progress or campaigns.campaign_status(session, campaign))
    if not content.ended:
        content.note = campaigns.blocked_reason(session, campaign, quotas)
    return content


def campaign_or_none(session: Session, campaign_id: str, quotas: Quotas) -> CampaignOut | None:
    """A campaign, or None if it was deleted; for streams, which can't respond 404."""
    try:
        return _campaign_out(session, campaigns.find_campaign(session, campaign_id), quotas)
    except NotFoundError:
        return None
