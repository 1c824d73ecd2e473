"""What differs between the configurations of two campaigns, over the cells that match."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.comparison.pairs import Pair
from windtunnel.comparison.table import CellResults, ResultTable, SimulatorBuild
from windtunnel.quantities import parse_canonical
from windtunnel.spec.document import join_path

SIMULATOR = "simulator"
SCENARIO = "scenario"
EFFECTIVE = "effective"
REPLICATIONS = "replications"
CELLS = "cells"

_MAX_LISTED = 30  # differences of scenarios
_MAX_CHANGES = 3  # of one field, before they are only counted
_MAX_CELLS = 5  # named in a sentence
_MAX_VALUE = 60  # characters
_NOT_SET = "not set"
_ALGORITHM = "algorithm"


@dataclass(frozen=True)
class ConfigurationDifference:
    """One difference, from the reference (``before``) to the campaign (``after``).

    ``kind`` is simulator, scenario (a field of the resolved scenario), effective (a setting that
    the simulator reports, where the scenario is the same), replications or cells (only one of the
    campaigns has them). ``cells`` counts those that it is about, ``text`` says it all.
    """

    kind: str
    path: str
    before: str
    after: str
    cells: int
    text: str


@dataclass(frozen=True)
class Configuration:
    """Of one cell: its resolved scenario, and the settings that its simulator reports."""

    scenario: Mapping[str, Any]
    effective: Mapping[str, Any] | None = None


CellPair = tuple[Configuration, Configuration]  # the campaign's and the reference's


def changed_conditions(new: Mapping[str, Any], old: Mapping[str, Any]) -> str:
    """What differs between two scenarios beside their algorithms, in a few words; empty if nothing.

    The algorithm is what is compared; a result under another topology or workload is another one.
    """
    changes = [
        f"{path} {before} -> {after}"
        for path, before, after in _changes(old, new, "")
        if _ALGORITHM not in re.split(r"[.\[]", path)
    ]
    more = f" and {len(changes) - _MAX_CHANGES} more" if len(changes) > _MAX_CHANGES else ""
    return ", ".join(changes[:_MAX_CHANGES]) + more


def configuration_differences(
    table: ResultTable,
    reference: ResultTable,
    pairs: Mapping[int, Pair],
    configurations: Mapping[int, CellPair],
) -> tuple[ConfigurationDifference, ...]:
    """Differences of builds, scenarios, replications and cells.

    ``configurations`` has those of the matched cells, by index, whose scenario or build differs.
    """
    return (
        *_builds(pairs),
        *_fields(configurations, len(pairs)),
        *_replications(pairs),
        *_unmatched(table, set(pairs)),
        *_unmatched(reference, {pair.other.index for pair in pairs.values()}, is_reference=True),
    )


def _builds(pairs: Mapping[int, Pair]) -> Iterator[ConfigurationDifference]:
    counts: dict[tuple[SimulatorBuild, SimulatorBuild], int] = {}
    for pair in pairs.values():
        builds = pair.other.simulator, pair.cell.simulator
        if builds[0] != builds[1]:
            counts[builds] = counts.get(builds, 0) + 1
    for (old, new), count in counts.items():
        before, after = (f"{build.name} {build.digest[:8]}" for build in (old, new))
        yield _difference(SIMULATOR, "simulator", before, after, count, len(pairs))


def _fields(
    configurations: Mapping[int, CellPair], matched: int
) -> Iterator[ConfigurationDifference]:
    """Fields that differ, each with the number of cells in which it does."""
    counts: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for new, old in configurations.values():
        kind, changes = SCENARIO, list(_changes(old.scenario, new.scenario, ""))
        if not changes and old.effective is not None and new.effective is not None:
            kind, changes = EFFECTIVE, list(_changes(old.effective, new.effective, ""))
        for path, before, after in changes:
            by_values = counts.setdefault((kind, path), {})
            by_values[before, after] = by_values.get((before, after), 0) + 1
    listed = [
        difference
        for (kind, path), by_values in counts.items()
        for difference in _of_field(kind, path, by_values, matched)
    ]
    yield from listed[:_MAX_LISTED]
    rest = len(listed) - _MAX_LISTED
    if rest > 0:
        text = f"and {rest} more differences of fields"
        yield ConfigurationDifference(SCENARIO, "", "", "", 0, text)


def _of_field(
    kind: str, path: str, counts: Mapping[tuple[str, str], int], matched: int
) -> Iterator[ConfigurationDifference]:
    if len(counts) <= _MAX_CHANGES:
        for (before, after), count in counts.items():
            yield _difference(kind, path, before, after, count, matched)
        return
    before, after = next(iter(counts))
    cells = sum(counts.values())
    text = (
        f"{path}: {len(counts)} different changes {_in_cells(cells, matched)}, for example "
        f"{before} -> {after}"
    )
    yield ConfigurationDifference(kind, path, before, after, cells, text)


def _changes(old: Any, new: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """(path, before, after) of what differs. Parameters of different kinds are not compared."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if old.get("kind") != new.get("kind"):
            yield path, _text(old.get("kind", old)), _text(new.get("kind", new))
            return
        for key in dict.fromkeys((*old, *new)):
            yield from _changes(
                old.get(key, _NOTHING), new.get(key, _NOTHING), join_path(path, key)
            )
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _changes(before, after, join_path(path, index))
    elif old != new:
        yield path, _text(old), _text(new)


_NOTHING = object()


def _text(value: Any) -> str:
    """A value as a campaign file would have it: ``200ms``."""
    if value is _NOTHING:
        return _NOT_SET
    if isinstance(value, str):
        quantity = parse_canonical(value)
        text = quantity.readable() if quantity else value
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}..."


def _replications(pairs: Mapping[int, Pair]) -> Iterator[ConfigurationDifference]:
    counts: dict[tuple[int, int], int] = {}
    for pair in pairs.values():
        planned = len(pair.other.runs), len(pair.cell.runs)
        if planned[0] != planned[1]:
            counts[planned] = counts.get(planned, 0) + 1
    for (before, after), count in counts.items():
        yield _difference(REPLICATIONS, REPLICATIONS, str(before), str(after), count, len(pairs))


def _unmatched(
    table: ResultTable, matched: set[int], is_reference: bool = False
) -> Iterator[ConfigurationDifference]:
    cells = [cell for cell in table.cells if cell.index not in matched]
    if not cells:
        return
    names = ", ".join(_name(cell) for cell in cells[:_MAX_CELLS])
    more = f" and {len(cells) - _MAX_CELLS} more" if len(cells) > _MAX_CELLS else ""
    plural = "" if len(cells) == 1 else "s"
    text = f"{len(cells)} cell{plural} only in {table.design.campaign}: {names}{more}"
    sides = (names + more, "") if is_reference else ("", names + more)
    yield ConfigurationDifference(CELLS, "", *sides, len(cells), text)


def _difference(
    kind: str, path: str, before: str, after: str, cells: int, matched: int
) -> ConfigurationDifference:
    prefix = "in effect: " if kind == EFFECTIVE else ""
    text = f"{prefix}{path}: {before} -> {after} {_in_cells(cells, matched)}"
    return ConfigurationDifference(kind, path, before, after, cells, text)


def _in_cells(cells: int, matched: int) -> str:
    if cells < matched:
        return f"in {cells} of {matched} cells"
    return {1: "in the cell", 2: "in both cells"}.get(matched, f"in all {matched} cells")


def _name(cell: CellResults) -> str:
    labels: Sequence[str] = list(cell.coordinates.values())
    return " ".join(labels) or "the only cell"
