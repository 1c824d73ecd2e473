"""Parquet, compressed by zstd; the origin is JSON in the schema's metadata ``windtunnel``."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from windtunnel.exports.table import ExportedTable

_ROWS_OF_A_GROUP = 2**16


def parquet_file(table: ExportedTable, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """The file's bytes as its row groups are complete."""
    sink = _Sink()
    with pq.ParquetWriter(pa.PythonFile(sink, "w"), table.schema, compression="zstd") as writer:
        for group in _groups(batches):
            writer.write_table(pa.Table.from_batches(group, table.schema))
            yield sink.take()
    yield sink.take()


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(part.num_rows for part in group) >= _ROWS_OF_A_GROUP:
            yield group
            group = []
    if group:
        yield group


class _Sink(io.RawIOBase):
    """A file that can only be written; what was written is taken away."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        self._parts.append(content)
        return len(content)

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)
