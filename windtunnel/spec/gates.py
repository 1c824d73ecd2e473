"""Gates: conditions on a comparison that a campaign must meet.

They are in a campaign file, or in a file of their own that has only the field ``gates``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from windtunnel.errors import Problem, quoted
from windtunnel.labels import LABEL_PREFIX, referenced_labels
from windtunnel.spec.axes import label_of
from windtunnel.spec.conditions import is_absolute, parse_condition
from windtunnel.spec.description import Metric, find_metric
from windtunnel.spec.designs import Sample
from windtunnel.spec.document import Document, join_path
from windtunnel.spec.limits import MAX_GATE_CELLS, MAX_GATES
from windtunnel.spec.schema import resolve_frame
from windtunnel.suggestions import nearest, unknown_metric

BASELINE = "baseline"
FIELD = "gates"

_ID = re.compile("[0-9a-f]{4,64}")
_NOT_ALONE = (
    "extend adds seeds to this campaign only, not to the one it is compared with; use fail, warn "
    "or pass"
)
_TWO_RULES = (
    "extend needs a fixed number of replications: replications.until adds seeds by another rule"
)

_SAMPLED = "is sampled by the design; only cells that differ in the sweep's other axes correspond"

Labels = Mapping[str, Sequence[str]]  # by axis


class Inconclusive(StrEnum):
    """What follows from a gate that the replications can't decide."""

    PASS = "pass"  # noqa: S105  (not a password)
    WARN = "warn"
    FAIL = "fail"
    EXTEND = "extend"


GATES_FIELD: Mapping[str, Any] = {
    "type": "array",
    "default": [],
    "maxItems": MAX_GATES,
    "description": "Conditions that the comparison must meet (docs/gates.md).",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["metric", "require"],
        "x-aliases": {"condition": "require", "cell": "cells", "baseline": "against"},
        "properties": {
            "metric": {"type": "string"},
            "cells": {
                "type": "object",
                "default": {},
                "description": "By axis, a label or a list; default: all cells but the baseline.",
            },
            "against": {
                "type": ["object", "string"],
                "description": (
                    "baseline (the default), labels of another cell by axis, or another campaign, "
                    "whose matching cells are meant: its id, or label:branch=main for the newest "
                    "complete one of the same name."
                ),
            },
            "allow_differences": {
                "type": "boolean",
                "default": False,
                "description": (
                    "Compare with another campaign although the scenarios differ in more than the "
                    "algorithm."
                ),
            },
            "require": {
                "type": "string",
                "description": (
                    "not worse than 5 %, better, equivalent within 2 %, at most 12 ms, "
                    "at least 10 Mb/s"
                ),
            },
            "inconclusive": {
                "type": "string",
                "enum": [choice.value for choice in Inconclusive],
                "default": Inconclusive.FAIL.value,
                "description": "What follows if the replications can't decide.",
            },
        },
    },
}

_FRAME: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": [FIELD],
    "properties": {FIELD: {**GATES_FIELD, "minItems": 1}},
}


@dataclass(frozen=True)
class Gate:
    """One gate as written. ``cells`` are labels by axis; an axis that it omits has all.

    ``against`` is ``baseline``, labels of another cell by axis, a reference to another campaign, or
    None for an absolute condition.
    """

    metric: str
    require: str
    cells: Labels = field(default_factory=dict)
    against: str | Mapping[str, str] | None = BASELINE
    inconclusive: str = Inconclusive.FAIL
    allow_differences: bool = False

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Gate:
        """From a valid entry of a file, or as it is stored."""
        against = fields.get("against")
        if isinstance(against, dict):
            against = {axis: label_of(label) for axis, label in against.items()}
        elif against is None and not is_absolute(fields["require"]):
            against = BASELINE
        return cls(
            metric=fields["metric"],
            require=fields["require"],
            cells={axis: _labels(given) for axis, given in fields.get("cells", {}).items()},
            against=against,
            inconclusive=fields.get("inconclusive", Inconclusive.FAIL.value),
            allow_differences=fields.get("allow_differences", False),
        )

    @property
    def other_campaign(self) -> str | None:
        """The campaign whose cells are the references: an id or ``label:branch=main``; or None."""
        against = self.against
        return against if isinstance(against, str) and against != BASELINE else None

    def redirected(self, campaign: str) -> Gate:
        """The gate with another campaign's cells in place of the baseline or a third campaign's.

        What would have added seeds fails instead: the other campaign gets none.
        """
        if self.against != BASELINE and self.other_campaign is None:
            return self
        extends = self.inconclusive == Inconclusive.EXTEND
        inconclusive = Inconclusive.FAIL if extends else self.inconclusive
        return replace(self, against=campaign, inconclusive=inconclusive)

    def reference_labels(self, baseline: Mapping[str, str]) -> Mapping[str, str]:
        """The labels in which a cell's reference in its own campaign differs from it, if any."""
        if self.against is None or self.other_campaign is not None:
            return {}
        return self.against if isinstance(self.against, Mapping) else baseline


def other_campaigns(gates: Iterable[Gate]) -> tuple[str, ...]:
    """The other campaigns that gates name, each once."""
    named = (gate.other_campaign for gate in gates)
    return tuple(dict.fromkeys(name for name in named if name is not None))


