"""The campaign's own fields, around the scenario that only its simulator understands."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windtunnel.errors import Problem, SpecError, quoted
from windtunnel.quantities import parse_canonical
from windtunnel.settings import Settings
from windtunnel.spec.document import MAX_DEPTH, Document, join_path, read_yaml, split_path
from windtunnel.spec.schema import published_schema, resolve_frame

UNSUPPORTED = {
    "gates": "gates on a comparison are not supported yet; remove the field",
    "impairments": "impairments are not supported yet; remove the field",
}

MAX_REPLICATIONS = 10_000
MAX_RUNS = 100_000
_MAX_LISTED = 10  # names listed in a message

# The path of an axis value that names the cell's simulator, not a field of its scenario.
SIMULATOR = "simulator"
_REFERENCE = r"^[a-z0-9][a-z0-9.-]*(@[0-9a-f]{4,64})?$"
_REFERENCE_NAME = "a simulator's name, or name@digest with 4 to 64 hex digits to pin a build"

FRAME: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "scenario"],
    "x-aliases": {
        **dict.fromkeys(("seeds", "runs", "repetitions"), "replications"),
        **dict.fromkeys(("sweeps", "axes", "matrix"), "sweep"),
        "algorithms": "sweep.algorithm",
    },
    "properties": {
        "name": {
            "type": "string",
            "pattern": r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$",
            "x-pattern-name": (
                "a name of 1 to 100 letters, digits, spaces, '.', '_' and '-', starting with a "
                "letter or digit"
            ),
        },
        "description": {"type": "string", "default": "", "maxLength": 5000},
        "simulator": {
            "type": "string",
            "default": "ns3",
            "pattern": _REFERENCE,
            "x-pattern-name": _REFERENCE_NAME,
        },
        "scenario": {"type": "object"},
        "sweep": {"type": "object", "default": {}},
        "replications": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_REPLICATIONS,
            "default": 1,
        },
        "baseline": {"type": "object", "default": {}},
        "series": {"type": "array", "default": []},
        "limits": {
            "type": "object",
            "description": (
                "Limits of each run; default: the service's, which wall and memory must not exceed."
            ),
            "default": {},
            "additionalProperties": False,
            "properties": {
                "wall": {
                    "type": "string",
                    "x-quantity": "time",
                    "x-minimum": "1s",
                    "description": "Wall-clock time.",
                },
                "memory": {"type": "string", "x-quantity": "bytes", "x-minimum": "16MiB"},
                "stall": {
                    "type": "string",
                    "x-quantity": "time",
                    "x-minimum": "1s",
                    "description": "Wall-clock time without simulated progress.",
                },
            },
        },
    },
}


@dataclass(frozen=True)
class AxisValue:
    """One value of an axis: its place and label, the paths it sets, the simulator if it names one.

    Paths lead into the scenario and may have list indices: ``workload.groups[0].algorithm``.
    ``simulator`` is a reference as written: a name, or name@digest.
    """

    index: int
    label: str
    settings: Mapping[str, Any]
    simulator: str | None = None

    @cached_property
    def by_field(self) -> Mapping[str, Sequence[tuple[str, tuple[str | int, ...]]]]:
        """The paths that it sets, by the scenario's own field: each as text and as keys."""
        fields: dict[str, list[tuple[str, tuple[str | int, ...]]]] = {}
        for path in self.settings:
            first, *rest = split_path(path)
            fields.setdefault(str(first), []).append((path, tuple(rest)))
        return fields


@dataclass(frozen=True)
class Axis:
    """One dimension of the sweep."""

    name: str
    values: tuple[AxisValue, ...]


