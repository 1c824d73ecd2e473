"""Tables as Arrow record batches of a fixed schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from windtunnel.exports.columns import CELL, RUN, SEED, AxisColumn, Column, ColumnType
from windtunnel.exports.origin import Origin

Values: TypeAlias = "Sequence[Any] | pa.Array[Any]"
ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "float32": pa.float32(),
    "bool": pa.bool_(),
    "text": pa.string(),
}


@dataclass(frozen=True)
class Place:
    """A cell, and the index of its label on each axis; without seed and run in a comparison.

    ``result_bytes`` and ``series_bytes`` are what the run's records and series take in the store.
    """

    cell: int
    value_indices: tuple[int, ...]
    seed: int = 0
    run: str = ""
    result_bytes: int = 0
    series_bytes: int = 0


@dataclass(frozen=True)
class ExportedTable:
    """A table's columns: cell, axes, seed and run if ``of_runs``, and its own."""

    origin: Origin
    axes: tuple[AxisColumn, ...]
    own: tuple[Column, ...]
    of_runs: bool = True

    @property
    def columns(self) -> tuple[Column, ...]:
        axes = [
            column
            for axis in self.axes
            for column in (axis.column, axis.unit)
            if column is not None
        ]
        return (CELL, *axes, *((SEED, RUN) if self.of_runs else ()), *self.own)

    @cached_property
    def schema(self) -> pa.Schema:
        """With the origin as JSON in the metadata ``windtunnel``."""
        fields = [pa.field(column.name, ARROW_TYPES[column.type]) for column in self.columns]
        return pa.schema(fields, metadata={"windtunnel": json.dumps(self.origin.record())})

    def batch(
        self, places: Sequence[Place], rows: Sequence[int], own: Sequence[Values]
    ) -> pa.RecordBatch:
        """A batch with this number of rows for each place. ``own``: the own columns' values."""
        repeated = np.repeat(np.arange(len(places)), rows)

        def column(values: Sequence[Any], type_: ColumnType) -> pa.Array[Any]:
            return pa.array(values, ARROW_TYPES[type_]).take(repeated)

        columns = [column([place.cell for place in places], "int64")]
        for number, axis in enumerate(self.axes):
            labels = [axis.values[place.value_indices[number]] for place in places]
            columns.append(column(labels, axis.column.type))
            if axis.unit:
                columns.append(column([axis.column.unit] * len(places), "text"))
        if self.of_runs:
            columns.append(column([place.seed for place in places], "int64"))
            columns.append(column([place.run for place in places], "text"))
        for values, own_column in zip(own, self.own, strict=True):
            type_ = ARROW_TYPES[own_column.type]
            columns.append(values if isinstance(values, pa.Array) else pa.array(values, type_))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)
