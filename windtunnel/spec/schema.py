"""Resolving values against the JSON Schema that a simulator's ``describe`` gives.

A resolved value has every default filled in and every quantity in canonical form. The subset of
JSON Schema understood is what ``describe`` may use: ``type``, ``enum``, ``const``, ``minimum``,
``maximum``, ``multipleOf``, ``pattern``, ``properties``, ``required``, ``additionalProperties:
false``, ``items`` with ``minItems``/``maxItems``, ``oneOf`` told apart by the constant ``kind``,
``default``, and the keywords ``x-quantity`` (see windtunnel.quantities.KINDS) with ``x-minimum``
and ``x-maximum``, ``x-ascending`` (fields whose numbers must not descend) and ``x-renamed`` (former
names of fields or values). A choice may be written as its kind alone: ``vegas`` for
``{kind: vegas}``.
"""

from __future__ import annotations

import copy
import difflib
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from windtunnel.errors import Problem, QuantityError
from windtunnel.quantities import KINDS, Quantity, parse
from windtunnel.spec.document import join_path
from windtunnel.spec.expressions import evaluate, evaluate_names

Schema = Mapping[str, Any]


class Resolver:
    """Resolves scenarios of one simulator, collecting every problem on the way."""

    def __init__(
        self,
        schema: Schema,
        constraints: Sequence[Mapping[str, Any]],
        simulator: str,
        names: Mapping[str, Any] | None = None,
    ) -> None:
        """``names`` are expressions that constraints may use by name."""
        self._schema = schema
        self._constraints = constraints
        self._simulator = simulator
        self._names = names or {}

    def resolve(self, scenario: Any) -> tuple[Any, list[Problem]]:
        """The resolved scenario, and what is wrong with it; paths begin at ``scenario``.

        With problems the value is incomplete and must not be used.
        """
        walk = _Walk(self._simulator)
        resolved = walk.value(scenario, self._schema, "scenario")
        if not walk.problems:
            walk.problems.extend(self._broken(resolved))
        return resolved, walk.problems

    def _broken(self, resolved: Any) -> Iterator[Problem]:
        names = evaluate_names(self._names, resolved)
        for constraint in self._constraints:
            applies = evaluate(constraint.get("when", True), resolved, names)
            if applies and not evaluate(constraint["require"], resolved, names):
                culprits = evaluate(constraint.get("culprits", ["list"]), resolved, names)
                about = f"{', '.join(map(repr, culprits))}: " if culprits else ""
                yield Problem(f"scenario.{constraint['path']}", about + constraint["message"])


def resolve_frame(value: Any, schema: Schema) -> tuple[Any, list[Problem]]:
    """Resolve what is no scenario, such as the campaign file's own fields."""
    walk = _Walk("")
    return walk.value(value, schema, ""), walk.problems


