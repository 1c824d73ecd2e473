"""The campaign's own fields, around the scenario that only its simulator understands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windtunnel.errors import Problem, SpecError, quoted
from windtunnel.spec.document import Document, join_path
from windtunnel.spec.schema import published_schema, resolve_frame

UNSUPPORTED = {
    "gates": "gates on a comparison are not supported yet; remove the field",
    "impairments": "impairments are not supported yet; remove the field",
}

MAX_REPLICATIONS = 10_000

# The path of an axis value that names the cell's simulator, not a field of its scenario.
SIMULATOR = "simulator"
_REFERENCE = r"^[a-z0-9][a-z0-9.-]*(@[0-9a-f]{4,64})?$"
_REFERENCE_NAME = "a simulator's name, or name@digest to pin a build"

FRAME: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "scenario"],
    "properties": {
        "name": {
            "type": "string",
            "pattern": r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$",
            "x-pattern-name": "a name of up to 100 letters, digits, dots, dashes and blanks",
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
    },
}


@dataclass(frozen=True)
class AxisValue:
    """One value of an axis: its label, the scenario paths it sets, the simulator if it names one.

    ``simulator`` is a reference as written: a name, or name@digest.
    """

    label: str
    settings: Mapping[str, Any]
    simulator: str | None = None

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The scenario's own fields that it changes, each once."""
        return tuple(dict.fromkeys(path.partition(".")[0] for path in self.settings))


@dataclass(frozen=True)
class Axis:
    """One dimension of the sweep."""

    name: str
    values: tuple[AxisValue, ...]


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
    document: Mapping[str, Any]

    def simulator_at(self, point: Sequence[AxisValue]) -> str:
        """The reference of the simulator that a point of the grid runs on."""
        return next((value.simulator for value in point if value.simulator), self.simulator)

    def simulators(self) -> dict[str, str]:
        """Every simulator reference that some cell uses, with the path of its field."""
        used = {
            value.simulator: simulator_path(axis, index)
            for axis in reversed(self.axes)
            for index, value in reversed(list(enumerate(axis.values)))
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


def read_campaign(document: Document) -> Campaign:
    """Check the frame. Raises SpecError with every problem, each with its line."""
    raw = document.value
    if not isinstance(raw, dict):
        message = "a campaign is a mapping with name, scenario and sweep"
        raise SpecError([Problem("", message, document.lines.get(""))])
    early = [Problem(field, message) for field, message in UNSUPPORTED.items() if field in raw]
    if isinstance(raw.get("replications"), dict):
        message = "stopping at a width is not supported yet; give a number"
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
    baseline = _baseline(known.get("baseline", {}), axes, problems)
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
            problems.append(Problem("series", "stands beside scenario.series; keep one of them"))
        scenario["series"] = frame["series"]
    return scenario


def _axis(name: str, values: Any, problems: list[Problem]) -> Axis:
    path = join_path("sweep", name)
    if not isinstance(values, list):
        problems.append(Problem(path, f"{quoted(values)} is not a list of values"))
        return Axis(name, ())
    if not values:
        problems.append(Problem(path, "an axis needs at least one value"))
    axis = Axis(name, tuple(_axis_value(name, value) for value in values))
    seen: set[str] = set()
    for index, value in enumerate(axis.values):
        if value.label in seen:
            problems.append(
                Problem(join_path(path, index), f"duplicate value {value.label!r} on this axis")
            )
        seen.add(value.label)
        if value.simulator is not None:
            _check_reference(value.simulator, simulator_path(axis, index), problems)
        elif not value.settings:
            problems.append(
                Problem(join_path(path, index), "sets nothing; add the paths it is to set")
            )
    return axis


def _axis_value(name: str, value: Any) -> AxisValue:
    if isinstance(value, dict) and "label" in value:
        rest = {key: item for key, item in value.items() if key not in ("label", SIMULATOR)}
        settings = {name: rest} if "kind" in rest and name != SIMULATOR else rest
        return AxisValue(str(value["label"]), settings, value.get(SIMULATOR))
    if name == SIMULATOR:
        return AxisValue(label_of(value), {}, value)
    return AxisValue(label_of(value), {name: value})


def _check_reference(reference: Any, path: str, problems: list[Problem]) -> None:
    if not isinstance(reference, str) or not re.search(_REFERENCE, reference):
        problems.append(Problem(path, f"{quoted(reference)} is not {_REFERENCE_NAME}"))


def _overlaps(axes: tuple[Axis, ...]) -> list[Problem]:
    """Axes that set the same path, or one inside another's: the later would hide the earlier."""
    paths = [
        (axis.name, path)
        for axis in axes
        for path in dict.fromkeys(path for value in axis.values for path in value.settings)
    ]
    paths += [
        (axis.name, SIMULATOR) for axis in axes if any(value.simulator for value in axis.values)
    ]
    problems = []
    for index, (name, path) in enumerate(paths):
        for earlier, other in paths[:index]:
            inside = path == other or path.startswith(f"{other}.") or other.startswith(f"{path}.")
            if inside and name != earlier:
                message = f"sets {path}, which the axis {earlier!r} sets as well ({other})"
                problems.append(Problem(join_path("sweep", name), message))
    return problems


def _baseline(given: Any, axes: tuple[Axis, ...], problems: list[Problem]) -> dict[str, str]:
    if not isinstance(given, dict):
        return {}
    known = {axis.name: [value.label for value in axis.values] for axis in axes}
    baseline = {}
    for name, value in given.items():
        label = label_of(value)
        path = join_path("baseline", name)
        if name not in known:
            axis_names = ", ".join(known) or "none"
            problems.append(Problem(path, f"is not an axis of the sweep (axes: {axis_names})"))
        elif label not in known[name]:
            problems.append(
                Problem(path, f"{label!r} is not on the axis ({', '.join(known[name])})")
            )
        baseline[name] = label
    return baseline


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