@dataclass(frozen=True)
class RunLimits:
    """Limits of each run that a campaign asks for; None is the service's own."""

    wall_seconds: float | None = None
    memory_bytes: int | None = None
    stall_seconds: float | None = None

    @classmethod
    def from_fields(cls, fields: Mapping[str, str]) -> RunLimits:
        """From the resolved field ``limits`` of a campaign file."""
        wall, memory, stall = (
            parse_canonical(fields[name]) if name in fields else None
            for name in ("wall", "memory", "stall")
        )
        return cls(
            wall.value / 1e9 if wall else None,
            memory.value if memory else None,
            stall.value / 1e9 if stall else None,
        )


def most_generous(limits: Sequence[RunLimits]) -> RunLimits:
    """The limits of a run that campaigns with these limits share; without any, the service's."""

    def largest(values: Sequence[float | None]) -> float | None:
        given = [value for value in values if value is not None]
        return max(given) if given and len(given) == len(values) else None

    stalls = [limit.stall_seconds or Settings.run_stall_seconds for limit in limits]
    default = all(limit.stall_seconds is None for limit in limits)
    memory = largest([limit.memory_bytes for limit in limits])
    return RunLimits(
        largest([limit.wall_seconds for limit in limits]),
        None if memory is None else int(memory),
        None if default else max(stalls),
    )


@dataclass(frozen=True)
class Campaign:
    """A campaign as submitted, its frame checked; scenarios are resolved by the plan."""

    name: str
    description: str
    simulator: str
    scenario: Mapping[str, Any]
    axes: tuple[Axis, ...]
    replications: int
    baseline: Mapping[str, str]
    limits: RunLimits
    document: Mapping[str, Any]

    def simulator_at(self, point: Sequence[AxisValue]) -> str:
        """The reference of the simulator that a point of the grid runs on."""
        return next((value.simulator for value in point if value.simulator), self.simulator)

    def simulators(self) -> dict[str, str]:
        """Every simulator reference that some cell uses, with the path of its field."""
        used = {
            value.simulator: simulator_path(axis, value.index)
            for axis in reversed(self.axes)
            for value in reversed(axis.values)
            if value.simulator
        }
        if not any(all(value.simulator for value in axis.values) for axis in self.axes):
            used = {self.simulator: SIMULATOR, **used}
        return used


def simulator_path(axis: Axis, index: int) -> str:
    """Where in the file a value of an axis names its simulator."""
    place = join_path(join_path("sweep", axis.name), index)
    return place if axis.name == SIMULATOR else join_path(place, SIMULATOR)


def split_reference(reference: str) -> tuple[str, str | None]:
    """Name and pinned digest (or its beginning) of a simulator reference."""
    name, _, digest = reference.partition("@")
    return name, digest or None


def read_campaign(document: Document, max_runs: int = MAX_RUNS) -> Campaign:
    """Check the size and the frame. Raises SpecError with every problem, each with its line."""
    raw = document.value
    if not isinstance(raw, dict):
        message = "a campaign is a mapping with name, scenario and sweep"
        raise SpecError([Problem("", message, document.lines.get(""))])
    too_many = _too_many_runs(raw.get("sweep"), raw.get("replications"), max_runs)
    if too_many:
        raise SpecError([document.locate(too_many)])
    early = [Problem(field, message) for field, message in UNSUPPORTED.items() if field in raw]
    if isinstance(raw.get("replications"), dict):
        message = "stopping at a target interval width is not supported yet; use a number of seeds"
        early.append(Problem("replications", message))
    deferred = {problem.path for problem in early}
    known = {key: value for key, value in raw.items() if key not in deferred}
    frame, problems = resolve_frame(known, FRAME)
    problems = early + problems
    axes: tuple[Axis, ...] = ()
    if isinstance(known.get("sweep", {}), dict):
        axes = tuple(
            _axis(name, values, problems) for name, values in known.get("sweep", {}).items()
        )
    problems += _overlaps(axes)
    # The axes of a misspelt ``sweep`` are not known.
    sweep_is_known = "sweep" in raw or set(raw) <= set(FRAME["properties"])
    baseline = _baseline(known.get("baseline", {}), axes, problems) if sweep_is_known else {}
    scenario = _with_series(frame, problems)
    if problems:
        raise SpecError([document.locate(problem) for problem in problems])
    return Campaign(
        name=frame["name"],
        description=frame["description"],
        simulator=frame["simulator"],
        scenario=scenario,
        axes=axes,
        replications=frame["replications"],
        baseline=baseline,
        limits=RunLimits.from_fields(frame["limits"]),
        document=raw,
    )


