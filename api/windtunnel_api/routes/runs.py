"""Routes for single runs: results, series, records and logs."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Header, Query, Response

from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.spec.description import Metric
from windtunnel.store import campaigns, record_columns, results, runs
from windtunnel.store.campaigns import find_run
from windtunnel.store.controller import campaigns_of
from windtunnel.store.series_codec import (
    PREVIEW_POINTS,
    decompress,
    preview_indices,
    unpack_preview,
)
from windtunnel.store.tables import MetricRow, SeriesRow
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import CurrentSettings, ReadSession
from windtunnel_api.etags import Tagged
from windtunnel_api.run_schemas import (
    AttemptLog,
    AttemptOut,
    CheckOut,
    FlowsOut,
    LogOut,
    MetricOut,
    PacketDelayOut,
    PacketDelaysOut,
    PortsOut,
    RunOut,
    SeriesInfo,
    SeriesOut,
    SiblingsOut,
)

router = APIRouter(tags=["runs"])

_MAX_SIBLINGS = 500


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
    definition_of = results.metric_finder(session, campaign_ids)
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
            _metric_out(metric, definition_of(metric.name))
            for metric in runs.metrics(session, run.id)
        ],
        checks=[CheckOut.model_validate(row) for row in runs.checks(session, run.id)],
        series=[SeriesInfo.model_validate(row) for row in runs.series_list(session, run.id)],
        attempts=[AttemptOut.model_validate(row) for row in runs.attempts(session, run.id)],
    )
    return Tagged.of(content.model_dump_json().encode()).response(if_none_match)


@router.get("/runs/{run_id}/series/{name:path}", dependencies=READ)
def series(
    session: ReadSession,
    run_id: str,
    name: str,
    full: Annotated[bool, Query()] = False,
    from_ns: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    to_ns: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    points: Annotated[int, Query(ge=2, le=20_000)] = PREVIEW_POINTS,
) -> SeriesOut:
    """Return a time series: at most ``points`` values, or with ``full`` all values.

    A series with more values is divided into buckets, each with its minimum and maximum in the
    order of time. ``from_ns`` and ``to_ns`` limit the range, inclusively, to show it in more
    detail. 410 if the run's series were pruned.
    """
    if from_ns is not None and to_ns is not None and from_ns > to_ns:
        message = f"{from_ns} is after to_ns={to_ns}; the range must not be empty"
        raise InvalidRequestError([Problem("query.from_ns", message)])
    row = runs.series(session, find_run(session, run_id), name)
    first, end = _range(row, from_ns, to_ns)
    if not full and points == PREVIEW_POINTS and end - first == row.length:
        indices, values = unpack_preview(row.preview)
    else:
        values = decompress(row.data)[first:end]
        indices = np.arange(len(values)) if full else preview_indices(values, points)
        values = values[indices]
        indices = indices + first
    return SeriesOut(
        **SeriesInfo.model_validate(row).model_dump(),
        times_ns=[row.first_ns + index * row.step_ns for index in indices.tolist()],
        values=values.tolist(),
        preview=len(values) < end - first,
    )


def _range(row: SeriesRow, from_ns: int | None, to_ns: int | None) -> tuple[int, int]:
    """Indices of the first value of a range and of the one after its last."""
    step = max(row.step_ns, 1)
    first = 0 if from_ns is None else -((row.first_ns - from_ns) // step)
    end = row.length if to_ns is None else (to_ns - row.first_ns) // step + 1
    first = min(max(first, 0), row.length)
    return first, min(max(end, first), row.length)


@router.get("/runs/{run_id}/siblings", dependencies=READ)
def siblings(
    session: ReadSession,
    run_id: str,
    campaign: Annotated[str | None, Query(max_length=64)] = None,
) -> SiblingsOut:
    """Show a run's place in a campaign, and the campaign's other runs with the same seed.

    Without ``campaign``, in the newest campaign that contains the run; 404 if none does.
    """
    run = find_run(session, run_id)
    chosen = campaigns.find_campaign(session, campaign).id if campaign is not None else None
    return SiblingsOut.model_validate(runs.siblings(session, run, chosen, _MAX_SIBLINGS))


@router.get("/runs/{run_id}/flows", dependencies=READ)
def flows(session: ReadSession, run_id: str) -> FlowsOut:
    """List a run's flow records."""
    return FlowsOut(flows=record_columns.load(session, find_run(session, run_id).id, "flow"))


@router.get("/runs/{run_id}/ports", dependencies=READ)
def ports(session: ReadSession, run_id: str) -> PortsOut:
    """List a run's port records (drops, utilization, queue length), one per port with traffic."""
    return PortsOut(ports=record_columns.load(session, find_run(session, run_id).id, "port"))


@router.get("/runs/{run_id}/packet-delays", dependencies=READ)
def packet_delays(session: ReadSession, run_id: str) -> PacketDelaysOut:
    """List how many data packets had which one-way delay."""
    records = record_columns.load(session, find_run(session, run_id).id, "packet_delay")
    return PacketDelaysOut(packet_delays=[PacketDelayOut(**record) for record in records])


@router.get("/runs/{run_id}/log", dependencies=READ)
def log(session: ReadSession, run_id: str) -> LogOut:
    """List a run's attempts with the last 64 KiB of the simulator's stderr."""
    run = find_run(session, run_id)
    rows = runs.attempts(session, run.id)
    attempts = [AttemptLog.model_validate(row) for row in rows]
    return LogOut(pruned_at=run.log_pruned_at, attempts=attempts)


def _metric_out(row: MetricRow, definition: Metric | None) -> MetricOut:
    """A metric without a definition has its name as title."""
    return MetricOut(
        name=row.name,
        title=definition.title if definition else row.name,
        value=row.value,
        unit=row.unit,
        group=definition.group if definition else None,
        direction=definition.direction if definition else None,  # type: ignore[arg-type]
        definition=definition.definition if definition else None,
    )
