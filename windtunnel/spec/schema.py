"""Values checked against JSON Schema (the ``jsonschema`` package), with our keywords and wording.

Beside the standard's keywords a schema may have ``x-quantity`` (see windtunnel.quantities.KINDS)
with ``x-minimum`` and ``x-maximum``, ``x-ascending`` (fields whose numbers must not descend),
``x-renamed`` (former names of fields or values) and ``x-aliases`` (fields that people try instead).
``oneOf`` tells its choices apart by the constant ``kind``; a choice may be written as its kind
alone: ``vegas`` for ``{kind: vegas}``.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from windtunnel.errors import Problem, QuantityError, quoted
from windtunnel.quantities import KINDS, Quantity, parse
from windtunnel.spec.document import join_path
from windtunnel.spec.limits import MAX_PROBLEMS
from windtunnel.suggestions import nearest, nearest_kind

Schema = Mapping[str, Any]

# How messages about a field itself begin, not about its value.
MISSING = "missing"
UNKNOWN = "unknown field"
RENAMED = "renamed to"


def choices_of(schema: Schema) -> dict[str, Schema]:
    """The choices of a schema by their kind; empty where it has none."""
    return {choice["properties"]["kind"]["const"]: choice for choice in schema.get("oneOf", [])}


def as_choice(value: Any, schema: Schema) -> tuple[Any, Schema]:
    """The value with a kind alone as a mapping, and the choice that it is; the schema if none.

    A mapping without a kind changes the default: of ``{kind: ring, size: 4}``, ``{size: 6}`` is a
    ring as well.
    """
    if "oneOf" not in schema:
        return value, schema
    choices = choices_of(schema)
    default = schema.get("default")
    if isinstance(value, dict) and "kind" not in value and isinstance(default, dict):
        value = {**default, **value}
    value = {"kind": value} if isinstance(value, str) and value in choices else value
    kind = value.get("kind") if isinstance(value, dict) else None
    return value, choices[kind] if isinstance(kind, str) and kind in choices else schema


def complete(value: Any, schema: Schema) -> Any:
    """The value with defaults filled in, quantities canonical and kinds as objects.

    A list of which nothing changes is returned itself. What does not fit the schema is left as it
    is, for ``problems_of`` to find.
    """
    if value is None:
        return None
    if "oneOf" in schema:
        value, chosen = as_choice(value, schema)
        return value if chosen is schema else _complete_object(value, chosen)
    if "x-quantity" in schema:
        try:
            return str(parse(value, schema["x-quantity"]))
        except QuantityError:
            return value
    if isinstance(value, dict) and "properties" in schema:
        return _complete_object(value, schema)
    if isinstance(value, list) and "items" in schema:
        completed = [complete(item, schema["items"]) for item in value]
        unchanged = all(new is old for new, old in zip(completed, value, strict=True))
        return value if unchanged else completed
    if schema.get("type") == "number" and type(value) is int and abs(value) < 2**53:
        return float(value)
    return value


def _complete_object(value: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    properties: Schema = schema["properties"]
    completed = {
        key: complete(item, properties[key]) if key in properties else item
        for key, item in value.items()
    }
    for key, member in properties.items():
        if key in value or key in schema.get("required", []):
            continue
        if "default" in member:
            completed[key] = complete(member["default"], member)
        elif "const" in member:
            completed[key] = member["const"]
    return completed


def problems_of(value: Any, schema: Schema, path: str, simulator: str = "") -> list[Problem]:
    """What is wrong with a completed value: one problem a field, paths beginning at ``path``.

    Of very many it has one more than are listed.
    """
    problems: dict[str, Problem] = {}
    errors = _Validator(schema).iter_errors(value)
    for error in itertools.islice(errors, MAX_PROBLEMS + 1):
        place = path
        for key in error.absolute_path:
            place = join_path(place, key)
        message = error.message
        if error.validator in _WORDING:
            violation = _Violation(
                message=message,
                field=_field(place),
                value=error.instance,
                limit=error.validator_value,
                schema=dict(error.schema) if isinstance(error.schema, Mapping) else {},
                simulator=simulator,
            )
            message = _WORDING[error.validator](violation)
        problems.setdefault(place, Problem(place, message))
    return list(problems.values())


def _field(path: str) -> str:
    """The last field of a path that has a name of its own: a choice is more than its ``kind``."""
    return path.removesuffix(".kind").rsplit(".", 1)[-1]


def resolve_frame(value: Any, schema: Schema, path: str = "") -> tuple[Any, list[Problem]]:
    """Complete and check what is no scenario, such as the campaign file's own fields."""
    completed = complete(value, schema)
    return completed, problems_of(completed, schema, path)


