"""The labels of a campaign file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windtunnel.errors import Problem, quoted
from windtunnel.labels import (
    ALLOWED_TEXT,
    LABEL_TEXT,
    MAX_LABEL_LENGTH,
    MAX_LABELS,
    too_many_labels,
)
from windtunnel.spec.document import join_path

LABELS_FIELD: Mapping[str, Any] = {
    "type": "object",
    "default": {},
    "description": (
        f"At most {MAX_LABELS} labels such as {{branch: main, commit: 1f2e3d}}, to find and "
        f"compare campaigns by. Names and values have 1 to {MAX_LABEL_LENGTH} letters, digits, "
        "'.', '_', '/' and '-'."
    ),
    "additionalProperties": {"type": "string", "pattern": f"^{LABEL_TEXT.pattern}$"},
}


def read_labels(value: Any, problems: list[Problem]) -> dict[str, str]:
    """The labels of a campaign file. Adds to ``problems``."""
    if not isinstance(value, dict):
        return {}
    labels: dict[str, str] = {}
    for name, text in value.items():
        path = join_path("labels", name)
        if not LABEL_TEXT.fullmatch(name):
            problems.append(Problem(path, f"{quoted(name)} is not a label's name; {ALLOWED_TEXT}"))
        elif not isinstance(text, str):  # as a number 0012 would become 12
            message = f"{quoted(text)} is not a text; write it in quotes, for example '12'"
            problems.append(Problem(path, message))
        elif not LABEL_TEXT.fullmatch(text):
            problems.append(Problem(path, f"{quoted(text)} is not a label's value; {ALLOWED_TEXT}"))
        else:
            labels[name] = text
    problems += too_many_labels(labels, "labels")
    return labels
