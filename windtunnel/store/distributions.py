"""Distributions of numeric fields of flow records, by cell, pooled over its seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import and_, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.run import RunState
from windtunnel.spec.suggestions import nearest
from windtunnel.statistics.ecdf import ecdf
from windtunnel.store.coordinates import coordinates
from windtunnel.store.tables import Campaign, CampaignRun, Cell, RecordColumn, Run

MAX_CELLS = 50
MAX_POINTS = 400
_KIND = "flow"
_NUMERIC = ("integer", "number")
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


@dataclass(frozen=True)
class Field:
    """A numeric field of flow records."""

    name: str
    title: str
    unit: str


@dataclass(frozen=True)
class CellDistribution:
    """``points``: values, each with the fraction of flows that have at most this value."""

    cell: int
    coordinates: Mapping[str, str]
    n_flows: int
    n_seeds: int
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Distributions:
    """A field's distribution in some cells, and the fields that their flows have.

    Without any flow record there is neither a field nor a point.
    """

    field: str
    title: str
    unit: str
    available: Sequence[Field]
    cells: Sequence[CellDistribution]


def distributions(
    session: Session, campaign: Campaign, field: str | None, cells: Sequence[int]
) -> Distributions:
    """Of these cells, or of the first MAX_CELLS.

    Raises InvalidRequestError for a field that is not numeric in any of them, or an unknown cell.
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
    pooled = _pooled(session, campaign, list(chosen), shown.name)
    return Distributions(
        field=shown.name,
        title=shown.title,
        unit=shown.unit,
        available=available,
        cells=[
            CellDistribution(
                index,
                coordinates(campaign, value_indices),
                *pooled.get(index, (0, 0, [])),
            )
            for index, value_indices in chosen.items()
        ],
    )


def _fields(session: Session, campaign: Campaign, cells: Sequence[int]) -> list[Field]:
    """The numeric fields in the first succeeded run of each cell, in the records' order."""
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
        select(RecordColumn.name)
        .where(
            RecordColumn.run_id.in_(examples),
            RecordColumn.kind == _KIND,
            RecordColumn.value_type.in_(_NUMERIC),
        )
        .order_by(RecordColumn.position, RecordColumn.name)
    )
    names = dict.fromkeys(session.scalars(query))
    return [_described(name) for name in names if name not in _IDENTIFIERS]


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
        message = f"{quoted(field)} is not a numeric field of these cells' flow records{known}"
        raise InvalidRequestError([Problem("query.field", message)])
    return by_name[field]


def _pooled(
    session: Session, campaign: Campaign, cells: Sequence[int], field: str
) -> dict[int, tuple[int, int, list[tuple[float, float]]]]:
    """By cell: numbers of flows and of seeds, and the distribution. Holds one cell at a time."""
    query = (
        select(CampaignRun.cell_index, RecordColumn.integers, RecordColumn.numbers)
        .join(
            RecordColumn,
            and_(
                RecordColumn.run_id == CampaignRun.run_id,
                RecordColumn.kind == _KIND,
                RecordColumn.name == field,
                RecordColumn.value_type.in_(_NUMERIC),
            ),
        )
        .where(CampaignRun.campaign_id == campaign.id, CampaignRun.cell_index.in_(cells))
        .order_by(CampaignRun.cell_index)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    pooled = {}
    for cell, rows in groupby(session.execute(query), key=lambda row: row.cell_index):
        seeds = [_values(row.integers or row.numbers or ()) for row in rows]
        values = np.concatenate(seeds)
        pooled[int(cell)] = (len(values), len(seeds), ecdf(values, MAX_POINTS))
    return pooled


def _values(column: Sequence[float | None]) -> NDArray[np.float64]:
    """A run's values; flows without the field are left out."""
    values = np.array(column, dtype=np.float64)  # null becomes NaN
    return values[np.isfinite(values)]
