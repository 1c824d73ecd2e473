"""Which algorithms, topologies and workloads a plan's cells have, to find campaigns by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.plan.plan import Cell


@dataclass(frozen=True)
class Kinds:
    """Names without parameters, each once, in order of appearance."""

    algorithms: tuple[str, ...]
    topologies: tuple[str, ...]
    workloads: tuple[str, ...]


def kinds_of(cells: Sequence[Cell]) -> Kinds:
    """The kinds in the resolved scenarios; a simulator need not have any of these fields."""
    algorithms: dict[str, None] = {}
    topologies: dict[str, None] = {}
    workloads: dict[str, None] = {}
    for cell in cells:
        algorithms |= dict.fromkeys(_algorithms(cell.scenario))
        topologies |= dict.fromkeys(_kind(cell.scenario.get("topology")))
        workloads |= dict.fromkeys(_kind(cell.scenario.get("workload")))
    return Kinds(tuple(algorithms), tuple(topologies), tuple(workloads))


def _algorithms(scenario: Mapping[str, Any]) -> Iterator[str]:
    """The scenario's algorithm, then those of its workload's groups."""
    yield from _kind(scenario.get("algorithm"))
    workload = scenario.get("workload")
    groups = workload.get("groups") if isinstance(workload, Mapping) else None
    for group in groups if isinstance(groups, Sequence) else ():
        if isinstance(group, Mapping):
            yield from _kind(group.get("algorithm"))


def _kind(field: Any) -> Iterator[str]:
    kind = field.get("kind") if isinstance(field, Mapping) else field
    if isinstance(kind, str):
        yield kind
