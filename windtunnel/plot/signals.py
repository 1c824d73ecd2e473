"""Time series of runs: which are shown, and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from windtunnel.errors import ConflictError, QuantityError, quoted
from windtunnel.plot.axes import Axis
from windtunnel.plot.cells import Cell
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.source import Get
from windtunnel.quantities import parse
from windtunnel.suggestions import nearest

# Probes in the order in which they explain a run; others follow by name.
ORDER = ("cwnd", "queue_length", "rtt", "goodput", "link_utilization", "link_drops", "ecn_marks")
EVENTS = frozenset({"link_drops", "ecn_marks"})
_MOST_LINES = 2
_MOST_PANELS = 5
_POINTS = 4000  # the service returns the extremes of as many buckets
_FLOW = re.compile(r"flow(\d+)")
_NS = 1e9


@dataclass(frozen=True)
class Signal:
    """Values of one series. ``name`` gives the hue; ``nth`` counts earlier lines of that name.

    ``label`` is empty where a panel has only one line.
    """

    probe: str
    target: str
    unit: str
    name: str
    label: str
    nth: int
    times: Sequence[float]
    values: Sequence[float]


@dataclass(frozen=True)
class RunSignals:
    """The signals of a run; times are in seconds of simulated time."""

    title: str
    signals: Sequence[Signal]
    duration: float
    warm_up: float

    def of(self, probe: str) -> list[Signal]:
        return [signal for signal in self.signals if signal.probe == probe]


def read_signals(
    get: Get, request: PlotRequest, title: str, cell: Cell, axes: Sequence[Axis]
) -> RunSignals:
    """The signals of a cell's run. Raises InvalidRequestError and ConflictError."""
    run = get(f"/runs/{_run_id(request, cell)}")
    if not run["series"] and run["series_pruned_at"] is None:
        message = f"run {run['id'][:10]} ({run['state']}) has no series"
        raise ConflictError(f"{message}; a campaign file names them under 'series'")
    names = _chosen(request.series, run["series"])
    algorithms, labels = _flow_names(get, run, cell, axes)
    common = _common_name(run, cell, axes)
    seen: dict[tuple[str, str], int] = {}
    signals = []
    for name in names:
        probe, _, target = name.partition(" ")
        hue = algorithms.get(target, common)
        nth = seen.get((probe, hue), 0)
        seen[probe, hue] = nth + 1
        content = get(f"/runs/{run['id']}/series/{quote(name)}", points=_POINTS, **_range(request))
        signals.append(
            Signal(
                probe,
                target,
                content["unit"],
                hue,
                labels.get(target) or _target_label(target),
                nth,
                [time / _NS for time in content["times_ns"]],
                content["values"],
            )
        )
    return RunSignals(title, signals, run["duration_ns"] / _NS, _warm_up(run))


def probes_of(runs: Sequence[RunSignals]) -> list[str]:
    """The probes of all runs, in the order of their panels."""
    return sorted({signal.probe for run in runs for signal in run.signals}, key=_rank)


def _run_id(request: PlotRequest, cell: Cell) -> str:
    if request.run is not None:
        return next(str(run) for run in cell["runs"].values() if run.startswith(request.run))
    runs: Mapping[str, str] = cell["runs"]
    seeds = sorted(runs, key=int)
    seed = request.seed if request.seed is not None else next(iter(seeds), "1")
    if str(seed) not in runs:
        known = ", ".join(seeds) or "none yet"
        invalid("seed", f"cell {cell['index']} has no finished run of seed {seed}; seeds: {known}")
    return runs[str(seed)]


def _chosen(asked: Sequence[str], infos: Sequence[Mapping[str, Any]]) -> list[str]:
    """Series by name, or all of a probe; by default the pages' choice."""
    if not asked:
        return _default(infos)
    known = [info["name"] for info in infos]
    chosen = []
    for name in asked:
        matching = [name] if name in known else [one for one in known if _probe(one) == name]
        if not matching:
            hint = nearest(name, [*known, *map(_probe, known)]) or f"; series: {', '.join(known)}"
            invalid("series", f"{quoted(name)} is not a series of this run{hint}")
        targeted = [one for one in matching if " " in one] if name not in known else []
        chosen += sorted(targeted or matching, key=_natural)
    return list(dict.fromkeys(chosen))


