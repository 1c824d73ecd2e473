"""Counts and sums over campaigns' cells and runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from windtunnel.store.tables import CampaignRun, Cell, Run


def totals_of(session: Session, campaign_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """By campaign: number of ``cells``, and of its ``runs`` the sums by state, as JSON values.

    A state has ``count``, ``simulated_ns``, ``duration_ns``, ``events``, ``cpu_seconds`` and
    ``stored_bytes``.
    """
    totals: dict[str, dict[str, Any]] = {id_: {"cells": 0, "runs": {}} for id_ in campaign_ids}
    if not totals:
        return totals
    cells = select(Cell.campaign_id, func.count()).where(Cell.campaign_id.in_(campaign_ids))
    for campaign_id, count in session.execute(cells.group_by(Cell.campaign_id)):
        totals[campaign_id]["cells"] = count
    runs = (
        select(
            CampaignRun.campaign_id,
            Run.state,
            func.count(),
            func.coalesce(func.sum(Run.simulated_ns), 0),
            func.coalesce(func.sum(Run.duration_ns), 0),
            func.coalesce(func.sum(Run.events), 0),
            func.coalesce(func.sum(Run.cpu_seconds), 0.0),
            func.coalesce(func.sum(Run.stored_bytes), 0),
        )
        .join(Run, Run.id == CampaignRun.run_id)
        .where(CampaignRun.campaign_id.in_(campaign_ids))
        .group_by(CampaignRun.campaign_id, Run.state)
    )
    for campaign_id, state, count, simulated, duration, events, cpu, stored in session.execute(
        runs
    ):
        totals[campaign_id]["runs"][state] = {
            "count": count,
            "simulated_ns": int(simulated),
            "duration_ns": int(duration),
            "events": int(events),
            "cpu_seconds": float(cpu or 0),
            "stored_bytes": int(stored),
        }
    return totals
