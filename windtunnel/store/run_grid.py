"""The state of every run of a campaign as a grid: cells by seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from windtunnel.store.coordinates import coordinates
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run

MISSING = "-"


@dataclass(frozen=True)
class RunGrid:
    """By cell: its coordinates, its number of planned seeds, and a letter for each seed's state.

    A letter is the state's first: q, r, s, f or c; `-` where there is no run: not planned for this
    cell, or pruned.
    """

    cells: int
    replications: int
    coordinates: Sequence[Mapping[str, str]]
    planned: Sequence[int]
    states: Sequence[str]


def run_grid(session: Session, campaign: Campaign) -> RunGrid:
    """One query with a row per cell, over all runs of the campaign."""
    by_seed = CampaignRun.seed_index
    query = (
        select(
            Cell.value_indices,
            func.coalesce(
                func.string_agg(func.left(Run.state, 1), aggregate_order_by(literal(""), by_seed)),
                "",
            ),
            func.array_remove(func.array_agg(aggregate_order_by(by_seed, by_seed)), None),
        )
        .select_from(Cell)
        .outerjoin(
            CampaignRun,
            and_(CampaignRun.campaign_id == Cell.campaign_id, CampaignRun.cell_index == Cell.index),
        )
        .outerjoin(Run, Run.id == CampaignRun.run_id)
        .where(Cell.campaign_id == campaign.id)
        .group_by(Cell.index, Cell.value_indices)
        .order_by(Cell.index)
    )
    rows = session.execute(query).all()
    states = [_placed(letters, seeds, campaign.replications) for _, letters, seeds in rows]
    return RunGrid(
        cells=len(rows),
        replications=campaign.replications,
        coordinates=[coordinates(campaign, value_indices) for value_indices, _, _ in rows],
        planned=[len(cell) for cell in states],
        states=states,
    )


def _placed(letters: str, seeds: Sequence[int], replications: int) -> str:
    """The letters at their seeds, which count from 1; pruned runs leave gaps."""
    planned = max(seeds[-1] if seeds else 0, replications)
    if len(letters) == planned:
        return letters
    places = dict(zip(seeds, letters, strict=True))
    return "".join(places.get(seed, MISSING) for seed in range(1, planned + 1))
