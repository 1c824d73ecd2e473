"""The published JSON Schema of a sweep: a grid, or a design that samples some axes."""

from __future__ import annotations

from typing import Any

from windtunnel.spec.bounds import SCALES
from windtunnel.spec.designs import DESIGNS
from windtunnel.spec.limits import MAX_CELLS

_VALUES = {
    "type": "array",
    "minItems": 1,
    "description": "Values of an axis; every combination with the other axes is run.",
}
_BOUND = {
    "type": ["number", "string"],
    "description": "A number, or a quantity such as 10us, 100Mbps, 64KB or 20p.",
}
_RANGE = {
    "type": "array",
    "minItems": 2,
    "maxItems": 3,
    "prefixItems": [
        _BOUND,
        _BOUND,
        {"enum": list(SCALES), "description": "Default: linear."},
    ],
    "description": "[low, high] or [low, high, linear|log|integer]; integer for whole numbers.",
}
_DESIGN = {
    "required": ["n", "over"],
    "properties": {
        "design": {
            "enum": list(DESIGNS),
            "description": (
                "How the axes in 'over' are sampled: saltelli for Sobol' indices, lhs for a Latin "
                "hypercube and rank regression, morris for elementary effects "
                "(docs/sensitivity.md). As a list it is an axis of that name."
            ),
        },
        "n": {
            "type": "integer",
            "minimum": 4,
            "maximum": MAX_CELLS,
            "description": (
                "Of D axes saltelli has n (D + 2) points and n is a power of two, lhs has n, "
                "morris n (D + 1): n trajectories."
            ),
        },
        "over": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": _RANGE,
            "description": "Paths into the scenario, each with the range to sample.",
        },
        "levels": {
            "type": "integer",
            "minimum": 2,
            "maximum": 100,
            "multipleOf": 2,
            "default": 4,
            "description": "Of each axis of a morris design.",
        },
    },
    "additionalProperties": _VALUES,
}


def sweep_schema() -> dict[str, Any]:
    """Keywords of the field ``sweep``."""
    return {
        "description": (
            "Axes: paths into the scenario with lists of values, of which every combination is "
            "run. With the field 'design', the axes in 'over' are sampled, and every point is run "
            "for each combination of the others."
        ),
        "if": {"required": ["design"], "properties": {"design": {"type": "string"}}},
        "then": _DESIGN,
        "else": {"additionalProperties": _VALUES},
    }
