"""What submitters use: open runs, CPU hours and storage; and what they may.

CPU hours are charged by a trigger whenever an execution ends (migration 0011), so that nothing is
lost with a deleted campaign, in the time of its end. They are kept for a day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, func, select, text, true, union_all
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.errors import QuotaExceededError
from windtunnel.quotas import NAMES, Quotas
from windtunnel.run import RunState
from windtunnel.store import locks
from windtunnel.store.leases import LEASED
from windtunnel.store.tables import (
    OPEN_VERIFICATION,
    Campaign,
    CampaignRun,
    CpuUse,
    Run,
    Submitter,
    Token,
    Verification,
)

_CHUNK = 2000
_DAY = text("interval '24 hours'")
_ACTIVE = Campaign.state.in_([CampaignState.PLANNED, CampaignState.RUNNING])

# One row for every ten minutes of a submitter once they are over.
_COMPACT = text("""
WITH old AS (
    DELETE FROM cpu_use WHERE ended_at < date_bin('10 minutes', now(), 'epoch')
        AND (ended_at < now() - interval '25 hours'
            OR ended_at <> date_bin('10 minutes', ended_at, 'epoch'))
    RETURNING submitter, date_bin('10 minutes', ended_at, 'epoch') AS ended_at, cpu_seconds
)
INSERT INTO cpu_use (submitter, ended_at, cpu_seconds)
SELECT submitter, ended_at, sum(cpu_seconds) FROM old
WHERE ended_at >= now() - interval '25 hours' GROUP BY submitter, ended_at
""")

# Compressed series and records and the logs; rows of metrics and checks by their own size.
_MEASURE = text("""
UPDATE run SET series_bytes = parts.series, log_bytes = parts.log,
    stored_bytes = parts.series + parts.log + parts.results
FROM (SELECT
    (SELECT coalesce(sum(pg_column_size(data) + pg_column_size(preview)), 0)
        FROM series WHERE run_id = :run_id) AS series,
    (SELECT coalesce(sum(pg_column_size(stderr))
        FILTER (WHERE stderr <> ''), 0) FROM attempt WHERE run_id = :run_id) AS log,
    (SELECT coalesce(sum(coalesce(pg_column_size(integers), 0)
            + coalesce(pg_column_size(numbers), 0) + coalesce(pg_column_size(booleans), 0)
            + coalesce(pg_column_size(texts), 0)), 0)
        FROM record_column WHERE run_id = :run_id)
    + (SELECT coalesce(sum(pg_column_size(metric.*)), 0) FROM metric WHERE run_id = :run_id)
    + (SELECT coalesce(sum(pg_column_size(run_check.*)), 0) FROM run_check WHERE run_id = :run_id)
    + (SELECT coalesce(pg_column_size(record_digests), 0) FROM run WHERE id = :run_id) AS results
) AS parts
WHERE id = :run_id
""")


@dataclass(frozen=True)
class Usage:
    """What a submitter uses, and its quotas (0: unlimited)."""

    name: str
    open_runs: int
    cpu_hours: float
    storage_bytes: int
    quotas: Quotas


def usages(session: Session, defaults: Quotas, names: Sequence[str] | None = None) -> list[Usage]:
    """Usage of these submitters, or of all that have submitted anything, by name."""
    if names is None:
        names = session.scalars(select(Submitter.name).order_by(Submitter.name)).all()
    open_, hours, stored = open_runs(session), cpu_hours(session), _stored_bytes(session)
    own = _own_quotas(session)
    return [
        Usage(
            name,
            open_.get(name, 0),
            hours.get(name, 0.0),
            stored.get(name, 0),
            own.get(name, Quotas()).completed(defaults),
        )
        for name in names
    ]


def admit(session: Session, submitter: str, run_ids: Sequence[str], defaults: Quotas) -> None:
    """Check a submitter's quotas before it needs these runs.

    Raises QuotaExceededError. Submissions of a submitter with quotas wait for each other until the
    end of the transaction. What has succeeded, or is open for the submitter already, is free.
    """
    quotas = _quotas_of(session, submitter, defaults)
    if not (quotas.max_open_runs or quotas.max_storage_bytes):
        return
    locks.lock_submitter(session, submitter)
    added = len(run_ids) - _count_free(session, submitter, run_ids)
    if not added:
        return
    _check_open_runs(session, submitter, added, quotas)
    used, limit = _stored_bytes(session, submitter).get(submitter, 0), quotas.max_storage_bytes
    if limit and used >= limit:
        raise QuotaExceededError(
            f"the results of {submitter}'s campaigns take {used} bytes, at most {limit} are "
            f"allowed; {added} more runs are refused: delete campaigns, or ask an admin for a "
            "larger quota"
        )


def admit_verification(session: Session, submitter: str, defaults: Quotas) -> None:
    """Check a submitter's quota of open runs before a verification. Raises QuotaExceededError."""
    quotas = _quotas_of(session, submitter, defaults)
    if quotas.max_open_runs:
        locks.lock_submitter(session, submitter)
        _check_open_runs(session, submitter, 1, quotas)