def nearest(word: str, known: Sequence[str]) -> str:
    """``; did you mean 'cubic'?`` or nothing, for the end of a sentence."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


class _Walk:
    def __init__(self, simulator: str) -> None:
        self.problems: list[Problem] = []
        self._simulator = simulator

    def value(self, value: Any, schema: Schema, path: str) -> Any:
        if value is None and "null" in schema.get("type", []):
            return None
        if "oneOf" in schema:
            return self._choice(value, schema, path)
        if "enum" in schema:
            return self._enum(value, schema, path)
        if "const" in schema:
            return schema["const"]
        if "x-quantity" in schema:
            return self._quantity(value, schema, path)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        for kind in types:
            if kind in _READERS:
                return _READERS[kind](self, value, schema, path)
        return copy.deepcopy(value)

    def fail(self, path: str, message: str) -> None:
        self.problems.append(Problem(path, message))

    def _choice(self, value: Any, schema: Schema, path: str) -> Any:
        choices = {choice["properties"]["kind"]["const"]: choice for choice in schema["oneOf"]}
        name = path.rsplit(".", 1)[-1]
        kind = value.get("kind") if isinstance(value, dict) else value
        if not isinstance(kind, str):
            self.fail(join_path(path, "kind"), f"missing; one of {', '.join(choices)} is needed")
            return None
        if kind not in choices:
            hint = nearest(kind, list(choices)) or f"; known: {', '.join(choices)}"
            of = f" of {self._simulator}" if self._simulator else ""
            where = path if isinstance(value, str) else join_path(path, "kind")
            article = "an" if name[:1] in "aeiou" else "a"
            self.fail(where, f"{kind!r} is not {article} {name}{of}{hint}")
            return None
        return self._object(
            value if isinstance(value, dict) else {"kind": kind}, choices[kind], path
        )

    def _enum(self, value: Any, schema: Schema, path: str) -> Any:
        known: Sequence[Any] = schema["enum"]
        renamed = schema.get("x-renamed", {})
        if isinstance(value, str) and value in renamed:
            self.fail(path, f"{value!r} was renamed to {renamed[value]!r}")
        elif isinstance(value, bool) or value not in known:
            names = [str(choice) for choice in known]
            hint = nearest(str(value), names)
            self.fail(path, f"{value!r} is not one of {', '.join(names)}{hint}")
        return value

    def _quantity(self, value: Any, schema: Schema, path: str) -> str | None:
        try:
            quantity = parse(value, schema["x-quantity"])
        except QuantityError as error:
            self.fail(path, str(error))
            return None
        for keyword, word in (("x-minimum", "least"), ("x-maximum", "most")):
            bound = _bound(schema, keyword, quantity)
            if bound and (
                quantity.value < bound.value if word == "least" else quantity.value > bound.value
            ):
                self.fail(path, f"{value} is out of range; at {word} {bound.readable()}")
        return str(quantity)

    def _object(self, value: Any, schema: Schema, path: str) -> Any:
        if not isinstance(value, dict):
            self.fail(path, f"{value!r} is not a mapping of fields")
            return None
        properties: Schema = schema.get("properties", {})
        resolved = {}
        for key, given in value.items():
            if key in properties:
                resolved[key] = self.value(given, properties[key], join_path(path, key))
            elif key in schema.get("x-renamed", {}):
                self.fail(join_path(path, key), f"renamed to {schema['x-renamed'][key]!r}")
            elif schema.get("additionalProperties") is False:
                hint = nearest(key, list(properties)) or f"; known: {', '.join(properties)}"
                self.fail(join_path(path, key), f"unknown field{hint}")
            else:
                resolved[key] = copy.deepcopy(given)
        for key, member in properties.items():
            if key in value:
                continue
            if key in schema.get("required", []):
                self.fail(join_path(path, key), "missing")
            elif "default" in member:
                resolved[key] = self.value(member["default"], member, join_path(path, key))
        for low, high in itertools.pairwise(schema.get("x-ascending", [])):
            if not _ascend(resolved.get(low), resolved.get(high)):
                self.fail(
                    join_path(path, low), f"{resolved[low]} is above {high}, {resolved[high]}"
                )
        return resolved

    def _array(self, value: Any, schema: Schema, path: str) -> Any:
        if not isinstance(value, list):
            self.fail(path, f"{value!r} is not a list")
            return None
        if len(value) < schema.get("minItems", 0):
            self.fail(path, f"has {len(value)} entries; at least {schema['minItems']} are needed")
        if len(value) > schema.get("maxItems", math.inf):
            self.fail(path, f"has {len(value)} entries; at most {schema['maxItems']} are allowed")
        items = schema.get("items", {})
        return [self.value(item, items, join_path(path, index)) for index, item in enumerate(value)]

    def _integer(self, value: Any, schema: Schema, path: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(path, f"{value!r} is not a whole number{_range(schema)}")
            return None
        return self._number_in_range(value, schema, path)

    def _number(self, value: Any, schema: Schema, path: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            self.fail(path, f"{value!r} is not a finite number{_range(schema)}")
            return None
        return self._number_in_range(float(value), schema, path)

    def _number_in_range(self, value: float, schema: Schema, path: str) -> float:
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        multiple = schema.get("multipleOf")
        if not low <= value <= high:
            self.fail(path, f"{value} is out of range{_range(schema)}")
        elif multiple and value % multiple:
            note = f"; {schema['description']}" if "description" in schema else ""
            parity = "odd" if multiple == 2 else f"not a multiple of {multiple}"
            self.fail(path, f"{value} is {parity}{note} ({low} to {high})")
        return value

    def _string(self, value: Any, schema: Schema, path: str) -> Any:
        if not isinstance(value, str):
            self.fail(path, f"{value!r} is not a text")
        elif "pattern" in schema and not re.search(schema["pattern"], value):
            name = schema.get("x-pattern-name", f"of the form {schema['pattern']}")
            note = f"; {schema['description']}" if "description" in schema else ""
            self.fail(path, f"{value!r} is not {name}{note}")
        elif len(value) > schema.get("maxLength", math.inf):
            self.fail(path, f"is longer than {schema['maxLength']} characters")
        return value

    def _boolean(self, value: Any, _schema: Schema, path: str) -> Any:
        if not isinstance(value, bool):
            self.fail(path, f"{value!r} is neither true nor false")
        return value


_READERS = {
    "object": _Walk._object,
    "array": _Walk._array,
    "integer": _Walk._integer,
    "number": _Walk._number,
    "string": _Walk._string,
    "boolean": _Walk._boolean,
}


def _ascend(low: Any, high: Any) -> bool:
    """Whether both are numbers in this order, or one is none, which is another problem's to say."""
    numbers = isinstance(low, int | float) and isinstance(high, int | float)
    return not numbers or low <= high


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"; {low} to {high} is possible"
    if low is not None:
        return f"; at least {low}"
    return f"; at most {high}" if high is not None else ""


def _bound(schema: Schema, keyword: str, quantity: Quantity) -> Quantity | None:
    """The schema's bound in the dimension of ``quantity``; several dimensions give a list."""
    bounds = schema.get(keyword, [])
    for text in [bounds] if isinstance(bounds, str) else bounds:
        bound = parse(text, schema["x-quantity"])
        if bound.dimension is quantity.dimension:
            return bound
    return None


def published_schema(schema: Any) -> Any:
    """The same schema for editors and validators that know nothing of our keywords.

    Quantities get a ``pattern``; a choice may also be the bare kind; defaults stay.
    """
    if isinstance(schema, list):
        return [published_schema(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    published = {key: published_schema(value) for key, value in schema.items()}
    if "x-quantity" in schema:
        units = [unit for dimension in KINDS[schema["x-quantity"]] for unit in dimension.units]
        published["pattern"] = rf"^\s*[0-9]+(\.[0-9]+)?\s?({'|'.join(units)})\s*$"
    if "oneOf" in schema and all("properties" in choice for choice in schema["oneOf"]):
        bare = [
            choice["properties"]["kind"]["const"]
            for choice in schema["oneOf"]
            if set(choice.get("required", [])) <= {"kind"}
        ]
        if bare:
            published["oneOf"] = [{"enum": bare}, *published["oneOf"]]
    return published