# ------------------------------------------------------------------ keywords


def _required(_: Any, names: Sequence[str], value: Any, __: Schema) -> Iterator[ValidationError]:
    for name in names if isinstance(value, dict) else ():
        if name not in value:
            yield ValidationError(MISSING, path=[name])


def _additional(_: Any, allowed: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
    if allowed is not False or not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    for key in [key for key in value if key not in properties]:
        hint = nearest(key, list(properties)) or f"; known: {', '.join(properties)}"
        if key in schema.get("x-aliases", {}):
            hint = f"; did you mean {schema['x-aliases'][key]!r}?"
        message = f"{UNKNOWN}{hint}"
        if key in schema.get("x-renamed", {}):
            message = f"{RENAMED} {schema['x-renamed'][key]!r}"
        yield ValidationError(message, path=[key])


def _one_of(validator: Any, _: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
    if value is None and "null" in schema.get("type", []):
        return
    choices = choices_of(schema)
    kind = value.get("kind") if isinstance(value, dict) else value
    if not isinstance(kind, str):
        message = f"{MISSING}; one of {', '.join(choices)} is needed"
        yield ValidationError(message, path=["kind"])
    elif kind in choices and isinstance(value, dict):
        yield from validator.descend(value, choices[kind])
    else:
        # The wording needs the field's name.
        yield ValidationError(kind, path=["kind"] if isinstance(value, dict) else [])


def _type(validator: Any, kinds: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "oneOf" in schema or "x-quantity" in schema:
        return  # these say it better
    if not any(validator.is_type(value, kind) for kind in kinds):
        yield ValidationError(quoted(value))


def _quantity(_: Any, kind: str, value: Any, schema: Schema) -> Iterator[ValidationError]:
    if value is None and "null" in schema.get("type", []):
        return
    try:
        quantity = parse(value, kind)
    except QuantityError as error:
        yield ValidationError(str(error))
        return
    for keyword, word in (("x-minimum", "least"), ("x-maximum", "most")):
        bound = _bound(schema, keyword, quantity)
        if bound and (
            quantity.value < bound.value if word == "least" else quantity.value > bound.value
        ):
            yield ValidationError(
                f"{quantity.readable()} is out of range; at {word} {bound.readable()}"
            )


def _bound(schema: Schema, keyword: str, quantity: Quantity) -> Quantity | None:
    """The schema's bound in the dimension of ``quantity``; several dimensions give a list."""
    bounds = schema.get(keyword, [])
    for text in [bounds] if isinstance(bounds, str) else bounds:
        bound = parse(text, schema["x-quantity"])
        if bound.dimension is quantity.dimension:
            return bound
    return None


def _ascending(_: Any, names: Sequence[str], value: Any, __: Schema) -> Iterator[ValidationError]:
    for low, high in itertools.pairwise(names if isinstance(value, dict) else ()):
        numbers = [value.get(low), value.get(high)]
        if all(isinstance(n, int | float) for n in numbers) and numbers[0] > numbers[1]:
            yield ValidationError(f"{value[low]} is above {high}, {value[high]}", path=[low])


def _pattern(_: Any, pattern: str, value: Any, __: Schema) -> Iterator[ValidationError]:
    """As JSON Schema has it: ``$`` is the end of the text, not a line break before it."""
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_: Any, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "required": _required,
        "additionalProperties": _additional,
        "oneOf": _one_of,
        "pattern": _pattern,
        "type": _type,
        "x-quantity": _quantity,
        "x-ascending": _ascending,
    },
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)

# ------------------------------------------------------------------ wording


@dataclass(frozen=True)
class _Violation:
    """A keyword that a value breaks: ``limit`` is what the schema says there."""

    message: str
    field: str
    value: Any
    limit: Any
    schema: Schema
    simulator: str

    @property
    def note(self) -> str:
        """The schema's description, for the end of a sentence."""
        return f"; {self.schema['description']}" if "description" in self.schema else ""


def _word_choice(broken: _Violation) -> str:
    if broken.message.startswith(MISSING):
        return broken.message
    choices = choices_of(broken.schema)
    hint = nearest_kind(broken.message, choices) or f"; known: {', '.join(choices)}"
    field = broken.field
    of = f" of {broken.simulator}" if broken.simulator else ""
    article = "an" if field[:1] in "aeiou" else "a"
    return f"{broken.message!r} is not {article} {field}{of}{hint}"


def _word_enum(broken: _Violation) -> str:
    renamed = broken.schema.get("x-renamed", {})
    if isinstance(broken.value, str) and broken.value in renamed:
        return f"{quoted(broken.value)} was renamed to {renamed[broken.value]!r}"
    known = [str(choice) for choice in broken.limit]
    hint = nearest(str(broken.value), known)
    return f"{quoted(broken.value)} is not one of {', '.join(known)}{hint}"


def _word_type(broken: _Violation) -> str:
    kinds = [broken.limit] if isinstance(broken.limit, str) else broken.limit
    kind = next(kind for kind in kinds if kind != "null")
    bounds = _range(broken.schema) if kind in ("integer", "number") else ""
    return f"{quoted(broken.value)} {_NOT_OF_TYPE[kind]}{bounds}"


_NOT_OF_TYPE = {
    "object": "is not a mapping of fields",
    "array": "is not a list",
    "integer": "is not a whole number",
    "number": "is not a finite number",
    "string": "is not a string",
    "boolean": "is neither true nor false",
}


def _word_range(broken: _Violation) -> str:
    return f"{broken.value} is out of range{_range(broken.schema)}"


def _word_multiple(broken: _Violation) -> str:
    low, high = broken.schema.get("minimum"), broken.schema.get("maximum")
    parity = "odd" if broken.limit == 2 else f"not a multiple of {broken.limit}"
    bounds = "" if low is None or high is None else f" ({low} to {high})"
    return f"{broken.value} is {parity}{broken.note}{bounds}"


def _word_pattern(broken: _Violation) -> str:
    name = broken.schema.get("x-pattern-name", f"of the form {broken.limit}")
    return f"{quoted(broken.value)} is not {name}{broken.note}"


def _word_length(broken: _Violation) -> str:
    return f"is longer than {broken.limit} characters"


def _word_too_few(broken: _Violation) -> str:
    return f"has {len(broken.value)} entries; at least {broken.limit} are needed"


def _word_too_many(broken: _Violation) -> str:
    return f"has {len(broken.value)} entries; at most {broken.limit} are allowed"


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"; {low} to {high} is possible"
    if low is not None:
        return f"; at least {low}"
    return f"; at most {high}" if high is not None else ""


_WORDING: Mapping[Any, Callable[[_Violation], str]] = {
    "oneOf": _word_choice,
    "enum": _word_enum,
    "type": _word_type,
    "minimum": _word_range,
    "maximum": _word_range,
    "multipleOf": _word_multiple,
    "pattern": _word_pattern,
    "maxLength": _word_length,
    "minItems": _word_too_few,
    "maxItems": _word_too_many,
}


_NOT_PUBLISHED = frozenset(
    ("x-quantities", "x-constraints", "x-lints", "x-layout", "x-renamed", "x-aliases")
)


def published_schema(schema: Any) -> Any:
    """The same schema for editors and validators that know nothing of our keywords.

    Quantities get a ``pattern``; a choice may also be the bare kind, or null where that is allowed;
    defaults stay, expressions go.
    """
    if isinstance(schema, list):
        return [published_schema(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    published = {
        key: published_schema(value) for key, value in schema.items() if key not in _NOT_PUBLISHED
    }
    if "x-quantity" in schema:
        units = [unit for dimension in KINDS[schema["x-quantity"]] for unit in dimension.units]
        published["pattern"] = rf"^\s*[0-9]+(\.[0-9]+)?\s?({'|'.join(units)})\s*$"
    if "oneOf" in schema:
        nullable = "null" in published.pop("type", [])
        bare = [
            kind
            for kind, choice in choices_of(schema).items()
            if set(choice.get("required", [])) <= {"kind"}
        ]
        default = schema.get("default")
        if isinstance(default, Mapping):
            for choice in published["oneOf"]:
                if choice["properties"]["kind"]["const"] == default["kind"]:
                    choice["required"] = [name for name in choice["required"] if name != "kind"]
        published["oneOf"] = [
            *([{"enum": bare}] if bare else []),
            *published["oneOf"],
            *([{"type": "null"}] if nullable else []),
        ]
    return published