def _default(infos: Sequence[Mapping[str, Any]]) -> list[str]:
    """Of each probe the two fullest series, five probes at most."""
    chosen: list[str] = []
    panels = 0
    for probe in sorted({_probe(info["name"]) for info in infos}, key=_rank):
        every = [info for info in infos if _probe(info["name"]) == probe]
        single = [info for info in every if " " in info["name"]] or every
        some = [info for info in single if info["maximum"] > 0 or probe not in EVENTS]
        late = probe == "link_utilization" and panels > 2
        if not some or panels == _MOST_PANELS or late:
            continue
        panels += 1
        count = 1 if probe in EVENTS or probe == "queue_length" else _MOST_LINES
        chosen += sorted((info["name"] for info in some[:count]), key=_natural)
    return chosen


def _flow_names(
    get: Get, run: Mapping[str, Any], cell: Cell, axes: Sequence[Axis]
) -> tuple[dict[str, str], dict[str, str]]:
    """The algorithm and the label of each flow that is in a group, as series name it (``flow0``).

    The label is the algorithm where the groups' algorithms differ, else the group.
    """
    workload = run["spec"].get("scenario", {}).get("workload")
    groups = workload.get("groups", []) if isinstance(workload, dict) else []
    common = _common_name(run, cell, axes)
    algorithm_of = {}
    for index, group in enumerate(groups):
        ending = f"groups[{index}].algorithm"
        axis = next((axis for axis in axes if axis.name.endswith(ending)), None)
        label = cell["coordinates"][axis.name] if axis else _kind(group.get("algorithm"))
        algorithm_of[group.get("name")] = label or common
    if not groups:
        return {}, {}
    flows = get(f"/runs/{run['id']}/flows")["flows"]
    algorithms = {
        f"flow{flow['flow']}": algorithm_of[flow.get("group")]
        for flow in flows
        if flow.get("group") in algorithm_of
    }
    sizes = [flow.get("group") for flow in flows]
    differ = len(set(algorithm_of.values())) == len(algorithm_of) > 1
    labels = {
        f"flow{flow['flow']}": algorithm_of[flow["group"]] if differ else str(flow["group"])
        for flow in flows
        if flow.get("group") in algorithm_of and sizes.count(flow["group"]) == 1
    }
    return algorithms, labels


def _common_name(run: Mapping[str, Any], cell: Cell, axes: Sequence[Axis]) -> str:
    """The algorithm of the run as its campaign labels it, else its kind."""
    shared = [axis for axis in axes if axis.is_algorithm and "groups[" not in axis.name]
    if shared:
        return str(cell["coordinates"][shared[0].name])
    kind = _kind(run["spec"].get("scenario", {}).get("algorithm"))
    return kind or str(run["simulator_name"])


def _kind(value: Any) -> str:
    kind = value.get("kind", "") if isinstance(value, dict) else value
    return kind if isinstance(kind, str) else ""


def _range(request: PlotRequest) -> dict[str, int]:
    ends = {"from_ns": request.start, "to_ns": request.end}
    return {name: max(0, round(end * _NS)) for name, end in ends.items() if end is not None}


def _warm_up(run: Mapping[str, Any]) -> float:
    """In seconds; 0 without one."""
    text = run["spec"].get("scenario", {}).get("warmup")
    try:
        return parse(text, "time").value / _NS
    except QuantityError:
        return 0.0


def _probe(name: str) -> str:
    return name.partition(" ")[0]


def _rank(probe: str) -> tuple[int, str]:
    return (ORDER.index(probe) if probe in ORDER else len(ORDER), probe)


def _natural(name: str) -> tuple[object, ...]:
    """``flow2`` before ``flow10``."""
    parts = re.split(r"(\d+)", name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts))


def _target_label(target: str) -> str:
    match = _FLOW.fullmatch(target)
    return f"flow {match[1]}" if match else target
