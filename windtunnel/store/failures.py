"""A campaign's failed runs, grouped by what they failed of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from windtunnel.run import RunState
from windtunnel.store.tables import Attempt, Campaign, CampaignRun, Run

MAX_GROUPS = 50
MAX_MEMBERS = 20
LOG_LINES = 20
# Messages that differ in numbers only, decimal or hexadecimal ones, are one.
# Literal: grouped and ordered by, PostgreSQL takes expressions with parameters for two.
_PATTERN: ColumnElement[str] = literal_column(
    r"regexp_replace(run.message, '0x[0-9a-fA-F]+|\d+(\.\d+)?([eE][-+]?\d+)?', '#', 'g')"
)


@dataclass(frozen=True)
class FailureGroup:
    """Failed runs with the same reason and, apart from numbers, the same message.

    The message and the log are those of ``example_run``, the first by seed and cell. ``cells`` and
    ``runs`` are the first of the group's; ``log_tail`` is the end of the last attempt's stderr.
    """

    failure: str | None
    message: str
    count: int
    cell_count: int
    cells: Sequence[int]
    example_run: str
    runs: Sequence[str]
    log_tail: str


def failure_groups(session: Session, campaign: Campaign) -> list[FailureGroup]:
    """The groups of a campaign's failed runs, the largest first."""
    order = (CampaignRun.seed_index, CampaignRun.cell_index)
    query = (
        select(
            Run.failure,
            func.count(),
            func.count(CampaignRun.cell_index.distinct()),
            func.array_agg(CampaignRun.cell_index.distinct()),
            func.array_agg(aggregate_order_by(Run.id, *order)),
        )
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(CampaignRun.campaign_id == campaign.id, Run.state == RunState.FAILED)
        .group_by(Run.failure, _PATTERN)
        .order_by(func.count().desc(), _PATTERN, Run.failure)
        .limit(MAX_GROUPS)
    )
    rows = session.execute(query).all()
    examples = [runs[0] for *_, runs in rows]
    messages, logs = _messages(session, examples), _logs(session, examples)
    return [
        FailureGroup(
            failure=failure,
            message=messages[runs[0]],
            count=count,
            cell_count=cell_count,
            cells=sorted(cells)[:MAX_MEMBERS],
            example_run=runs[0],
            runs=runs[:MAX_MEMBERS],
            log_tail="\n".join(logs.get(runs[0], "").splitlines()[-LOG_LINES:]),
        )
        for failure, count, cell_count, cells, runs in rows
    ]


def _messages(session: Session, run_ids: Sequence[str]) -> dict[str, str]:
    query = select(Run.id, Run.message).where(Run.id.in_(run_ids))
    return {row.id: row.message for row in session.execute(query)}


def _logs(session: Session, run_ids: Sequence[str]) -> dict[str, str]:
    """stderr of each run's last attempt."""
    query = (
        select(Attempt.run_id, Attempt.stderr)
        .join(Run, (Run.id == Attempt.run_id) & (Run.attempt == Attempt.number))
        .where(Attempt.run_id.in_(run_ids))
    )
    return {row.run_id: row.stderr for row in session.execute(query)}
