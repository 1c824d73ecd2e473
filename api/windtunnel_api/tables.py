"""Result tables of the campaigns that were compared last, of which only changed cells are read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from sqlalchemy.orm import Session

from windtunnel.comparison import Design, ResultTable
from windtunnel.store import results
from windtunnel.store.results import CellVersions
from windtunnel.store.tables import Campaign

_MAX_KEPT_BYTES = 128 * 2**20
# With what a comparison remembers: of a cell, a run, a metric of a cell, a value of a run.
_BYTES = (1000, 600, 4000, 200)

_Key = tuple[str, tuple[str, ...]]  # campaign and metrics


@dataclass(frozen=True)
class _Kept:
    versions: CellVersions
    table: ResultTable
    size: int


class Tables:
    """Keeps tables and the objects of their unchanged cells (CellResults.remembered)."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._lock = Lock()

    def design(self, campaign: Campaign) -> Design:
        """The campaign's design, which never changes: the object of its kept tables."""
        with self._lock:
            for (id_, _), kept in self._kept.items():
                if id_ == campaign.id:
                    return kept.table.design
        return results.design_of(campaign)

    def get(
        self,
        session: Session,
        campaign: Campaign,
        design: Design,
        metrics: Sequence[str],
        versions: CellVersions,
    ) -> ResultTable:
        """The table at least as new as ``versions``, which were read before."""
        key = campaign.id, tuple(metrics)
        with self._lock:
            known = self._kept.get(key)
        if known is not None and known.versions == versions:
            table = known.table
        elif known is not None and known.versions.keys() == versions.keys():
            table = _updated(session, campaign, known, metrics, versions)
        else:
            table = results.result_table(session, campaign, design, metrics)
        kept = _Kept(versions, table, _size(table, len(metrics)))
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while sum(entry.size for entry in self._kept.values()) > _MAX_KEPT_BYTES:
                self._kept.popitem(last=False)
        return table


def _size(table: ResultTable, metrics: int) -> int:
    """About how many bytes a table takes."""
    cells, runs = len(table.cells), sum(len(cell.runs) for cell in table.cells)
    counts = cells, runs, cells * metrics, runs * metrics
    return sum(count * size for count, size in zip(counts, _BYTES, strict=True))


def _updated(
    session: Session,
    campaign: Campaign,
    known: _Kept,
    metrics: Sequence[str],
    versions: CellVersions,
) -> ResultTable:
    changed = {index for index in versions if known.versions[index] != versions[index]}
    read = {cell.index: cell for cell in results.read_cells(session, campaign, metrics, changed)}
    cells = tuple(read.get(cell.index, cell) for cell in known.table.cells)
    return ResultTable(known.table.design, cells)
