"""Numeric fields of flow records, and the packet delay: what distributions are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.run import RunState
from windtunnel.store.record_columns import FLOW_KIND, PACKET_DELAY_KIND
from windtunnel.store.tables import Campaign, CampaignRun, Cell, RecordColumn, Run
from windtunnel.suggestions import nearest

NUMERIC = ("integer", "number")
# A column in which every value is null has this type.
UNTYPED = "json"
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


@dataclass(frozen=True)
class Field:
    """A quantity with a distribution: a numeric field of flow records, or the packet delay."""

    name: str
    title: str
    unit: str


PACKET_DELAY = Field("packet_delay_ms", "packet delay", "ms")


def chosen_cells(
    session: Session, campaign: Campaign, cells: Sequence[int], most: int
) -> dict[int, Sequence[int]]:
    """These cells' value indices, or those of the first ``most`` cells; by the cell's index.

    Raises InvalidRequestError for an unknown cell.
    """
    query = select(Cell.index.label("place"), Cell.value_indices).where(
        Cell.campaign_id == campaign.id
    )
    query = query.where(Cell.index.in_(cells)) if cells else query.limit(most)
    chosen = {row.place: row.value_indices for row in session.execute(query.order_by(Cell.index))}
    unknown = next((cell for cell in cells if cell not in chosen), None)
    if unknown is not None:
        message = f"the campaign has no cell {unknown}; cells are counted from 0"
        raise InvalidRequestError([Problem("query.cell", message)])
    return chosen


def fields_of(session: Session, campaign: Campaign, cells: Sequence[int]) -> list[Field]:
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
            RecordColumn.kind.in_((FLOW_KIND, PACKET_DELAY_KIND)),
            RecordColumn.value_type.in_(NUMERIC),
        )
        .order_by(RecordColumn.position, RecordColumn.name)
    )
    columns = session.execute(query).all()
    names = dict.fromkeys(name for kind, name in columns if kind == FLOW_KIND)
    # A simulator's flows may have a field of this name: one of both can be shown.
    hidden = _IDENTIFIERS | {PACKET_DELAY.name}
    fields = [_described(name) for name in names if name not in hidden]
    has_delays = any(kind == PACKET_DELAY_KIND for kind, _ in columns)
    return [*fields, PACKET_DELAY] if has_delays else fields


def _described(name: str) -> Field:
    """A field's title and unit, from its name: ``packet_delay_ms_mean``, ``size_bytes``."""
    words = name.split("_")
    unit = next((word for word in reversed(words) if word in _UNITS), None)
    if unit is None:
        return Field(name, " ".join(_WORDS.get(word, word) for word in words), "")
    rest = [_WORDS.get(word, word) for word in words if word != unit] or words
    return Field(name, " ".join(rest), _UNITS[unit])


def choose_field(field: str | None, available: Sequence[Field]) -> Field:
    """The named field, or the default one. Raises InvalidRequestError."""
    by_name = {one.name: one for one in available}
    if field is None:
        default = next((name for name in (*_DEFAULTS, *by_name) if name in by_name), None)
        return by_name[default] if default else Field("", "", "")
    if field not in by_name:
        known = nearest(field, list(by_name)) or f"; known: {', '.join(by_name) or 'none yet'}"
        message = (
            f"{quoted(field)} is not a numeric flow field or packet delay of these cells{known}"
        )
        raise InvalidRequestError([Problem("query.field", message)])
    return by_name[field]
