"""Labels of campaigns: ``branch: main``, ``commit: 1f2e3d``, to find and compare them by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from windtunnel.errors import Problem, quoted

MAX_LABELS = 20
LABEL_PREFIX = "label:"
MAX_LABEL_LENGTH = 63
LABEL_TEXT = re.compile(rf"[A-Za-z0-9._/-]{{1,{MAX_LABEL_LENGTH}}}", re.ASCII)
ALLOWED_TEXT = f"use 1 to {MAX_LABEL_LENGTH} letters, digits, '.', '_', '/' and '-'"


def parse_labels(texts: Iterable[str], path: str) -> tuple[dict[str, str], list[Problem]]:
    """Labels written ``branch=main``, and what is wrong with them; ``path`` is of their field."""
    labels: dict[str, str] = {}
    problems = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not LABEL_TEXT.fullmatch(name) or not LABEL_TEXT.fullmatch(value):
            message = (
                f"{quoted(text)} is not a label such as branch=main; for both sides {ALLOWED_TEXT}"
            )
            problems.append(Problem(path, message))
        elif labels.get(name, value) != value:
            message = f"label {name!r} is given twice, as {labels[name]!r} and {value!r}"
            problems.append(Problem(path, message))
        else:
            labels[name] = value
    return labels, problems + too_many_labels(labels, path)


def referenced_labels(reference: str, path: str) -> tuple[dict[str, str], list[Problem]]:
    """The labels of a reference to a campaign written ``label:branch=main,os=linux``."""
    return parse_labels(reference.removeprefix(LABEL_PREFIX).split(","), path)


def too_many_labels(labels: Mapping[str, str], path: str) -> list[Problem]:
    if len(labels) <= MAX_LABELS:
        return []
    return [Problem(path, f"{len(labels)} labels; at most {MAX_LABELS} are allowed")]


def label_texts(labels: Mapping[str, str]) -> list[str]:
    """``branch=main`` for each label, by name."""
    return [f"{name}={value}" for name, value in sorted(labels.items())]


def check_superseding(names: Iterable[str], labels: Mapping[str, str], path: str) -> list[Problem]:
    """What is wrong with the names of labels by which a campaign supersedes older ones."""
    has = ", ".join(sorted(labels)) or "none"
    return [
        Problem(path, f"the campaign has no label {quoted(name)}; it has {has}")
        for name in names
        if name not in labels
    ]