def label_of(value: Any) -> str:
    """What a value is called in tables: itself, or ``vegas Alpha=1`` for a kind with settings."""
    if isinstance(value, dict):
        settings = " ".join(
            f"{key}={label_of(item)}" for key, item in value.items() if key != "kind"
        )
        return f"{value.get('kind', '')} {settings}".strip()
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(label_of(item) for item in value) + "]"
    return str(value)


def _with_series(frame: Any, problems: list[Problem]) -> dict[str, Any]:
    if not isinstance(frame, dict) or not isinstance(frame.get("scenario"), dict):
        return {}
    scenario = dict(frame["scenario"])
    if frame.get("series"):
        if "series" in scenario:
            problems.append(
                Problem("series", "given twice: here and as scenario.series; remove one")
            )
        scenario["series"] = frame["series"]
    return scenario


def _too_many_runs(sweep: Any, replications: Any, max_runs: int) -> Problem | None:
    """Compare the number of runs with the limit, before anything is made of the values."""
    axes = sweep.values() if isinstance(sweep, dict) else ()
    lengths = [len(values) for values in axes if isinstance(values, list)]
    seeds = replications if type(replications) is int and replications > 0 else 1
    size = math.prod(lengths) * min(seeds, MAX_REPLICATIONS)
    if size <= max_runs:
        return None
    counts = " x ".join(map(str, lengths[:_MAX_LISTED])) or "1"
    if len(lengths) > _MAX_LISTED:
        counts += " x ..."
    runs = str(size) if size < 10**15 else "more than 10^15"
    message = (
        f"{counts} cells x {seeds} replications are {runs} runs; at most {max_runs} are allowed"
    )
    return Problem("sweep", message)


def _axis(name: str, values: Any, problems: list[Problem]) -> Axis:
    path = join_path("sweep", name)
    if not isinstance(values, list):
        problems.append(Problem(path, f"{quoted(values)} is not a list of values"))
        return Axis(name, ())
    if not values:
        problems.append(Problem(path, "an axis needs at least one value"))
    axis = Axis(name, tuple(_axis_value(index, name, value) for index, value in enumerate(values)))
    seen: set[str] = set()
    messages: set[str] = set()
    for value in axis.values:
        message = _invalid_value(value, seen)
        seen.add(value.label)
        if message and message not in messages:
            problems.append(Problem(join_path(path, value.index), message))
            messages.add(message)
        if value.simulator is not None:
            _check_reference(value.simulator, simulator_path(axis, value.index), problems)
    return axis


def _invalid_value(value: AxisValue, seen: set[str]) -> str | None:
    if value.label in seen:
        return f"duplicate value {value.label!r} on this axis"
    if value.simulator is None and not value.settings:
        return "sets no path; add at least one, such as topology.link.delay: 1us"
    deep = next((path for path in value.settings if path.count(".") >= MAX_DEPTH), None)
    if deep is not None:
        return f"sets the path {deep[:60]}..., which is nested deeper than {MAX_DEPTH} levels"
    return None


def _axis_value(index: int, name: str, value: Any) -> AxisValue:
    if isinstance(value, dict) and "label" in value:
        rest = {key: item for key, item in value.items() if key not in ("label", SIMULATOR)}
        settings = {name: rest} if "kind" in rest and name != SIMULATOR else rest
        return AxisValue(index, str(value["label"]), settings, value.get(SIMULATOR))
    if name == SIMULATOR:
        return AxisValue(index, label_of(value), {}, value)
    return AxisValue(index, label_of(value), {name: value})