def read_gates_file(document: Document) -> tuple[Gate, ...]:
    """The gates of a file of their own. Raises SpecError with lines."""
    if not isinstance(document.value, dict):
        raise document.error([Problem("", f"a file of gates is a mapping with the field {FIELD}")])
    frame, problems = resolve_frame(document.value, _FRAME)
    if problems:
        raise document.error(problems)
    return read_gates(frame)


def read_gates(frame: Mapping[str, Any]) -> tuple[Gate, ...]:
    """The gates of a valid frame, or of a stored campaign."""
    return tuple(Gate.from_fields(fields) for fields in frame.get(FIELD, ()))


def check_gates(
    gates: Sequence[Gate],
    metrics: Sequence[Metric],
    axes: Labels,
    baseline: Mapping[str, str],
    grows: bool = False,
    sample: Sample | None = None,
) -> list[Problem]:
    """Problems of gates on a grid with these axes: what they name must exist.

    ``grows``: the campaign adds seeds by a rule of its own (``replications.until``). ``sample``:
    some axes are sampled by a design, which makes fewer cells than all combinations.
    """
    problems = [
        Problem(join_path(join_path(FIELD, index), path), message)
        for index, gate in enumerate(gates)
        for path, message in _problems(gate, metrics, axes, baseline)
    ]
    problems += [
        Problem(join_path(join_path(FIELD, index), "inconclusive"), _TWO_RULES)
        for index, gate in enumerate(gates)
        if grows and gate.inconclusive == Inconclusive.EXTEND
    ]
    problems += [
        Problem(join_path(join_path(join_path(FIELD, index), "against"), axis), _SAMPLED)
        for index, gate in enumerate(gates)
        for axis in (gate.against if sample and isinstance(gate.against, Mapping) else ())
        if sample and axis in sample.axes
    ]
    count = sum(_cell_count(gate, axes, sample) for gate in gates)
    if not problems and count > MAX_GATE_CELLS:
        message = f"the gates compare {count} cells; at most {MAX_GATE_CELLS} are allowed"
        problems.append(Problem(FIELD, message))
    return problems


def _problems(
    gate: Gate, metrics: Sequence[Metric], axes: Labels, baseline: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    metric = find_metric(metrics, gate.metric)
    if metric is None:
        yield "metric", unknown_metric(gate.metric, [metric.name for metric in metrics])
    else:
        try:
            parse_condition(gate.require, metric)
        except ValueError as error:
            yield "require", str(error)
    for axis, labels in gate.cells.items():
        path = join_path("cells", axis)
        if not labels:
            yield path, "names no label; omit the axis for all of its labels"
        yield from ((path, message) for message in _unknown(axis, labels, axes))
    yield from _reference_problems(gate, axes, baseline)


def _reference_problems(
    gate: Gate, axes: Labels, baseline: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    if gate.against is None:
        return
    if is_absolute(gate.require):
        yield "against", f"{gate.require!r} is on a cell alone; remove the field"
        return
    if isinstance(gate.against, Mapping):
        wrong = [
            (join_path("against", axis), message)
            for axis, label in gate.against.items()
            for message in _unknown(axis, [label], axes)
        ]
        yield from wrong
        if wrong or not gate.against:
            if not gate.against:
                yield "against", f"names no label; use {BASELINE!r} or labels by axis"
            return
    elif gate.other_campaign is not None:
        yield from _campaign_problems(gate, gate.other_campaign)
        return
    elif not baseline:
        yield "against", "the campaign has no baseline; set its field baseline, or name labels here"
        return
    reference = gate.reference_labels(baseline)
    if all(gate.cells.values()) and all(
        set(gate.cells.get(axis, axes.get(axis, ()))) <= {reference[axis]} for axis in reference
    ):
        yield "cells", "leaves only cells that would be compared with themselves"


def _campaign_problems(gate: Gate, campaign: str) -> Iterator[tuple[str, str]]:
    if campaign.startswith(LABEL_PREFIX):
        _, problems = referenced_labels(campaign, "against")
        yield from ((problem.path, problem.message) for problem in problems)
    elif not _ID.fullmatch(campaign):
        known = f"{BASELINE!r}, labels by axis, a campaign's id nor {LABEL_PREFIX}NAME=VALUE"
        yield "against", f"{quoted(campaign)} is neither {known}"
    if gate.inconclusive == Inconclusive.EXTEND:
        yield "inconclusive", _NOT_ALONE


def _unknown(axis: str, labels: Sequence[str], axes: Labels) -> Iterator[str]:
    if axis not in axes:
        yield f"is not an axis of the sweep (axes: {', '.join(axes) or 'none'})"
        return
    for label in labels:
        if label not in axes[axis]:
            known = list(axes[axis])
            hint = nearest(label, known) or f" ({', '.join(known[:10])})"
            yield f"{quoted(label)} is not on the axis{hint}"


def _cell_count(gate: Gate, axes: Labels, sample: Sample | None) -> int:
    """The cells of a gate; of a design at most so many."""
    counts = {axis: len(gate.cells.get(axis, labels)) for axis, labels in axes.items()}
    if sample is None:
        return math.prod(counts.values())
    facets = math.prod(count for axis, count in counts.items() if axis not in sample.axes)
    return facets * min(sample.points, math.prod(counts[axis] for axis in sample.axes))


def _labels(given: Any) -> tuple[str, ...]:
    labels = given if isinstance(given, list | tuple) else [given]
    return tuple(dict.fromkeys(label_of(label) for label in labels))
