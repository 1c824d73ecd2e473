"""The scenarios of a grid's points: the campaign's scenario with the settings of axis values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.spec.axes import AxisValue
from windtunnel.spec.document import join_path
from windtunnel.spec.work import Work


class GridScenarios:
    """The scenarios of a grid's points. Points that agree on a field share its value."""

    def __init__(self, scenario: Mapping[str, Any], work: Work) -> None:
        self._scenario = scenario
        self._work = work
        self._fields: dict[tuple[str, tuple[int, ...]], Any] = {}

    def at(self, point: Sequence[AxisValue]) -> dict[str, Any]:
        """The campaign's scenario with a point's settings. Raises PathError, TooMuchWorkError."""
        self._work.copy(len(self._scenario))
        setters: dict[str, list[AxisValue]] = {}
        for value in point:
            for field in value.by_field:
                setters.setdefault(field, []).append(value)
        return {
            **self._scenario,
            **{name: self._field(name, values) for name, values in setters.items()},
        }

    def _field(self, name: str, values: Sequence[AxisValue]) -> Any:
        key = (name, tuple(map(id, values)))
        if key not in self._fields:
            field = self._scenario.get(name)
            for value in values:
                for path, keys in value.by_field[name]:
                    try:
                        field = _with(field, keys, value.settings[path], name, self._work)
                    except LookupError as error:
                        raise PathError(value, f"can't set {path}: {error}") from error
            self._fields[key] = field
        return self._fields[key]


class PathError(Exception):
    """An axis value sets a path that leads past the end of a list, or through what is no list."""

    def __init__(self, value: AxisValue, message: str) -> None:
        self.value = value
        super().__init__(message)


def _with(target: Any, keys: Sequence[str | int], setting: Any, place: str, work: Work) -> Any:
    """A copy of what is at ``place`` with a member set; mappings are made on the way, lists aren't.

    ``kind`` alone becomes a mapping. Raises LookupError for an index that the scenario lacks.
    """
    if not keys:
        return setting
    key, *rest = keys
    member = join_path(place, key)
    if isinstance(key, int):
        if not isinstance(target, list):
            raise LookupError(f"the scenario has no list {place}")
        if key >= len(target):
            entries = "1 entry" if len(target) == 1 else f"{len(target)} entries"
            raise LookupError(f"{place} has {entries}, counted from 0")
        work.copy(len(target))
        changed = _with(target[key], rest, setting, member, work)
        return [*target[:key], changed, *target[key + 1 :]]
    inner = {"kind": target} if isinstance(target, str) else target
    inner = inner if isinstance(inner, dict) else {}
    work.copy(len(inner))
    return {**inner, key: _with(inner.get(key), rest, setting, member, work)}