def _check_reference(reference: Any, path: str, problems: list[Problem]) -> None:
    if not isinstance(reference, str) or not re.fullmatch(_REFERENCE, reference):
        problems.append(Problem(path, f"{quoted(reference)} is not {_REFERENCE_NAME}"))


def _overlaps(axes: tuple[Axis, ...]) -> list[Problem]:
    """Axes that set the same path, or one inside another's: the later would hide the earlier."""
    # Of earlier axes: who sets a path, and who sets one inside it, as (axis, path).
    setters: dict[tuple[str | int, ...], tuple[str, str]] = {}
    around: dict[tuple[str | int, ...], tuple[str, str]] = {}
    problems = []
    for axis in axes:
        paths = {path: split_path(path) for value in axis.values for path in value.settings}
        if any(value.simulator for value in axis.values):
            paths[SIMULATOR] = (SIMULATOR,)
        paths = {path: keys for path, keys in paths.items() if len(keys) <= MAX_DEPTH}
        for path, keys in paths.items():
            prefixes = [keys[:length] for length in range(1, len(keys) + 1)]
            earlier = next((setters[prefix] for prefix in prefixes if prefix in setters), None)
            earlier = earlier or around.get(keys)
            if earlier:
                message = f"sets {path}, which the axis {earlier[0]!r} sets as well ({earlier[1]})"
                problems.append(Problem(join_path("sweep", axis.name), message))
        for path, keys in paths.items():
            setters.setdefault(keys, (axis.name, path))
            for length in range(1, len(keys)):
                around.setdefault(keys[:length], (axis.name, path))
    return problems


def _baseline(given: Any, axes: tuple[Axis, ...], problems: list[Problem]) -> dict[str, str]:
    if not isinstance(given, dict):
        _suggest_axis(given, axes, problems)
        return {}
    known = {axis.name: [value.label for value in axis.values] for axis in axes}
    baseline = {}
    for name, value in given.items():
        label = label_of(value)
        path = join_path("baseline", name)
        if name not in known:
            message = f"is not an axis of the sweep (axes: {_listed(list(known)) or 'none'})"
            problems.append(Problem(path, message))
        elif known[name] and label not in known[name]:
            message = f"{label!r} is not on the axis ({_listed(known[name])})"
            problems.append(Problem(path, message))
        baseline[name] = label
    return baseline


def _suggest_axis(given: Any, axes: Sequence[Axis], problems: list[Problem]) -> None:
    """Say how to write a baseline that is a label alone."""
    label = label_of(given)
    for axis in axes:
        if any(value.label == label for value in axis.values):
            message = f"names no axis; write {baseline_text(axis, label)}"
            problems[:] = [problem for problem in problems if problem.path != "baseline"]
            problems.append(Problem("baseline", f"{quoted(given)} {message}"))
            return


def baseline_text(axis: Axis, label: str) -> str:
    """A baseline as a campaign file has it: ``{algorithm: newreno}``, quoted where necessary."""
    name = axis.name
    for key, value in ((name, label), (json.dumps(name), label)):
        text = f"{{{key}: {value}}}"
        with suppress(SpecError):
            if {k: label_of(v) for k, v in read_yaml(text).value.items()} == {name: label}:
                return text
    return json.dumps({name: label}, ensure_ascii=False)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MAX_LISTED
    return ", ".join(names[:_MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


def campaign_schema(scenario_schema: Mapping[str, Any]) -> dict[str, Any]:
    """The published JSON Schema of a campaign file for one simulator.

    The scenario's own ``required`` is left out: an axis of the sweep may bring what is missing.
    """
    scenario = published_schema(scenario_schema)
    scenario.pop("required", None)
    frame = published_schema(FRAME)
    properties = {**frame["properties"], "scenario": scenario}
    properties["sweep"]["additionalProperties"] = {"type": "array", "minItems": 1}
    properties["series"] = scenario["properties"].get("series", {"type": "array"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Windtunnel campaign",
        **frame,
        "properties": properties,
    }
