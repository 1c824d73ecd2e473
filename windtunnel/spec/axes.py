"""The axes of a sweep: their values, what these are called and which paths they set."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windtunnel.errors import Problem, SpecError, quoted
from windtunnel.spec.characters import control_character
from windtunnel.spec.document import join_path, split_path
from windtunnel.spec.limits import (
    MAX_AXES,
    MAX_CELLS,
    MAX_DEPTH,
    MAX_LABEL,
    MAX_PATHS,
    MAX_REPLICATIONS,
)
from windtunnel.spec.yaml_reader import read_yaml

# The path of an axis value that names the cell's simulator, not a field of its scenario.
SIMULATOR = "simulator"
REFERENCE = r"^[a-z0-9][a-z0-9.-]*(@[0-9a-f]{4,64})?$"
REFERENCE_NAME = "a simulator's name, or name@digest with 4 to 64 hex digits to pin a build"
_REFERENCE = re.compile(REFERENCE.removesuffix("$"))
_MAX_LISTED = 10  # names listed in a message


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
    """One dimension of the sweep. ``sampled``: a design chose its values between two bounds."""

    name: str
    values: tuple[AxisValue, ...]
    sampled: bool = False

    @property
    def path(self) -> str:
        """Where it is in the file."""
        return join_path("sweep.over" if self.sampled else "sweep", self.name)

    def path_of(self, index: int) -> str:
        """Where a value is in the file; a sampled one is not."""
        return self.path if self.sampled else join_path(self.path, index)


def too_large(sweep: Any, replications: Any, max_runs: int) -> Problem | None:
    """Compare a sweep's size with the limits, before anything is made of its values."""
    axes = sweep.values() if isinstance(sweep, dict) else ()
    if len(axes) > MAX_AXES:
        return Problem(
            "sweep",
            f"has {len(axes)} axes; at most {MAX_AXES} are allowed; an axis can set several paths",
        )
    lengths = [len(values) for values in axes if isinstance(values, list)]
    cells = math.prod(lengths)
    counts = " x ".join(map(str, lengths)) or "1"
    if isinstance(replications, dict):
        replications = replications.get("max")
    seeds = replications if type(replications) is int and replications > 0 else 1
    runs = cells * min(seeds, MAX_REPLICATIONS)
    if runs > max_runs:
        message = f"{counts} cells x {seeds} replications are {_readable(runs)} runs; "
        return Problem("sweep", f"{message}at most {max_runs} are allowed")
    if cells > MAX_CELLS:
        total = "" if len(lengths) == 1 else f" are {_readable(cells)}"
        return Problem(
            "sweep",
            f"{counts} cells{total}; at most {MAX_CELLS} are allowed; make several campaigns of it",
        )
    return None


def read_axes(sweep: Any, problems: list[Problem]) -> tuple[Axis, ...]:
    """The axes of a sweep that is not too large. Adds to ``problems``."""
    if not isinstance(sweep, dict):
        return ()
    axes = tuple(_axis(name, values, problems) for name, values in sweep.items())
    problems += overlaps(axes)
    return axes


def read_baseline(value: Any, axes: tuple[Axis, ...], problems: list[Problem]) -> dict[str, str]:
    """The label of the baseline on each axis that it names. Adds to ``problems``."""
    if not isinstance(value, dict):
        _suggest_axis(value, axes, problems)
        return {}
    known = {axis.name: [value.label for value in axis.values] for axis in axes}
    baseline = {}
    for name, chosen in value.items():
        label = label_of(chosen)
        path = join_path("baseline", name)
        if name not in known:
            message = f"is not an axis of the sweep (axes: {_listed(list(known)) or 'none'})"
            problems.append(Problem(path, message))
        elif known[name] and label not in known[name]:
            message = f"{quoted(label)} is not on the axis ({_listed(known[name])})"
            problems.append(Problem(path, message))
        baseline[name] = label
    return baseline


def _suggest_axis(given: Any, axes: Sequence[Axis], problems: list[Problem]) -> None:
    """Say how to write a baseline that is a label alone."""
    label = label_of(given)
    for axis in axes:
        if any(value.label == label for value in axis.values):
            message = f"names no axis; write {baseline_text(axis.name, label)}"
            problems[:] = [problem for problem in problems if problem.path != "baseline"]
            problems.append(Problem("baseline", f"{quoted(given)} {message}"))
            return


def baseline_text(axis: str, label: str) -> str:
    """A baseline as a campaign file has it: ``{algorithm: newreno}``, quoted where necessary."""
    for key in (axis, json.dumps(axis)):
        text = f"{{{key}: {label}}}"
        with suppress(SpecError):
            if {k: label_of(v) for k, v in read_yaml(text).value.items()} == {axis: label}:
                return text
    return json.dumps({axis: label}, ensure_ascii=False)


def simulator_path(axis: Axis, index: int) -> str:
    """Where in the file a value of an axis names its simulator."""
    place = axis.path_of(index)
    return place if axis.name == SIMULATOR else join_path(place, SIMULATOR)


def split_reference(reference: str) -> tuple[str, str | None]:
    """Name and pinned digest (or its beginning) of a simulator reference."""
    name, _, digest = reference.partition("@")
    return name, digest or None


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


