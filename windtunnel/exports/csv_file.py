"""CSV by RFC 4180, as the pages write it (web/src/figures/export.ts)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pyarrow as pa

from windtunnel.exports.cell_texts import slices, texts
from windtunnel.exports.table import ExportedTable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_QUOTED = re.compile(r'[",\r\n#]')  # readers that are told of comments find them anywhere
_END = "\r\n"


def csv_file(table: ExportedTable, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """Header and rows; before these a comment if the table is not complete."""
    comment = f"# {table.origin.note}{_END}" if table.origin.note else ""
    header = ",".join(field(column.name) for column in table.columns)
    yield (comment + header + _END).encode()
    for batch in slices(batches):
        columns = [texts(column, field, missing="") for column in batch.columns]
        rows = map(",".join, zip(*columns, strict=True))
        yield (_END.join(rows) + _END).encode()


def field(text: str) -> str:
    """A field. Text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if text.startswith(_FORMULA):
        text = f"'{text}"
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text
