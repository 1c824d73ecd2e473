"""Distributions by cell, pooled over its seeds.

Over flows: numeric fields of their records. Over data packets: the one-way delay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, aliased

from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.run import RunState
from windtunnel.spec.suggestions import nearest
from windtunnel.statistics.ecdf import PooledCounts, ecdf, weighted_ecdf
from windtunnel.store.coordinates import coordinates
from windtunnel.store.tables import Campaign, CampaignRun, Cell, RecordColumn, Run

MAX_CELLS = 50
MAX_POINTS = 400
_FLOW, _PACKET_DELAY = "flow", "packet_delay"  # kinds of records
_NUMERIC = ("integer", "number")
# A column in which every value is null has this type.
_UNTYPED = "json"
# Numbers that are names.
_IDENTIFIERS = frozenset({"flow", "source", "destination"})
# What is shown unless a field is named: the first of these that the flows have.
_DEFAULTS = ("fct_ms", "goodput_mbps")
# Words in fields' names that are units.
_UNITS = {
    "mbps": "Mb/s",
    "bps": "b/s",
    "ms": "ms",
    "ns": "ns",
    "bytes": "B",
    "packets": "packets",
    "segments": "segments",
    "pct": "%",
}
_WORDS = {"fct": "flow completion time", "tx": "sent", "rx": "received", "ack": "ACK"}
_ROWS_AT_ONCE = 20
_NS_PER_MS = 1e6

Of = Literal["flows", "packets"]
# Numbers of values, of flows without one and of seeds, and the distribution.
_Pooled = tuple[int, int, int, list[tuple[float, float]]]


@dataclass(frozen=True)
class Field:
    """A quantity with a distribution: a numeric field of flow records, or the packet delay."""

    name: str
    title: str
    unit: str


PACKET_DELAY = Field("packet_delay_ms", "packet delay", "ms")


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
    query = select(Cell.index.label("place"), Cell.value_indices).where(
        Cell.campaign_id == campaign.id
    )
    query = query.where(Cell.index.in_(cells)) if cells else query.limit(MAX_CELLS)
    chosen = {row.place: row.value_indices for row in session.execute(query.order_by(Cell.index))}
    unknown = next((cell for cell in cells if cell not in chosen), None)
    if unknown is not None:
        message = f"the campaign has no cell {unknown}; cells are counted from 0"
        raise InvalidRequestError([Problem("query.cell", message)])
    available = _fields(session, campaign, list(chosen))
    shown = _chosen(field, available)
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


def _fields(session: Session, campaign: Campaign, cells: Sequence[int]) -> list[Field]:
    """What the first succeeded run of each cell has; flows' fields in the records' order."""
    examples = (
        select(CampaignRun.run_id)
        .ext(distinct_on(CampaignRun.cell_index))
        .join(Run, Run.id == CampaignRun.run_id)
        .where(
            CampaignRun.campaign_id == campaign.id,
            CampaignRun.cell_index.in_(cells),
            Run.state == RunState.SUCCEEDED,
        )
        .order_by(CampaignRun.cell_index, CampaignRun.seed_index)
    )
    query = (
        select(RecordColumn.kind, RecordColumn.name)
        .where(
            RecordColumn.run_id.in_(examples),
            RecordColumn.kind.in_((_FLOW, _PACKET_DELAY)),
            RecordColumn.value_type.in_(_NUMERIC),
        )
        .order_by(RecordColumn.position, RecordColumn.name)
    )
    columns = session.execute(query).all()
    names = dict.fromkeys(name for kind, name in columns if kind == _FLOW)
    # A simulator's flows may have a field of this name: one of both can be shown.
    hidden = _IDENTIFIERS | {PACKET_DELAY.name}
    fields = [_described(name) for name in names if name not in hidden]
    has_delays = any(kind == _PACKET_DELAY for kind, _ in columns)
    return [*fields, PACKET_DELAY] if has_delays else fields


def _described(name: str) -> Field:
    """A field's title and unit, from its name: ``packet_delay_ms_mean``, ``size_bytes``."""
    words = name.split("_")
    unit = next((word for word in reversed(words) if word in _UNITS), None)
    if unit is None:
        return Field(name, " ".join(_WORDS.get(word, word) for word in words), "")
    rest = [_WORDS.get(word, word) for word in words if word != unit] or words
    return Field(name, " ".join(rest), _UNITS[unit])


def _chosen(field: str | None, available: Sequence[Field]) -> Field:
    """The named field, or the default one. Raises InvalidRequestError."""
    by_name = {one.name: one for one in available}
    if field is None:
        default = next((name for name in (*_DEFAULTS, *by_name) if name in by_name), None)
        return by_name[default] if default else Field("", "", "")
    if field not in by_name:
        known = nearest(field, list(by_name)) or f"; known: {', '.join(by_name) or 'none yet'}"
        message = f"{quoted(field)} is no numeric flow field or packet delay of these cells{known}"
        raise InvalidRequestError([Problem("query.field", message)])
    return by_name[field]


def _pooled_flows(
    session: Session, campaign: Campaign, cells: Sequence[int], field: str
) -> dict[int, _Pooled]:
    """Of a field of flow records. Holds one cell at a time."""
    query = (
        select(
            CampaignRun.cell_index,
            RecordColumn.integers,
            RecordColumn.numbers,
            func.cardinality(RecordColumn.texts).label("nulls"),
            func.cardinality(RecordColumn.absent).label("absent"),
        )
        .join(
            RecordColumn,
            and_(
                RecordColumn.run_id == CampaignRun.run_id,
                RecordColumn.kind == _FLOW,
                RecordColumn.name == field,
                RecordColumn.value_type.in_((*_NUMERIC, _UNTYPED)),
            ),
        )
        .where(CampaignRun.campaign_id == campaign.id, CampaignRun.cell_index.in_(cells))
        .order_by(CampaignRun.cell_index)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    pooled = {}
    for cell, rows in groupby(session.execute(query), key=lambda row: row.cell_index):
        seeds, with_field = [], 0
        for row in rows:
            column = row.integers or row.numbers or ()
            seeds.append(_values(column))
            with_field += (row.nulls or len(column)) - row.absent
        values = np.concatenate(seeds)
        n_missing = with_field - len(values)
        pooled[int(cell)] = (len(values), n_missing, len(seeds), ecdf(values, MAX_POINTS))
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
        column.kind == _PACKET_DELAY,
        column.name == name,
    )


def _values(column: Sequence[float | None]) -> NDArray[np.float64]:
    """A run's values; flows without one are left out."""
    values = np.array(column, dtype=np.float64)  # null becomes NaN
    return values[np.isfinite(values)]
