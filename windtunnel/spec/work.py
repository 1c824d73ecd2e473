"""The work of resolving scenarios, counted so that it can be limited."""

from __future__ import annotations

from typing import Any

from windtunnel.spec.limits import MAX_WORK

# In units of a value that an expression sees: 4 to 10 us of CPU time, as measured by
# bench/planning.py.
MAPPING_WORK = 20  # beside its members
PROBLEM_WORK = 100  # a name that was almost right is searched for among all known ones
_COPIED_PER_UNIT = 1000  # entries of a list


class TooMuchWorkError(Exception):
    """The limit is exceeded."""


class Work:
    """Counts units of work. Raises TooMuchWorkError."""

    def __init__(self, limit: int = MAX_WORK) -> None:
        self._left = limit

    def spend(self, units: int) -> None:
        """Count work that is about to be done."""
        self._left -= units
        if self._left < 0:
            raise TooMuchWorkError

    def copy(self, entries: int) -> None:
        """Count a copy of a list or mapping."""
        self.spend(1 + entries // _COPIED_PER_UNIT)


def checking_work(value: Any) -> int:
    """Units of checking a value against its schema."""
    if isinstance(value, dict):
        return 1 + MAPPING_WORK + sum(map(checking_work, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(checking_work, value))
    return 1
