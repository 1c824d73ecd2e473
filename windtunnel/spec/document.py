"""Plain values of a file, with the line of every field."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windtunnel.errors import Problem, SpecError
from windtunnel.spec.limits import MAX_KEY, MAX_PROBLEMS

_INDEXED = re.compile(r"(?P<name>[^\[\]]+)(?P<indices>(\[(0|[1-9][0-9]{0,8})\])+)")
_INDEX = re.compile(r"\[([0-9]{1,9})\]")
_KEY_END = re.compile(r"(?=[.\[])|\Z")


@dataclass(slots=True)
class Place:
    """The line of a value, that of its key in a mapping, and the places of its members."""

    line: int
    members: dict[str, Place] | list[Place] | None = None


@dataclass(frozen=True)
class Document:
    """Plain values (dict, list, str, int, float, bool, None) and where they are in the file.

    ``places`` is called once a line is asked for.
    """

    value: Any
    places: Callable[[], Place] | None = None

    def line_of(self, path: str) -> int | None:
        """The line of a field; None if the file has no such field."""
        place, rest = self._nearest(path)
        return place.line if place and not rest else None

    def locate(self, problem: Problem) -> Problem:
        """The same problem with the line of its field, or of the nearest one around it."""
        place, _ = self._nearest(problem.path)
        return Problem(problem.path, problem.message, place.line if place else None)

    def error(self, problems: Sequence[Problem]) -> SpecError:
        """The error for these problems, with their lines. Of very many it has the first."""
        listed = [self.locate(problem) for problem in problems[:MAX_PROBLEMS]]
        if len(problems) > MAX_PROBLEMS:
            listed.append(Problem("", f"there are more problems; these are {MAX_PROBLEMS} of them"))
        return SpecError(listed)

    @cached_property
    def _root(self) -> Place | None:
        return self.places() if self.places else None

    def _nearest(self, path: str) -> tuple[Place | None, str]:
        """The place of a path or of the nearest value around it, and the rest of the path."""
        place, rest = self._root, path
        while place is not None and rest:
            if isinstance(place.members, dict):
                key = _first_key(place.members, rest)
            else:
                key = _first_index(place.members or [], rest)
            if key is None:
                break
            member, length = key
            place, rest = member, rest[length:].removeprefix(".")
        return place, rest


def _first_key(members: dict[str, Place], path: str) -> tuple[Place, int] | None:
    """The member of the longest key that a path begins with: keys may contain dots and indices."""
    ends = [match.start() for match in _KEY_END.finditer(path[: MAX_KEY + 1])]
    for end in reversed(ends):
        if path[:end] in members:
            return members[path[:end]], end
    return None


def _first_index(members: Sequence[Place], path: str) -> tuple[Place, int] | None:
    match = _INDEX.match(path)
    if match is None or int(match[1]) >= len(members):
        return None
    return members[int(match[1])], match.end()


def join_path(path: str, key: str | int) -> str:
    """The path of a member: ``a.b`` of a mapping, ``a[2]`` of a list."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def join_keys(keys: Sequence[str | int]) -> str:
    """The path of these keys."""
    path = ""
    for key in keys:
        path = join_path(path, key)
    return path


def split_path(path: str) -> tuple[str | int, ...]:
    """The keys of a path, the inverse of ``join_path``: ``a.b[2]`` is ``("a", "b", 2)``."""
    keys: list[str | int] = []
    for part in path.split("."):
        match = _INDEXED.fullmatch(part)
        if match is None:
            keys.append(part)
        else:
            keys.append(match["name"])
            keys += [int(index) for index in match["indices"][1:-1].split("][")]
    return tuple(keys)
