"""Distributions by cell, pooled over its seeds.

Over flows: numeric fields of their records. Over data packets: the one-way delay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np
from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session, aliased

from windtunnel.statistics.ecdf import PooledCounts, ecdf, weighted_ecdf
from windtunnel.store.coordinates import coordinates
from windtunnel.store.flow_fields import (
    PACKET_DELAY,
    Field,
    choose_field,
    chosen_cells,
    fields_of,
)
from windtunnel.store.flow_values import flow_values
from windtunnel.store.record_columns import PACKET_DELAY_KIND
from windtunnel.store.tables import Campaign, CampaignRun, RecordColumn

MAX_CELLS = 50
MAX_POINTS = 400
_ROWS_AT_ONCE = 20
_NS_PER_MS = 1e6

Of = Literal["flows", "packets"]
# Numbers of values, of flows without one and of seeds, and the distribution.
_Pooled = tuple[int, int, int, list[tuple[float, float]]]


@dataclass(frozen=True)
class CellDistribution:
    """``points``: values, each with the fraction of flows or packets with at most this value.

    ``n_missing`` flows have the field without a value, such as the completion time of an unfinished
    transfer; they are not in ``n_values``.
    """

    cell: int
    coordinates: Mapping[str, str]
    n_values: int
    n_missing: int
    n_seeds: int
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Distributions:
    """A field's distribution over flows or packets in some cells, and the fields that these have.

    Without any flow record or packet delay there is neither a field nor a point.
    """

    of: Of
    field: str
    title: str
    unit: str
    available: Sequence[Field]
    cells: Sequence[CellDistribution]


def distributions(
    session: Session, campaign: Campaign, field: str | None, cells: Sequence[int]
) -> Distributions:
    """Of these cells, or of the first MAX_CELLS.

    Raises InvalidRequestError for a field that none of them has, or an unknown cell.
    """
    chosen = chosen_cells(session, campaign, cells, MAX_CELLS)
    available = fields_of(session, campaign, list(chosen))
    shown = choose_field(field, available)
    if shown == PACKET_DELAY:
        pooled = _pooled_packets(session, campaign, list(chosen))
    else:
        pooled = _pooled_flows(session, campaign, list(chosen), shown.name)
    return Distributions(
        of="packets" if shown == PACKET_DELAY else "flows",
        field=shown.name,
        title=shown.title,
        unit=shown.unit,
        available=available,
        cells=[
            CellDistribution(
                index,
                coordinates(campaign, value_indices),
                *pooled.get(index, (0, 0, 0, [])),
            )
            for index, value_indices in chosen.items()
        ],
    )


def _pooled_flows(
    session: Session, campaign: Campaign, cells: Sequence[int], field: str
) -> dict[int, _Pooled]:
    """Of a field of flow records. Holds one cell at a time."""
    pooled = {}
    for cell, runs in flow_values(session, campaign, cells, field):
        values = np.concatenate([run.values for run in runs])
        n_missing = sum(run.n_missing for run in runs)
        pooled[cell] = (len(values), n_missing, len(runs), ecdf(values, MAX_POINTS))
    return pooled


def _pooled_packets(
    session: Session, campaign: Campaign, cells: Sequence[int]
) -> dict[int, _Pooled]:
    """Of the packet delay in ms: the ends of the simulator's ranges of delays."""
    delays, packets = aliased(RecordColumn), aliased(RecordColumn)
    query = (
        select(
            CampaignRun.cell_index,
            delays.integers.label("delay_ns"),
            packets.integers.label("packets"),
        )
        .join(delays, _is_column(delays, "delay_ns"))
        .join(packets, _is_column(packets, "packets"))
        .where(CampaignRun.campaign_id == campaign.id, CampaignRun.cell_index.in_(cells))
        .order_by(CampaignRun.cell_index)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    pooled = {}
    for cell, rows in groupby(session.execute(query), key=lambda row: row.cell_index):
        counts, n_seeds = PooledCounts(), 0
        for row in rows:
            counts.add(np.array(row.delay_ns, np.float64), np.array(row.packets, np.float64))
            n_seeds += 1
        points = weighted_ecdf(counts.values / _NS_PER_MS, counts.counts, MAX_POINTS)
        pooled[int(cell)] = (int(counts.counts.sum()), 0, n_seeds, points)
    return pooled


def _is_column(column: type[RecordColumn], name: str) -> ColumnElement[bool]:
    return and_(
        column.run_id == CampaignRun.run_id,
        column.kind == PACKET_DELAY_KIND,
        column.name == name,
    )
