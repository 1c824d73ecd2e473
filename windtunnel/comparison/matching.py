"""Cells of a campaign matched with those of another by their labels on the axes.

An axis with a single label that the other campaign does not have is ignored. On the axis
``simulator`` a build that is pinned (``ns3@DIGEST``) matches its name, and two single labels match
whatever they are: it is builds that are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from windtunnel.comparison.pairs import Pair
from windtunnel.comparison.table import CellResults, ResultTable
from windtunnel.errors import NothingInCommonError, Problem
from windtunnel.spec.axes import SIMULATOR

_MAX_LABELS = 6  # of an axis, in a message

Coordinates = Mapping[str, str]


def matched_pairs(table: ResultTable, reference: ResultTable) -> dict[int, Pair]:
    """Cells of ``table`` by index, each beside the matching cell of ``reference``.

    Raises NothingInCommonError.
    """
    matched = match_cells(
        {cell.index: cell.coordinates for cell in table.cells},
        {cell.index: cell.coordinates for cell in reference.cells},
    )
    if not matched:
        raise _nothing_in_common(table, reference)
    cells, others = _by_index(table), _by_index(reference)
    return {index: Pair.of(cells[index], others[other]) for index, other in matched.items()}


def match_cells(
    cells: Mapping[int, Coordinates], others: Mapping[int, Coordinates]
) -> dict[int, int]:
    """Indices of matching cells, one campaign's to the other's; empty if none match."""
    labels, other_labels = _labels(cells.values()), _labels(others.values())
    axes = [
        axis
        for axis in dict.fromkeys((*labels, *other_labels))
        if not _ignored(axis, labels.get(axis, ()), other_labels.get(axis, ()))
    ]
    if any(axis not in labels or axis not in other_labels for axis in axes):
        return {}
    by_key = {_key(place, axes, other_labels): index for index, place in others.items()}
    keys = {index: _key(place, axes, labels) for index, place in cells.items()}
    return {index: by_key[key] for index, key in keys.items() if key in by_key}


def _ignored(axis: str, labels: Sequence[str], others: Sequence[str]) -> bool:
    if not labels or not others:
        return len(labels or others) == 1
    return axis == SIMULATOR and len(labels) == len(others) == 1


def _key(
    place: Coordinates, axes: Sequence[str], labels: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    return tuple(
        _build_name(place[axis], labels[axis]) if axis == SIMULATOR else place[axis]
        for axis in axes
    )


def _build_name(label: str, labels: Sequence[str]) -> str:
    """A simulator's name without its pinned build, unless the axis has several builds of it."""
    name = label.partition("@")[0]
    builds = [other for other in labels if other.partition("@")[0] == name]
    return name if len(builds) == 1 else label


def _labels(places: Iterable[Coordinates]) -> dict[str, tuple[str, ...]]:
    """The labels of each axis, in the order of the cells."""
    labels: dict[str, dict[str, None]] = {}
    for place in places:
        for axis, label in place.items():
            labels.setdefault(axis, {})[label] = None
    return {axis: tuple(names) for axis, names in labels.items()}


def _by_index(table: ResultTable) -> dict[int, CellResults]:
    return {cell.index: cell for cell in table.cells}


def _nothing_in_common(table: ResultTable, reference: ResultTable) -> NothingInCommonError:
    descriptions = [_described(side) for side in (table, reference)]
    message = (
        "the campaigns have no cell in common; cells match by their labels on each axis. "
        + "; ".join(descriptions)
    )
    return NothingInCommonError([Problem("query.against", message)])


def _described(table: ResultTable) -> str:
    """``1f2e3d has algorithm (cubic, vegas), simulator (ns3)``."""
    axes = []
    for axis, labels in _labels(cell.coordinates for cell in table.cells).items():
        more = f" and {len(labels) - _MAX_LABELS} more" if len(labels) > _MAX_LABELS else ""
        axes.append(f"{axis} ({', '.join(labels[:_MAX_LABELS])}{more})")
    return f"{table.design.campaign} has {', '.join(axes) or 'no axes, one cell'}"
