"""A SpecError's problems as lines for the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from windtunnel.errors import Problem

_INDEX = re.compile(r"\[[0-9]+\]")
_SIMULATOR = re.compile(r" \(simulator [^()]*\)$")


def problem_lines(file: str | None, problems: Sequence[Problem]) -> list[str]:
    """``file:line: field: message``, by line. A problem of several axis values is shown once."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for problem in sorted(problems, key=lambda problem: problem.line or 0):
        key = (_INDEX.sub("[]", problem.path), _SIMULATOR.sub("", problem.message))
        groups.setdefault(key, []).append(problem)
    return [_line(file, group) for group in groups.values()]


def _line(file: str | None, group: Sequence[Problem]) -> str:
    first = group[0]
    line = f":{first.line}" if first.line else ""
    return (f"{file}{line}: " if file else "") + str(first) + _others(group)


def _others(group: Sequence[Problem]) -> str:
    values = len({problem.path for problem in group}) - 1
    if values:
        return f" (and {values} more value{'s' if values > 1 else ''})"
    simulators = len(group) - 1
    return (
        f" (and {simulators} more simulator{'s' if simulators > 1 else ''})" if simulators else ""
    )
