"""Scenarios resolved against what a simulator's ``describe`` says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rfc8785

from windtunnel.errors import Problem
from windtunnel.quantities import KINDS, parse_canonical
from windtunnel.spec.expressions import Scope, summary
from windtunnel.spec.schema import Schema, choices_of, complete, problems_of

_ROOT = "scenario"


@dataclass(frozen=True)
class Resolution:
    """A scenario with every default filled in and every quantity canonical.

    With problems it is incomplete and must not be used; ``lints`` are valid but likely mistakes.
    ``quantities`` follow from it, by the simulator's expressions (hosts, flow_count, events, ...),
    and ``scope`` evaluates more of them; ``canonical`` is the scenario's RFC 8785 text.
    Parts are shared with other resolutions: neither may be changed.
    """

    scenario: Mapping[str, Any]
    problems: Sequence[Problem]
    lints: Sequence[Problem] = ()
    scope: Scope | None = None
    canonical: bytes = b""

    @property
    def quantities(self) -> Mapping[str, Any]:
        return self.scope.quantities if self.scope else {}


@dataclass(frozen=True)
class _Field:
    """One field of a scenario, resolved: what expressions see of it, and what its choices add."""

    raw: Any  # kept, so that its id is not used again
    value: Any
    problems: Sequence[Problem]
    view: Any = None
    quantities: Mapping[str, str] = field(default_factory=dict)
    constraints: Sequence[Mapping[str, str]] = ()
    lints: Sequence[Mapping[str, str]] = ()
    canonical: bytes = b""


class Resolver:
    """Resolves scenarios of one simulator, collecting every problem on the way.

    A field that several scenarios share (the same object) is resolved once.
    """

    def __init__(self, schema: Schema, simulator: str) -> None:
        self._schema = schema
        self._simulator = simulator
        self._fields: dict[tuple[str, int], _Field] = {}
        self._defaults: dict[str, _Field] = {}

    def resolve(self, scenario: Any) -> Resolution:
        """Check and complete a scenario; paths of problems begin at ``scenario``.

        Raises ContractError where one of the simulator's expressions has no value.
        """
        properties: Schema = self._schema["properties"]
        if not isinstance(scenario, dict):
            return Resolution({}, problems_of(scenario, self._schema, _ROOT))
        frame = {**self._schema, "properties": {name: {} for name in properties}}
        problems = problems_of(scenario, frame, _ROOT, self._simulator)
        fields = {
            name: self._given(name, scenario[name]) if name in scenario else self._default(name)
            for name in properties
            if name in scenario or "default" in properties[name]
        }
        problems += [problem for one in fields.values() for problem in one.problems]
        values = {name: one.value for name, one in fields.items()}
        if problems:
            return Resolution(values, problems)
        scope = Scope({name: one.view for name, one in fields.items()})
        for resolved in fields.values():
            scope.define(resolved.quantities)
        scope.define(self._schema.get("x-quantities", {}))
        constraints = [rule for field in fields.values() for rule in field.constraints]
        lints = [rule for field in fields.values() for rule in field.lints]
        return Resolution(
            values,
            _broken([*constraints, *self._schema.get("x-constraints", [])], scope),
            _broken([*lints, *self._schema.get("x-lints", [])], scope),
            scope,
            _canonical(fields),
        )

    def _given(self, name: str, raw: Any) -> _Field:
        key = (name, id(raw))
        if key not in self._fields:
            self._fields[key] = self._resolve(name, raw)
        return self._fields[key]

    def _default(self, name: str) -> _Field:
        if name not in self._defaults:
            self._defaults[name] = self._resolve(name, self._schema["properties"][name]["default"])
        return self._defaults[name]

    def _resolve(self, name: str, raw: Any) -> _Field:
        schema = self._schema["properties"][name]
        value = complete(raw, schema)
        problems = problems_of(value, schema, f"{_ROOT}.{name}", self._simulator)
        if problems:
            return _Field(raw, value, problems)
        view = _View()
        seen = view.of(value, schema)
        return _Field(
            raw,
            value,
            (),
            seen,
            view.quantities,
            view.constraints,
            view.lints,
            rfc8785.dumps(value),
        )


def _broken(constraints: Sequence[Mapping[str, str]], scope: Scope) -> list[Problem]:
    problems = []
    for constraint in constraints:
        if not scope.evaluate(constraint["require"]):
            culprits = scope.evaluate(constraint["culprits"]) if "culprits" in constraint else []
            named = f"{', '.join(map(repr, culprits))}: " if culprits else ""
            path = f"{_ROOT}.{constraint['path']}"
            problems.append(Problem(path, named + constraint["message"]))
    return problems


def _canonical(fields: Mapping[str, _Field]) -> bytes:
    """RFC 8785 of the whole from that of its fields, whose names are ASCII."""
    members = (rfc8785.dumps(name) + b":" + fields[name].canonical for name in sorted(fields))
    return b"{" + b",".join(members) + b"}"


def _number(text: str, kind: str) -> Any:
    """A quantity in its base unit, with that unit where there are several (``queue-limit``)."""
    quantity = parse_canonical(text)
    assert quantity is not None
    if len(KINDS[kind]) == 1:
        return float(quantity.value)
    return {"value": float(quantity.value), "unit": quantity.dimension.base}


class _View:
    """Collects what expressions see of a value, and the expressions of its choices."""

    def __init__(self) -> None:
        self.quantities: dict[str, str] = {}
        self.constraints: list[Mapping[str, str]] = []
        self.lints: list[Mapping[str, str]] = []

    def of(self, value: Any, schema: Schema) -> Any:
        """Numbers as doubles, quantities in their base unit, nulls left out, rows summarized."""
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, str):
            return _number(value, schema["x-quantity"]) if "x-quantity" in schema else value
        if isinstance(value, list):
            return self._list(value, schema.get("items", {}))
        chosen = choices_of(schema)[value["kind"]] if "oneOf" in schema else schema
        members = chosen.get("properties", {})
        view = {
            key: self.of(item, members.get(key, {}))
            for key, item in value.items()
            if item is not None
        }
        self.quantities |= chosen.get("x-quantities", {})
        for rules, keyword in ((self.constraints, "x-constraints"), (self.lints, "x-lints")):
            rules += [rule for rule in chosen.get(keyword, []) if rule not in rules]
        return view

    def _list(self, values: Sequence[Any], items: Schema) -> Any:
        if values and isinstance(values[0], list):
            return summary(values)
        return [self.of(value, items) for value in values]
