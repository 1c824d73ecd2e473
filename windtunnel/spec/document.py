"""Campaign files: YAML 1.2 (or JSON) text to plain values, with the line of every field.

YAML's core schema only, so that ``on`` and ``no`` are words; no tags, no duplicate keys, and a
bounded number of values, which stops aliases that multiply.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import yaml

from windtunnel.errors import Problem, SpecError

MAX_VALUES = 100_000
MAX_DEPTH = 40
_MAX_LOCATED = 2000  # characters of a path that are searched for a line
_LARGEST_EXACT = 2**53 - 1  # whole numbers that JSON readers agree on (RFC 8259, section 6)
_INDEXED = re.compile(r"(?P<name>[^\[\]]+)(?P<indices>(\[(0|[1-9][0-9]{0,8})\])+)")
_INDEXED_KEY = re.compile(r"(?P<key>[A-Za-z0-9_.-]+\[[0-9]+\][A-Za-z0-9_.\[\]-]*)\s*:")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Document:
    """Plain values (dict, list, str, int, float, bool, None) and the line of each path."""

    value: Any
    lines: Mapping[str, int] = field(default_factory=dict)

    def locate(self, problem: Problem) -> Problem:
        """The same problem with the line of its field, or of the nearest one around it."""
        path = problem.path
        if self.lines and path not in self.lines:
            path = path[:_MAX_LOCATED]
            while path and path not in self.lines:
                path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return Problem(problem.path, problem.message, self.lines.get(path))


def join_path(path: str, key: str | int) -> str:
    """The path of a member: ``a.b`` of a mapping, ``a[2]`` of a list."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


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


def read_json(text: str | bytes) -> Document:
    """Raises SpecError for what is not JSON, NaN and infinities and duplicate keys included."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} (column {error.colno})"
        raise SpecError([Problem("", message, error.lineno)]) from error
    except _DuplicateKeyError as error:
        path, line = _first_duplicate(text)
        raise SpecError([Problem(path, "duplicate key", line)]) from error
    except (ValueError, RecursionError) as error:
        raise SpecError([Problem("", f"not JSON: {_short(error)}")]) from error
    return _storable(Document(value, _JsonLines(text)))


class _JsonLines(Mapping[str, int]):
    """The line of every path of a valid JSON text, computed when a problem has to be located."""

    def __init__(self, text: str | bytes) -> None:
        self._text = text

    def __getitem__(self, path: str) -> int:
        return self._lines[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    @cached_property
    def _lines(self) -> dict[str, int]:
        return dict(_json_places(self._text))


def _json_places(text: str | bytes) -> Iterator[tuple[str, int]]:
    """Path and line of every value in a JSON text, in order. A member's line is its key's."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text))
    parents: list[tuple[str, Iterator[int] | None]] = []  # path; indices of a list
    path, line, position = "", 1, 0
    key_expected = after_key = False
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", position, token.start())
        position = token.start()
        symbol = token.group()
        if symbol in "]}":
            parents.pop()
            key_expected = False
        elif key_expected:
            path, key_expected, after_key = (
                join_path(parents[-1][0], json.loads(symbol)),
                False,
                True,
            )
            yield path, line
        elif symbol not in ",:":
            if not after_key:
                yield path, line
            after_key = False
            if symbol in "[{":
                parents.append((path, itertools.count() if symbol == "[" else None))
        if symbol in ("[", "{", ","):
            parent, indices = parents[-1]
            key_expected = indices is None
            path = parent if indices is None else join_path(parent, next(indices))


def _first_duplicate(text: str | bytes) -> tuple[str, int]:
    seen = set()
    for path, line in _json_places(text):
        if path in seen:
            return path, line
        seen.add(path)
    raise AssertionError("no duplicate path")


def read_yaml(text: str | bytes) -> Document:
    """Raises SpecError for what is not YAML or is more than a campaign can be."""
    try:
        node = yaml.compose(text, Loader=_CoreLoader)
    except yaml.MarkedYAMLError as error:
        raise SpecError([_syntax_problem(error, text)]) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SpecError([Problem("", f"not YAML: {_short(error)}")]) from error
    except RecursionError as error:
        raise SpecError([Problem("", "nested too deeply")]) from error
    if node is None:
        raise SpecError([Problem("", "the file is empty; see the campaign file in the README")])
    return _storable(_Constructor().document(node))


