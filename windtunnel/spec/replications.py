"""The field ``replications``: a number of seeds, or as many as an interval's width needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import Problem
from windtunnel.spec.limits import MAX_REPLICATIONS
from windtunnel.spec.schema import resolve_frame

MEAN = "mean"
DIFFERENCE = "difference"

STOPPING_FIELDS: Mapping[str, Any] = {
    "type": "object",
    "description": "Seeds are added to cells until their interval is narrow enough.",
    "additionalProperties": False,
    "required": ["max", "until"],
    "properties": {
        "min": {
            "type": "integer",
            "minimum": 3,
            "maximum": MAX_REPLICATIONS,
            "default": 10,
            "description": "Seeds of every cell; with few, stopping makes intervals too narrow.",
        },
        "max": {"type": "integer", "minimum": 3, "maximum": MAX_REPLICATIONS},
        "until": {
            "type": "object",
            "additionalProperties": False,
            "required": ["metric", "relative_ci"],
            "properties": {
                "metric": {"type": "string"},
                "relative_ci": {
                    "type": "number",
                    "minimum": 0.0001,
                    "maximum": 1,
                    "description": "Half-width of the 95 % interval as a fraction of the mean.",
                },
                "of": {
                    "type": "string",
                    "enum": [MEAN, DIFFERENCE],
                    "default": MEAN,
                    "description": "Of the cell's mean, or of its difference to the baseline.",
                },
            },
        },
    },
}


@dataclass(frozen=True)
class Stopping:
    """Cells get at most ``max`` seeds, until the half-width of the 95 % interval of ``metric`` is
    at most ``relative_ci`` of the mean: the cell's, or the baseline's ``of`` a difference."""

    min: int
    max: int
    metric: str
    relative_ci: float
    of: str

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Stopping:
        return cls(**fields)


def read_replications(value: Any, problems: list[Problem]) -> tuple[Any, Stopping | None]:
    """Number of seeds to begin with, and when to stop adding more. Adds to ``problems``.

    Anything but a mapping is returned as it is, to be checked as a number.
    """
    if not isinstance(value, dict):
        return value, None
    fields, found = resolve_frame(value, STOPPING_FIELDS, "replications")
    if not found and fields["max"] < fields["min"]:
        message = f"{fields['max']} is less than min, {fields['min']}"
        found = [Problem("replications.max", message)]
    if found:
        problems += found
        return 1, None
    until = fields["until"]
    return fields["min"], Stopping(fields["min"], fields["max"], **until)
