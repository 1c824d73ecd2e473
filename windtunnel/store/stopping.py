"""Seeds for campaigns that get more until an interval is narrow enough (``replications.until``)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.comparison import ResultTable, seeds_needed
from windtunnel.quotas import Quotas
from windtunnel.store import controller, growth, locks, results
from windtunnel.store.tables import Campaign, CampaignRun, Cell

_ROUND = 20  # campaigns


def waiting(session: Session) -> Sequence[str]:
    """Ids of campaigns whose runs have all ended, and that may need more seeds."""
    return session.scalars(_waiting().order_by(Campaign.id).limit(_ROUND)).all()


def _waiting() -> Select[str]:
    unfinished = exists().where(CampaignRun.campaign_id == Campaign.id, CampaignRun.unfinished)
    return select(Campaign.id).where(
        Campaign.growing, Campaign.state != CampaignState.CANCELLED, ~unfinished
    )


def advance(session: Session, campaign_id: str, max_runs: int, quotas: Quotas) -> int:
    """Add the seeds that a campaign needs, or end it. Returns the number of runs added.

    Idempotent, and safe beside submissions, cancellations and other workers. A campaign that would
    exceed ``max_runs`` ends. Raises QuotaExceededError if its submitter may not have as many runs
    now.
    """
    locks.lock_runs_shared(session)
    locks.lock_growth(session, campaign_id)
    if session.scalar(_waiting().where(Campaign.id == campaign_id)) is None:
        return 0
    campaign = session.get_one(Campaign, campaign_id, populate_existing=True)
    table = _results(session, campaign)
    needed = _needed(table, max_runs)
    if not needed:
        campaign.growing = False
        controller.step(session, [campaign_id])
        return 0
    query = select(Cell).where(Cell.campaign_id == campaign_id, Cell.index.in_(needed))
    present = {cell.index: len(cell.runs) for cell in table.cells}
    added = [
        (cell, seed)
        for cell in session.scalars(query)
        for seed in range(present[cell.index] + 1, needed[cell.index] + 1)
    ]
    campaign.reused_runs += growth.add_runs(session, campaign, added, quotas)
    return len(added)


def _results(session: Session, campaign: Campaign) -> ResultTable:
    design = results.design_of(campaign)
    stopping = design.analysis.stopping
    return results.result_table(session, campaign, design, [stopping.metric] if stopping else [])


def _needed(table: ResultTable, max_runs: int) -> dict[int, int]:
    """Seeds by cell; nothing if the campaign would have more than ``max_runs``."""
    stopping = table.design.analysis.stopping
    if stopping is None:
        return {}
    needed = seeds_needed(table, stopping)
    runs = sum(needed.get(cell.index, len(cell.runs)) for cell in table.cells)
    return needed if runs <= max_runs else {}
