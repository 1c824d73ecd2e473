"""Routes for single runs: results, series, records and logs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from windtunnel.store import campaigns, record_columns, results, runs
from windtunnel.store.campaigns import find_run
from windtunnel.store.controller import campaigns_of
from windtunnel.store.series_codec import decompress, unpack_preview
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import CurrentSettings, ReadSession
from windtunnel_api.etags import Tagged
from windtunnel_api.schemas import (
    AttemptLog,
    AttemptOut,
    CheckOut,
    FlowsOut,
    LogOut,
    MetricOut,
    PortsOut,
    RunOut,
    SeriesInfo,
    SeriesOut,
)

router = APIRouter(tags=["runs"])


@router.get(
    "/runs/{run_id}",
    dependencies=READ,
    response_model=RunOut,
    responses={304: {"description": "Unchanged."}},
)
def show(
    session: ReadSession,
    settings: CurrentSettings,
    run_id: str,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Show one run. The response has an ETag."""
    run = find_run(session, run_id)
    note = campaigns.blocked_reason(session, run, settings.quotas)
    started = run.started or {}
    campaign_ids = list(campaigns_of(session, [run.id]))
    title_of = results.metric_titles(session, campaign_ids)
    fields = {
        name: getattr(run, name)
        for name in RunOut.model_fields
        if hasattr(run, name) and name not in ("campaigns", "spec", "note", "metadata")
    }
    content = RunOut(
        **fields,
        note=note,
        campaigns=campaign_ids,
        metadata=run.run_metadata,
        spec=runs.run_spec(session, run),
        configuration=started.get("configuration"),
        metrics=[
            MetricOut(
                name=metric.name, title=title_of(metric.name), value=metric.value, unit=metric.unit
            )
            for metric in runs.metrics(session, run.id)
        ],
        checks=[CheckOut.model_validate(row) for row in runs.checks(session, run.id)],
        series=[SeriesInfo.model_validate(row) for row in runs.series_list(session, run.id)],
        attempts=[AttemptOut.model_validate(row) for row in runs.attempts(session, run.id)],
    )
    return Tagged.of(content.model_dump_json().encode()).response(if_none_match)


@router.get("/runs/{run_id}/series/{name:path}", dependencies=READ)
def series(
    session: ReadSession, run_id: str, name: str, full: Annotated[bool, Query()] = False
) -> SeriesOut:
    """Return a time series: a preview with each bucket's extremes, or with ``full`` all values."""
    row = runs.series(session, find_run(session, run_id).id, name)
    if full:
        values = decompress(row.data)
        indices = list(range(len(values)))
    else:
        preview_indices, values = unpack_preview(row.preview)
        indices = preview_indices.tolist()
    return SeriesOut(
        **SeriesInfo.model_validate(row).model_dump(),
        times_ns=[row.first_ns + int(index) * row.step_ns for index in indices],
        values=values.tolist(),
        preview=len(values) < row.length,
    )


@router.get("/runs/{run_id}/flows", dependencies=READ)
def flows(session: ReadSession, run_id: str) -> FlowsOut:
    """List a run's flow records."""
    return FlowsOut(flows=record_columns.load(session, find_run(session, run_id).id, "flow"))


@router.get("/runs/{run_id}/ports", dependencies=READ)
def ports(session: ReadSession, run_id: str) -> PortsOut:
    """List a run's port records (drops, utilization, queue length), one per port with traffic."""
    return PortsOut(ports=record_columns.load(session, find_run(session, run_id).id, "port"))


@router.get("/runs/{run_id}/log", dependencies=READ)
def log(session: ReadSession, run_id: str) -> LogOut:
    """List a run's attempts with the last 64 KiB of the simulator's stderr."""
    rows = runs.attempts(session, find_run(session, run_id).id)
    return LogOut(attempts=[AttemptLog.model_validate(row) for row in rows])
