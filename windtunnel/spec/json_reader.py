"""JSON files: text to plain values, with the line of every field."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, NoReturn

from windtunnel.errors import Problem, SpecError
from windtunnel.spec.document import Document, Place, join_keys
from windtunnel.spec.limits import MAX_DEPTH, MAX_VALUES
from windtunnel.spec.value_checks import InvalidKeyError, InvalidValueError, ValueChecks

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')


def read_json(text: str | bytes) -> Document:
    """Raises SpecError for what is not JSON or is more than a campaign can be.

    NaN, infinities and duplicate keys are not JSON here.
    """
    try:
        source = text if isinstance(text, str) else text.decode(json.detect_encoding(text))
        value = json.loads(source, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} (column {error.colno})"
        raise SpecError([Problem("", message, error.lineno)]) from error
    except _DuplicateKeyError as error:
        raise SpecError([_Places(source).duplicate()]) from error
    except RecursionError as error:
        raise SpecError([Problem("", f"nested deeper than {MAX_DEPTH} levels")]) from error
    except ValueError as error:
        raise SpecError([Problem("", f"not JSON: {str(error)[:200]}")]) from error
    document = Document(value, lambda: _Places(source).root())
    keys: list[str | int] = []
    try:
        _check(value, keys, ValueChecks())
    except InvalidValueError as error:
        if isinstance(error, InvalidKeyError):
            keys.pop()
        raise document.error([Problem(join_keys(keys), str(error))]) from error
    return document


def _check(value: Any, keys: list[str | int], checks: ValueChecks) -> None:
    """Check a value and its members. On an error ``keys`` leads to the member."""
    checks.value(len(keys))
    if isinstance(value, dict):
        for key, member in value.items():
            keys.append(key)
            checks.key(key)
            _check(member, keys, checks)
            keys.pop()
    elif isinstance(value, list):
        for index, member in enumerate(value):
            keys.append(index)
            _check(member, keys, checks)
            keys.pop()
    else:
        checks.scalar(value)


class _Places:
    """Finds the place of every value in a valid JSON text, of as many as a file may have."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.finditer(text)
        self._line = 1
        self._position = 0
        self._values = 0
        self._keys: list[str | int] = []  # of the value that is being read

    def root(self) -> Place:
        """The place of the whole. Raises _DuplicateKeyError."""
        symbol = self._symbol()
        root = Place(self._line)
        with contextlib.suppress(_EnoughError):
            self._members(root, symbol)
        return root

    def duplicate(self) -> Problem:
        """The problem of the first duplicate key; without its line beyond what a file may have."""
        try:
            self.root()
        except _DuplicateKeyError:
            return Problem(join_keys(self._keys), "duplicate key", self._line)
        return Problem("", "duplicate key")

    def _members(self, place: Place, symbol: str) -> None:
        """Add the members of a value that begins with this token."""
        self._values += 1
        if self._values > MAX_VALUES or len(self._keys) > MAX_DEPTH:
            raise _EnoughError
        if symbol == "{":
            self._mapping(place)
        elif symbol == "[":
            self._list(place)

    def _mapping(self, place: Place) -> None:
        members: dict[str, Place] = {}
        place.members = members
        symbol = self._symbol()
        while symbol != "}":
            key = json.loads(symbol)
            self._keys.append(key)
            if key in members:
                raise _DuplicateKeyError
            members[key] = Place(self._line)
            self._symbol()  # the colon
            self._members(members[key], self._symbol())
            self._keys.pop()
            symbol = self._symbol()
            if symbol == ",":
                symbol = self._symbol()

    def _list(self, place: Place) -> None:
        members: list[Place] = []
        place.members = members
        symbol = self._symbol()
        while symbol != "]":
            self._keys.append(len(members))
            members.append(Place(self._line))
            self._members(members[-1], symbol)
            self._keys.pop()
            symbol = self._symbol()
            if symbol == ",":
                symbol = self._symbol()

    def _symbol(self) -> str:
        """The next token; ``_line`` is its line."""
        token = next(self._tokens)
        self._line += self._text.count("\n", self._position, token.start())
        self._position = token.start()
        return token.group()


class _EnoughError(Exception):
    """The text has more values, or deeper ones, than a file may have."""


class _DuplicateKeyError(Exception):
    """An object has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _DuplicateKeyError
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")
