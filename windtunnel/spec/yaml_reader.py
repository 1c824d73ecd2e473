"""YAML files: text to plain values, with the line of every field.

YAML 1.2's core schema only, so that ``on`` and ``no`` are words; no other tags, no duplicate keys.
Values are made from the parser's events, so that a file that is too large or too deep is refused
before the rest of it is read. An alias costs nothing but counts as what it stands for.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from windtunnel.errors import Problem, SpecError, quoted
from windtunnel.spec.document import Document, Place, join_keys
from windtunnel.spec.value_checks import InvalidValueError, ValueChecks

# libyaml where PyYAML has it, as in all its wheels: ten times as fast.
_Parser: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_TAG = "tag:yaml.org,2002:"
_COLLECTION_TAGS = (None, "!", f"{_TAG}map", f"{_TAG}seq")
_PLAIN = re.compile(
    r"(?P<null>~|null|Null|NULL|)"
    r"|(?P<bool>true|True|TRUE|false|False|FALSE)"
    r"|(?P<int>[-+]?[0-9]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_DIRECTIVE = re.compile(r"^%TAG\b", re.MULTILINE)
_MAX_DIGITS = 30
# A key such as ``workload.groups[0].algorithm``, and how much of a line is searched for it.
_INDEXED_KEY = re.compile(
    r"(?P<key>[A-Za-z0-9_.-]{1,200}\[[0-9]{1,9}\][A-Za-z0-9_.\[\]-]{0,200})\s*:"
)
_MAX_SEARCHED = 200


def read_yaml(text: str | bytes) -> Document:
    """Raises SpecError for what is not YAML or is more than a campaign can be."""
    source = ""
    try:
        source = text if isinstance(text, str) else _decoded(text)
        directive = _DIRECTIVE.search(source)
        if directive:  # the parser compares each with all before it
            line = source.count("\n", 0, directive.start()) + 1
            raise SpecError([Problem("", "%TAG directives are not supported; remove it", line)])
        return _Reader(source).document()
    except yaml.MarkedYAMLError as error:
        raise SpecError([_syntax_problem(error, source)]) from error
    except (yaml.YAMLError, UnicodeError) as error:
        reason = str(error).splitlines()[0][:200]
        raise SpecError([Problem("", f"not YAML: {reason}")]) from error


def _syntax_problem(error: yaml.MarkedYAMLError, source: str) -> Problem:
    """A YAML syntax error with line and column, and what to do about brackets in a key."""
    mark = error.problem_mark or error.context_mark
    message = f"not YAML: {error.problem or error.context}"
    if mark is None:
        return Problem("", message)
    line, column = mark.line + 1, mark.column + 1
    text = source.rstrip()
    if mark.index >= len(text):
        # At the end of the text the parser's mark is on the line after it.
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    message += f" (column {column})"
    start = max(mark.index - _MAX_SEARCHED, 0)
    for key in _INDEXED_KEY.finditer(source, start, mark.index + _MAX_SEARCHED):
        if key.start() <= mark.index < key.end():
            message += f'; inside {{}} quote a key that has brackets: "{key["key"]}"'
    return Problem("", message, line)


def _decoded(text: bytes) -> str:
    return text.decode("utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")


@dataclass(frozen=True)
class _Anchored:
    """The value of an anchor and what an alias of it counts as; no value while it is read."""

    value: Any = None
    place: Place | None = None
    values: int = 0
    characters: int = 0
    height: int = 0


class _Reader:
    """Makes values of the events of one file."""

    def __init__(self, text: str) -> None:
        self._parser = _Parser(text)
        self._checks = ValueChecks()
        self._anchors: dict[str, _Anchored] = {}
        self._keys: list[str | int] = []  # of the value that is being read
        self._deepest = 0

    def document(self) -> Document:
        self._event()  # the stream's start
        event = self._event()
        if isinstance(event, yaml.StreamEndEvent):
            raise SpecError([Problem("", "the file is empty; see the campaign file in the README")])
        value, place = self._value(self._event())
        self._event()  # the document's end
        event = self._event()
        if not isinstance(event, yaml.StreamEndEvent):
            self._fail(event, "a second document begins here; a campaign file has one")
        return Document(value, lambda: place)

    def _value(self, event: Any) -> tuple[Any, Place]:
        place = Place(_line(event))
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, place), place
        before, deepest = (self._checks.values, self._checks.characters), self._deepest
        self._deepest = len(self._keys)
        try:
            self._checks.value(len(self._keys))
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchored()
            value = self._content(event, place)
        except InvalidValueError as error:
            self._fail(event, str(error))
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(
                value,
                place,
                self._checks.values - before[0],
                self._checks.characters - before[1],
                self._deepest - len(self._keys),
            )
        self._deepest = max(deepest, self._deepest)
        return value, place

    def _content(self, event: Any, place: Place) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
            self._checks.scalar(value)
            return value
        if event.tag not in _COLLECTION_TAGS:
            self._fail(event, f"unsupported YAML tag {quoted(event.tag)}")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(place)
        return self._list(place)

    def _alias(self, event: Any, place: Place) -> Any:
        anchored = self._anchors.get(event.anchor)
        if anchored is None:
            self._fail(event, f"the alias *{event.anchor} has no anchor before it")
        if anchored.place is None:
            self._fail(event, f"the alias *{event.anchor} is inside of what it stands for")
        depth = len(self._keys) + anchored.height
        try:
            self._checks.value(depth)
            self._checks.add(anchored.values - 1, anchored.characters)
        except InvalidValueError as error:
            self._fail(event, str(error))
        self._deepest = max(self._deepest, depth)
        place.members = anchored.place.members
        return anchored.value

    def _mapping(self, place: Place) -> dict[str, Any]:
        values: dict[str, Any] = {}
        places: dict[str, Place] = {}
        place.members = places
        while not isinstance(event := self._event(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                self._fail(event, "a mapping key must be a string")
            key = event.value
            try:
                self._checks.key(key)
            except InvalidValueError as error:
                self._fail(event, str(error))
            self._keys.append(key)
            if key in values:
                self._fail(event, "duplicate key")
            values[key], places[key] = self._value(self._event())
            places[key].line = _line(event)
            self._keys.pop()
        return values

    def _list(self, place: Place) -> list[Any]:
        values: list[Any] = []
        places: list[Place] = []
        place.members = places
        while not isinstance(event := self._event(), yaml.SequenceEndEvent):
            self._keys.append(len(values))
            value, member = self._value(event)
            values.append(value)
            places.append(member)
            self._keys.pop()
        return values

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        tagged = event.tag not in (None, "!")
        match = _PLAIN.fullmatch(text) if event.implicit[0] or tagged else None
        kind = match.lastgroup if match else "str"
        if tagged and event.tag not in (f"{_TAG}{kind}", f"{_TAG}str"):
            self._fail(event, f"unsupported YAML tag {quoted(event.tag)} of {quoted(text)}")
        if event.tag == f"{_TAG}str":
            return text
        if kind == "int":
            if len(text) > _MAX_DIGITS:
                self._fail(event, f"{quoted(text)} is too large")
            return int(text)
        if kind == "float":
            number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
            if not math.isfinite(number):
                self._fail(event, f"{quoted(text)} is not a finite number")
            return number
        if kind == "bool":
            return text.lower() == "true"
        return None if kind == "null" else text

    def _event(self) -> Any:
        return self._parser.get_event()

    def _fail(self, event: Any, message: str) -> NoReturn:
        raise SpecError([Problem(join_keys(self._keys), message, _line(event))])


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
