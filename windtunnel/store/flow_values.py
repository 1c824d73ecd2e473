"""Values of one field of the flow records, run by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from windtunnel.store.flow_fields import NUMERIC, UNTYPED
from windtunnel.store.record_columns import FLOW_KIND
from windtunnel.store.tables import Campaign, CampaignRun, RecordColumn, Run

_ROWS_AT_ONCE = 20


@dataclass(frozen=True)
class FlowValues:
    """Of one run: the flows' values, shape (n,), and how many flows have the field without one.

    ``digest`` is that of the run's records.
    """

    values: NDArray[np.float64]
    n_missing: int
    digest: str | None


def flow_values(
    session: Session, campaign: Campaign, cells: Sequence[int], field: str
) -> Iterator[tuple[int, list[FlowValues]]]:
    """Each of these cells that has runs with the field, and their values. Streamed."""
    query = (
        select(
            CampaignRun.cell_index,
            RecordColumn.integers,
            RecordColumn.numbers,
            func.cardinality(RecordColumn.texts).label("nulls"),
            func.cardinality(RecordColumn.absent).label("absent"),
            Run.digest,
        )
        .join(Run, Run.id == CampaignRun.run_id)
        .join(
            RecordColumn,
            and_(
                RecordColumn.run_id == CampaignRun.run_id,
                RecordColumn.kind == FLOW_KIND,
                RecordColumn.name == field,
                RecordColumn.value_type.in_((*NUMERIC, UNTYPED)),
            ),
        )
        .where(CampaignRun.campaign_id == campaign.id, CampaignRun.cell_index.in_(cells))
        .order_by(CampaignRun.cell_index, CampaignRun.seed_index)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    for cell, rows in groupby(session.execute(query), key=lambda row: row.cell_index):
        yield int(cell), [_of_run(row) for row in rows]


def is_deterministic(digests: Sequence[str | None]) -> bool:
    """Whether several seeds all gave the same records, which count as one observation."""
    return len(digests) > 1 and None not in digests and len(set(digests)) == 1


def _of_run(row: Any) -> FlowValues:
    column = row.integers or row.numbers or ()
    values = _finite(column)
    return FlowValues(values, (row.nulls or len(column)) - row.absent - len(values), row.digest)


def _finite(column: Sequence[float | None]) -> NDArray[np.float64]:
    """A run's values; flows without one are left out."""
    values = np.array(column, dtype=np.float64)  # null becomes NaN
    return values[np.isfinite(values)]