def _axis(name: str, values: Any, problems: list[Problem]) -> Axis:
    path = join_path("sweep", name)
    if len(name) > MAX_LABEL:
        length = f"{len(name)} characters; at most {MAX_LABEL} are allowed"
        problems.append(Problem(path, f"the axis's name has {length}"))
    if not isinstance(values, list):
        problems.append(Problem(path, f"{quoted(values)} is not a list of values"))
        return Axis(name, ())
    if not values:
        problems.append(Problem(path, "an axis needs at least one value"))
    axis = Axis(name, tuple(_axis_value(index, name, value) for index, value in enumerate(values)))
    seen: set[str] = set()
    messages: set[str] = set()
    for value, given in zip(axis.values, values, strict=True):
        message = _invalid_label(value.label, given) or _invalid_value(value, seen)
        seen.add(value.label)
        if message and message not in messages:
            problems.append(Problem(join_path(path, value.index), message))
            messages.add(message)
        if value.simulator is not None:
            _check_reference(value.simulator, simulator_path(axis, value.index), problems)
    paths = len({path for value in axis.values for path in value.settings})
    if paths > MAX_PATHS:
        count = f"{paths} different paths; at most {MAX_PATHS} are allowed"
        problems.append(Problem(path, f"its values set {count}"))
    return axis


def _axis_value(index: int, name: str, value: Any) -> AxisValue:
    if _is_labelled(value):
        rest = {key: item for key, item in value.items() if key not in ("label", SIMULATOR)}
        settings = {name: rest} if "kind" in rest and name != SIMULATOR else rest
        return AxisValue(index, label_of(value["label"]), settings, value.get(SIMULATOR))
    if name == SIMULATOR:
        return AxisValue(index, label_of(value), {}, value)
    return AxisValue(index, label_of(value), {name: value})


def _is_labelled(value: Any) -> bool:
    return isinstance(value, dict) and "label" in value


def _invalid_label(label: str, value: Any) -> str | None:
    if _is_labelled(value) and isinstance(value["label"], dict | list):
        return f"the label {quoted(value['label'])} is not a text"
    if len(label) > MAX_LABEL:
        length = f"{len(label)} characters; at most {MAX_LABEL} are allowed"
        if _is_labelled(value):
            return f"the label {label[:20]!r}... has {length}"
        return f"{label[:20]!r}... would be a label of {length}; give the value a 'label'"
    character = control_character(label)
    if character:
        return f"the label {quoted(label)} contains the control character {character}; remove it"
    return None


def _invalid_value(value: AxisValue, seen: set[str]) -> str | None:
    if value.label in seen:
        return f"duplicate value {value.label!r} on this axis"
    if value.simulator is None and not value.settings:
        return "sets no path; add at least one, such as topology.link.delay: 1us"
    deep = next((path for path in value.settings if path.count(".") >= MAX_DEPTH), None)
    if deep is not None:
        return f"sets the path {deep[:60]}..., which is nested deeper than {MAX_DEPTH} levels"
    return None


def _check_reference(reference: Any, path: str, problems: list[Problem]) -> None:
    if not isinstance(reference, str) or not _REFERENCE.fullmatch(reference):
        problems.append(Problem(path, f"{quoted(reference)} is not {REFERENCE_NAME}"))


def overlaps(axes: tuple[Axis, ...]) -> list[Problem]:
    """Axes that set the same path, or one inside another's: the later would hide the earlier."""
    # Of earlier axes: who sets a path, and who sets one inside it, as (axis, path).
    setters: dict[tuple[str | int, ...], tuple[str, str]] = {}
    around: dict[tuple[str | int, ...], tuple[str, str]] = {}
    problems = []
    for axis in axes:
        settings = itertools.chain.from_iterable(value.settings for value in axis.values)
        paths = {path: split_path(path) for path in _first_distinct(settings, MAX_PATHS)}
        if any(value.simulator for value in axis.values):
            paths[SIMULATOR] = (SIMULATOR,)
        paths = {path: keys for path, keys in paths.items() if len(keys) <= MAX_DEPTH}
        for path, keys in paths.items():
            prefixes = [keys[:length] for length in range(1, len(keys) + 1)]
            earlier = next((setters[prefix] for prefix in prefixes if prefix in setters), None)
            earlier = earlier or around.get(keys)
            if earlier:
                message = f"sets {path}, which the axis {earlier[0]!r} sets as well ({earlier[1]})"
                problems.append(Problem(axis.path, message))
        for path, keys in paths.items():
            setters.setdefault(keys, (axis.name, path))
            for length in range(1, len(keys)):
                around.setdefault(keys[:length], (axis.name, path))
    return problems


def _first_distinct(paths: Iterable[str], limit: int) -> list[str]:
    distinct: dict[str, None] = {}
    for path in paths:
        distinct[path] = None
        if len(distinct) == limit:
            break
    return list(distinct)


def _readable(number: int) -> str:
    return str(number) if number < 10**15 else "more than 10^15"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MAX_LISTED
    return ", ".join(names[:_MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
