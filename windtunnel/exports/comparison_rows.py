"""Rows of a comparison: one per cell and metric, from the comparison's JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from windtunnel.exports.table import ExportedTable, Place

_CELLS_AT_ONCE = 500


def comparison_batches(
    table: ExportedTable, places: Sequence[Place], comparison: Mapping[str, Any]
) -> Iterator[pa.RecordBatch]:
    """``places`` are the cells, with their labels."""
    labels = {place.cell: place for place in places}
    metrics = [metric["name"] for metric in comparison["metrics"]]
    cells = [cell for cell in comparison["cells"] if cell["index"] in labels]
    for start in range(0, len(cells), _CELLS_AT_ONCE):
        batch = cells[start : start + _CELLS_AT_ONCE]
        rows = [[_row(name, cell) for name in metrics if name in cell["metrics"]] for cell in batch]
        flat = [row for of_cell in rows for row in of_cell]
        own = [[row[column.name] for row in flat] for column in table.own]
        yield table.batch([labels[cell["index"]] for cell in batch], list(map(len, rows)), own)


def _row(name: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    metric = cell["metrics"][name]
    estimate = metric["estimate"] or {}
    change = metric["against_baseline"] or {}
    verdict = metric["verdict"] or {}
    ci_low, ci_high = estimate.get("ci95") or (None, None)
    low, high = change.get("ci95") or (None, None)
    relative_low, relative_high = change.get("relative_ci95") or (None, None)
    return {
        "metric": name,
        "unit": metric["unit"],
        "is_baseline": cell["is_baseline"],
        "n": estimate.get("n", 0),
        "mean": estimate.get("mean"),
        "sd": estimate.get("sd"),
        "ci_low": ci_low,
        "ci_high": ci_high,
        "difference": change.get("mean"),
        "difference_low": low,
        "difference_high": high,
        "relative": change.get("relative_mean"),
        "relative_low": relative_low,
        "relative_high": relative_high,
        "verdict": verdict.get("label"),
        "p": verdict.get("p"),
        "p_equivalence": verdict.get("p_equivalence"),
    }