def _syntax_problem(error: yaml.MarkedYAMLError, text: str | bytes) -> Problem:
    """A YAML syntax error with line and column, and what to do about brackets in a key."""
    mark = error.problem_mark or error.context_mark
    message = f"not YAML: {error.problem or error.context}"
    if mark is None:
        return Problem("", message)
    message += f" (column {mark.column + 1})"
    lines = (text if isinstance(text, str) else text.decode(errors="replace")).splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    for key in _INDEXED_KEY.finditer(line):
        if key.start() <= mark.column < key.end():
            message += f'; inside {{}} quote a key that has brackets: "{key["key"]}"'
    return Problem("", message, mark.line + 1)


class _CoreLoader(yaml.SafeLoader):
    """PyYAML's parser with the scalars of YAML 1.2's core schema instead of YAML 1.1's."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]


for _tag, _form, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        (
            r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
        "-+.0123456789",
    ),
    ("null", r"~|null|Null|NULL|", "~nN"),
):
    _CoreLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(f"^(?:{_form})$"),
        [*_first, ""] if _tag == "null" else list(_first),
    )


class _Constructor:
    """Turns a node graph into values, counting every visit so that aliases can't multiply."""

    def __init__(self) -> None:
        self._visited = 0
        self._lines: dict[str, int] = {}

    def document(self, root: yaml.Node) -> Document:
        return Document(self._value(root, "", 0), self._lines)

    def _value(self, node: yaml.Node, path: str, depth: int) -> Any:
        self._visited += 1
        self._lines[path] = node.start_mark.line + 1
        if self._visited > MAX_VALUES:
            self._fail(node, path, f"more than {MAX_VALUES} values once aliases are written out")
        if depth > MAX_DEPTH:
            self._fail(node, path, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode):
            return [
                self._value(item, join_path(path, index), depth + 1)
                for index, item in enumerate(node.value)
            ]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: str, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._fail(key_node, path, "a mapping key must be a string")
            key = key_node.value
            if key in result:
                self._fail(key_node, join_path(path, key), "duplicate key")
            result[key] = self._value(value_node, join_path(path, key), depth + 1)
            self._lines[join_path(path, key)] = key_node.start_mark.line + 1
        return result

    def _scalar(self, node: yaml.Node, path: str) -> Any:
        text: str = node.value
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind == "str":
            return text
        if kind == "int":
            return int(text) if len(text) < 30 else self._fail(node, path, "too large")
        if kind == "float":
            number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
            if not math.isfinite(number):
                self._fail(node, path, f"{text} is not a finite number")
            return number
        if kind == "bool":
            return text.lower() == "true"
        if kind == "null":
            return None
        return self._fail(node, path, f"unsupported YAML tag {node.tag}")

    def _fail(self, node: yaml.Node, path: str, message: str) -> NoReturn:
        raise SpecError([Problem(path, message, node.start_mark.line + 1)])


def _storable(document: Document) -> Document:
    """Refuse what a database can't hold, or what is nested beyond reason."""
    open_values: list[tuple[Any, int]] = [(document.value, 0)]
    while open_values:
        value, depth = open_values.pop()
        if depth > MAX_DEPTH:
            raise SpecError([Problem("", f"nested deeper than {MAX_DEPTH} levels")])
        if isinstance(value, dict):
            open_values += [(item, depth + 1) for pair in value.items() for item in pair]
        elif isinstance(value, list):
            open_values += [(item, depth + 1) for item in value]
        elif isinstance(value, str) and ("\x00" in value or _SURROGATE.search(value)):
            message = "a string contains a NUL character or an unpaired surrogate"
            raise SpecError([Problem("", message)])
        elif isinstance(value, float) and not math.isfinite(value):
            raise SpecError([Problem("", "a number is too large to be finite")])
        elif isinstance(value, int) and abs(value) > _LARGEST_EXACT:
            raise SpecError([Problem("", f"{str(value)[:30]} is too large for an integer")])
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")


class _DuplicateKeyError(Exception):
    """An object has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _DuplicateKeyError
    return result


def _short(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
