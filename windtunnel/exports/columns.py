"""Columns of exported tables: their names and types; the types of axes follow from their labels."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from windtunnel.errors import QuantityError
from windtunnel.quantities import BDPS, PACKETS, Dimension, Quantity, parse

ColumnType = Literal["int64", "float64", "float32", "bool", "text"]
Label = int | float | bool | str


@dataclass(frozen=True)
class Column:
    """One column; ``unit`` if all of its values have the same."""

    name: str
    type: ColumnType
    unit: str = ""


CELL = Column("cell", "int64")
SEED = Column("seed", "int64")
RUN = Column("run", "text")
RUNS = (Column("metric", "text"), Column("value", "float64"), Column("unit", "text"))
COMPARISON = (
    Column("metric", "text"),
    Column("unit", "text"),
    Column("is_baseline", "bool"),
    Column("n", "int64"),
    *(
        Column(name, "float64")
        for name in (
            "mean", "sd", "ci_low", "ci_high", "difference", "difference_low", "difference_high",
            "relative", "relative_low", "relative_high",
        )
    ),
    Column("verdict", "text"),
    Column("p", "float64"),
    Column("p_equivalence", "float64"),
)  # fmt: skip
FLOW = Column("flow", "int64")
SERIES = (
    Column("series", "text"),
    Column("unit", "text"),
    Column("time_s", "float64", "s"),
    Column("value", "float32"),
)
PACKET_DELAYS = (Column("delay_ns", "int64", "ns"), Column("packets", "int64", "packets"))
# An axis has the same name in every table: it gives way to a column of any of them.
_RESERVED = frozenset(
    column.name for column in (CELL, SEED, RUN, *RUNS, *COMPARISON, FLOW, *SERIES, *PACKET_DELAYS)
)


@dataclass(frozen=True)
class AxisColumn:
    """The column of an axis and its value for each label. ``unit`` has a column of its own."""

    column: Column
    values: tuple[Label, ...]
    unit: Column | None = None


def axis_columns(axes: Sequence[Mapping[str, Any]]) -> tuple[AxisColumn, ...]:
    """Columns of stored axes (``name``, ``labels``)."""
    taken = set(_RESERVED)
    return tuple(_axis_column(axis["name"], axis["labels"], taken) for axis in axes)


def free_name(name: str, taken: Collection[str], suffix: str) -> str:
    """The name, with the suffix as often as it takes to be another than those taken."""
    while name in taken:
        name += suffix
    return name


def _axis_column(name: str, labels: Sequence[str], taken: set[str]) -> AxisColumn:
    name = free_name(name, taken, "_axis")
    taken.add(name)
    kind, values, dimension = typed(labels)
    if dimension is None:
        return AxisColumn(Column(name, kind), values)
    unit_name = free_name(f"{name}_unit", taken, "_axis")
    taken.add(unit_name)
    unit = _UNITS.get(dimension.name, dimension.base)
    return AxisColumn(Column(name, kind, unit), values, Column(unit_name, "text"))


def typed(labels: Sequence[str]) -> tuple[ColumnType, tuple[Label, ...], Dimension | None]:
    """The type of an axis and the values of its labels.

    Numbers beyond a float64 such as ``1e400`` are text.

    All quantities of one dimension: whole numbers of its base unit, but fractions of a
    bandwidth-delay product. All numbers, or all ``true``
    and ``false``: these. Otherwise text.
    """
    if all(label in _BOOLEANS for label in labels):
        return "bool", tuple(_BOOLEANS[label] for label in labels), None
    if all(_INTEGER.fullmatch(label) for label in labels):
        whole = tuple(int(label) for label in labels)
        if all(-(2**63) <= value < 2**63 for value in whole):
            return "int64", whole, None
    if all(_NUMBER.fullmatch(label) for label in labels):
        numbers = tuple(float(label) for label in labels)
        if all(map(math.isfinite, numbers)):
            return "float64", numbers, None
    return _quantities(labels) or ("text", tuple(labels), None)


# Where the base unit's name says little.
_UNITS = {PACKETS.name: "packets", BDPS.name: "bdp"}
_MBDP = 1000  # the base unit, in a bandwidth-delay product
_BOOLEANS = {"true": True, "false": False}
# Without leading zeros: 007 is a name.
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)


def _quantities(
    labels: Sequence[str],
) -> tuple[ColumnType, tuple[Label, ...], Dimension] | None:
    """Their whole numbers of a base unit; None unless all are of one dimension, or a bare 0."""
    parsed = [_quantity(label) for label in labels]
    dimensions = {quantity.dimension.name: quantity.dimension for quantity in parsed if quantity}
    bare_zeros = all(label == "0" for label in _unparsed(labels, parsed))
    if len(dimensions) != 1 or not bare_zeros:
        return None
    (dimension,) = dimensions.values()
    whole = tuple(quantity.value if quantity else 0 for quantity in parsed)
    if dimension is BDPS:
        return "float64", tuple(value / _MBDP for value in whole), dimension
    return "int64", whole, dimension


def _unparsed(labels: Sequence[str], parsed: Sequence[Quantity | None]) -> Iterable[str]:
    return (label for label, quantity in zip(labels, parsed, strict=True) if quantity is None)


def _quantity(label: str) -> Quantity | None:
    for kind in ("rate", "time", "queue-limit"):  # which together have all dimensions
        try:
            return parse(label, kind)
        except QuantityError:
            continue
    return None