def out_of_cpu(session: Session, defaults: Quotas) -> Mapping[str, tuple[float, float]]:
    """Submitters that have used up their CPU hours: hours used and allowed, by name.

    Their runs are not claimed until the use of the last 24 hours is below the quota again.
    """
    own = _own_quotas(session)
    default = defaults.cpu_hours_per_day or 0
    if not default and not any(quotas.cpu_hours_per_day for quotas in own.values()):
        return {}
    used_up = {}
    for name, hours in cpu_hours(session).items():
        limit = own.get(name, Quotas()).completed(defaults).cpu_hours_per_day
        if limit and hours >= limit:
            used_up[name] = (hours, limit)
    return used_up


def open_runs(session: Session, submitter: str | None = None) -> dict[str, int]:
    """Number of unfinished runs of active campaigns, and of verifications, by submitter."""
    runs = (
        select(Campaign.submitted_by, func.count(CampaignRun.run_id.distinct()))
        .join(CampaignRun, CampaignRun.campaign_id == Campaign.id)
        .where(_ACTIVE, CampaignRun.unfinished, _is(Campaign.submitted_by, submitter))
        .group_by(Campaign.submitted_by)
    )
    verifications = (
        select(Verification.requested_by, func.count())
        .where(OPEN_VERIFICATION, _is(Verification.requested_by, submitter))
        .group_by(Verification.requested_by)
    )
    counts: dict[str, int] = {}
    for name, count in [*session.execute(runs), *session.execute(verifications)]:
        counts[name] = counts.get(name, 0) + count
    return counts


def cpu_hours(session: Session) -> dict[str, float]:
    """CPU hours of the last 24 hours by submitter, including executions under way."""
    ended = select(CpuUse.submitter, CpuUse.cpu_seconds).where(CpuUse.ended_at > func.now() - _DAY)
    under_way = (
        select(
            table.charged_to,
            func.extract("epoch", func.least(func.now(), table.lease_until) - table.leased_at),
        ).where(table.state == "running", table.charged_to.is_not(None))
        for table in LEASED
    )
    parts = union_all(ended, *under_way).subquery()
    query = select(parts.c.submitter, func.sum(parts.c.cpu_seconds)).group_by(parts.c.submitter)
    return {name: float(seconds or 0) / 3600 for name, seconds in session.execute(query)}


def compact(session: Session) -> None:
    """Sum up the CPU use of the past and forget that of earlier days. For one process at a time."""
    session.execute(_COMPACT)


def measure(session: Session, run_id: str) -> None:
    """Record how many bytes the results, series and logs of a run take."""
    session.execute(_MEASURE, {"run_id": run_id})


def total_stored_bytes(session: Session) -> int:
    """Bytes of the results and logs of all runs, each counted once."""
    return int(session.scalar(select(func.coalesce(func.sum(Run.stored_bytes), 0))) or 0)


def _stored_bytes(session: Session, submitter: str | None = None) -> dict[str, int]:
    """Bytes of the runs of a submitter's campaigns; a run that several share counts for each."""
    runs = (
        select(Campaign.submitted_by, Run.id, Run.stored_bytes)
        .join(CampaignRun, CampaignRun.campaign_id == Campaign.id)
        .join(Run, Run.id == CampaignRun.run_id)
        .where(_is(Campaign.submitted_by, submitter))
        .distinct()
        .subquery()
    )
    query = select(runs.c.submitted_by, func.sum(runs.c.stored_bytes)).group_by(runs.c.submitted_by)
    return {name: int(total) for name, total in session.execute(query)}


def _check_open_runs(session: Session, submitter: str, added: int, quotas: Quotas) -> None:
    used, limit = open_runs(session, submitter).get(submitter, 0), quotas.max_open_runs
    if limit and used + added > limit:
        raise QuotaExceededError(
            f"{submitter} has {used} open runs and asks for {added} more; at most {limit} are "
            "allowed: wait until some have ended, cancel a campaign, or ask an admin for a larger "
            "quota"
        )


def _count_free(session: Session, submitter: str, run_ids: Sequence[str]) -> int:
    """How many of these runs have succeeded or are open for the submitter already."""
    own = exists().where(
        CampaignRun.run_id == Run.id,
        CampaignRun.unfinished,
        Campaign.id == CampaignRun.campaign_id,
        Campaign.submitted_by == submitter,
        _ACTIVE,
    )
    free = (Run.state == RunState.SUCCEEDED) | own
    count = 0
    for start in range(0, len(run_ids), _CHUNK):
        ids = list(run_ids[start : start + _CHUNK])
        count += session.scalar(select(func.count()).where(Run.id == func.any(ids), free)) or 0
    return count


def _is(column: Any, submitter: str | None) -> Any:
    """SQL condition: of this submitter, or of any."""
    return true() if submitter is None else column == submitter


def _quotas_of(session: Session, submitter: str, defaults: Quotas) -> Quotas:
    return _own_quotas(session).get(submitter, Quotas()).completed(defaults)


def _own_quotas(session: Session) -> dict[str, Quotas]:
    """Quotas that were given to tokens, by name."""
    columns: list[Any] = [getattr(Token, name) for name in NAMES]
    given = func.num_nonnulls(*columns) > 0
    query = select(Token.name, *columns).where(Token.revoked_at.is_(None), given)
    return {name: Quotas(*values) for name, *values in session.execute(query)}
