"""The campaign's own fields, around the scenario that only its simulator understands."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import Problem
from windtunnel.quantities import parse_canonical
from windtunnel.settings import Settings
from windtunnel.spec.analysis import ANALYSIS_FIELDS, Analysis, read_analysis
from windtunnel.spec.axes import (
    REFERENCE,
    REFERENCE_NAME,
    SIMULATOR,
    Axis,
    AxisValue,
    read_axes,
    read_baseline,
    simulator_path,
    too_large,
)
from windtunnel.spec.designs import (
    Design,
    check_baseline,
    is_design,
    read_design,
    too_large_design,
)
from windtunnel.spec.document import Document
from windtunnel.spec.labels import LABELS_FIELD, read_labels
from windtunnel.spec.limits import MAX_REPLICATIONS, MAX_RUNS, MAX_SIMULATORS
from windtunnel.spec.notify import NOTIFY_FIELD, read_notify
from windtunnel.spec.replications import STOPPING_FIELDS, read_replications
from windtunnel.spec.schema import published_schema, resolve_frame
from windtunnel.spec.sweep_schema import sweep_schema

UNSUPPORTED = {
    "impairments": "impairments are not supported yet; remove the field",
}

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
            "pattern": REFERENCE,
            "x-pattern-name": REFERENCE_NAME,
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
        **ANALYSIS_FIELDS,
        "labels": LABELS_FIELD,
        "notify": NOTIFY_FIELD,
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
    analysis: Analysis
    labels: Mapping[str, str]
    notify_url: str | None
    document: Mapping[str, Any]
    design: Design | None = None

    def points(self) -> list[tuple[AxisValue, ...]]:
        """The value of each cell on every axis: all combinations, or those of a design.

        Every point of a design is there for each setting of the other axes, which come first.
        """
        if self.design is None:
            return list(itertools.product(*(axis.values for axis in self.axes)))
        facets = [axis.values for axis in self.axes if not axis.sampled]
        return [
            (*setting, *point)
            for setting in itertools.product(*facets)
            for point in self.design.points
        ]

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


def read_campaign(document: Document, max_runs: int = MAX_RUNS) -> Campaign:
    """Check the size and the frame. Raises SpecError with all problems and their lines."""
    raw = document.value
    if not isinstance(raw, dict):
        raise document.error([Problem("", "a campaign is a mapping with name, scenario and sweep")])
    sweep = raw.get("sweep")
    check_size = too_large_design if is_design(sweep) else too_large
    oversize = check_size(sweep, raw.get("replications"), max_runs)
    if oversize:
        raise document.error([oversize])
    early = [Problem(field, message) for field, message in UNSUPPORTED.items() if field in raw]
    deferred = {problem.path for problem in early}
    known = {key: value for key, value in raw.items() if key not in deferred}
    stopping = None
    if "replications" in known:
        known["replications"], stopping = read_replications(known["replications"], early)
    frame, problems = resolve_frame(known, FRAME)
    problems = early + problems
    design, axes = _read_sweep(sweep, problems)
    # The axes of a misspelt ``sweep`` are not known.
    sweep_is_known = "sweep" in raw or set(raw) <= set(FRAME["properties"])
    baseline = {}
    if sweep_is_known and not (is_design(sweep) and design is None):
        baseline = _read_baseline(known.get("baseline", {}), design, axes, problems)
    scenario = _with_series(frame, problems)
    labels = read_labels(known.get("labels", {}), problems)
    notify_url = read_notify(known.get("notify"), problems)
    analysis = Analysis() if problems else read_analysis(frame, stopping, problems)
    if problems:
        raise document.error(problems)
    campaign = Campaign(
        name=frame["name"],
        description=frame["description"],
        simulator=frame["simulator"],
        scenario=scenario,
        axes=axes,
        replications=frame["replications"],
        baseline=baseline,
        limits=RunLimits.from_fields(frame["limits"]),
        analysis=analysis,
        labels=labels,
        notify_url=notify_url,
        document=raw,
        design=design,
    )
    count = len(campaign.simulators())
    if count > MAX_SIMULATORS:
        message = f"the cells have {count} simulators; at most {MAX_SIMULATORS} are allowed"
        raise document.error([Problem("sweep", message)])
    return campaign


def _read_sweep(sweep: Any, problems: list[Problem]) -> tuple[Design | None, tuple[Axis, ...]]:
    if is_design(sweep):
        return read_design(sweep, problems)
    return None, read_axes(sweep, problems)


def _read_baseline(
    value: Any, design: Design | None, axes: tuple[Axis, ...], problems: list[Problem]
) -> dict[str, str]:
    if design is None:
        return read_baseline(value, axes, problems)
    sampled = check_baseline(value, design)
    problems += sampled
    facets = tuple(axis for axis in axes if not axis.sampled)
    return {} if sampled else read_baseline(value, facets, problems)


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


def campaign_schema(scenario_schema: Mapping[str, Any]) -> dict[str, Any]:
    """The published JSON Schema of a campaign file for one simulator.

    The scenario's own ``required`` is left out: an axis of the sweep may bring what is missing.
    """
    scenario = published_schema(scenario_schema)
    scenario.pop("required", None)
    frame = published_schema(FRAME)
    properties = {**frame["properties"], "scenario": scenario}
    properties["sweep"] |= sweep_schema()
    stopping = published_schema(STOPPING_FIELDS)
    properties["replications"] = {"anyOf": [properties["replications"], stopping]}
    properties["series"] = scenario["properties"].get("series", {"type": "array"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Windtunnel campaign",
        **frame,
        "properties": properties,
    }
