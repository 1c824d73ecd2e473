"""One JSON document: the origin, the columns, and an object per row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from windtunnel.exports.cell_texts import slices, texts
from windtunnel.exports.columns import Column
from windtunnel.exports.table import ExportedTable


def json_file(table: ExportedTable, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """``{"campaign": {...}, "columns": [...], "rows": [...]}``; null for a missing value."""
    origin = _text(table.origin.record())
    columns = _text([_described(column) for column in table.columns])
    yield f'{{"campaign":{origin},\n"columns":{columns},\n"rows":['.encode()
    names = [_text(column.name) for column in table.columns]
    separator = "\n"
    for batch in slices(batches):
        members = [
            [f"{name}:{value}" for value in texts(column, _text, missing="null")]
            for name, column in zip(names, batch.columns, strict=True)
        ]
        rows = ",\n".join(f"{{{','.join(row)}}}" for row in zip(*members, strict=True))
        yield f"{separator}{rows}".encode()
        separator = ",\n"
    yield b"\n]}\n"


def _described(column: Column) -> dict[str, str]:
    record = {"name": column.name, "type": column.type}
    return {**record, "unit": column.unit} if column.unit else record


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
