"""Scenarios resolved against what a simulator's ``describe`` says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rfc8785

from windtunnel.errors import Problem
from windtunnel.quantities import KINDS, parse_canonical
from windtunnel.spec.document import join_path
from windtunnel.spec.expressions import Scope, summary
from windtunnel.spec.schema import Schema, as_choice, choices_of, complete, problems_of
from windtunnel.spec.work import PROBLEM_WORK, Work, checking_work

_ROOT = "scenario"
_EACH = "[]."
_SHARED_BYTES = 1000  # a shorter text is copied


@dataclass(frozen=True)
class Lint(Problem):
    """What is valid but likely a mistake.

    ``rule`` is the message without its ``values``, so that cells with other numbers can be told
    from other mistakes.
    """

    rule: str = ""
    values: tuple[float | str, ...] = ()


@dataclass(frozen=True)
class Resolution:
    """A scenario with every default filled in and every quantity canonical.

    With problems it is incomplete and must not be used.
    ``quantities`` follow from it, by the simulator's expressions (hosts, flow_count, events, ...),
    and ``scope`` evaluates more of them; ``canonical`` is the scenario's RFC 8785 text, in pieces.
    Parts are shared with other resolutions: neither may be changed.
    """

    scenario: Mapping[str, Any]
    problems: Sequence[Problem]
    lints: Sequence[Lint] = ()
    scope: Scope | None = None
    canonical: tuple[bytes, ...] = ()

    @property
    def quantities(self) -> Mapping[str, Any]:
        return self.scope.quantities if self.scope else {}


@dataclass(frozen=True)
class _Part:
    """A value inside a scenario, resolved: what expressions see of it, what its choices add.

    ``canonical`` is its RFC 8785 text in pieces, which parts share.
    """

    raw: Any  # kept, so that its id is not used again
    value: Any
    problems: Sequence[Problem] = ()
    view: Any = None
    quantities: Mapping[str, str] = field(default_factory=dict)
    constraints: Sequence[Mapping[str, str]] = ()
    lints: Sequence[Mapping[str, str]] = ()
    canonical: tuple[bytes, ...] = ()
    seen_values: int = 1  # in the view


class Resolver:
    """Resolves scenarios of one simulator, collecting every problem on the way.

    A value that several scenarios share (the same object) is resolved once.
    """

    def __init__(self, schema: Schema, simulator: str, work: Work | None = None) -> None:
        self._schema = schema
        self._simulator = simulator
        self._work = work or Work()
        self._parts: dict[tuple[str, int, int], _Part] = {}
        self._frames: dict[int, Schema] = {}

    def resolve(self, scenario: Any) -> Resolution:
        """Check and complete a scenario; paths of problems begin at ``scenario``.

        Raises ContractError where one of the simulator's expressions has no value, and
        TooMuchWorkError.
        """
        if not isinstance(scenario, dict):
            return Resolution({}, problems_of(scenario, self._schema, _ROOT))
        parts = self._members(scenario, self._schema, _ROOT)
        problems = problems_of(scenario, self._frame(self._schema), _ROOT, self._simulator)
        self._work.spend(PROBLEM_WORK * len(problems))
        problems += [problem for part in parts.values() for problem in part.problems]
        values = {name: part.value for name, part in parts.items()}
        if problems:
            return Resolution(values, problems)
        self._work.spend(sum(part.seen_values for part in parts.values()))
        scope = Scope({name: part.view for name, part in parts.items()})
        for part in parts.values():
            scope.define(part.quantities)
        scope.define(self._schema.get("x-quantities", {}))
        constraints = [rule for part in parts.values() for rule in part.constraints]
        lints = [rule for part in parts.values() for rule in part.lints]
        return Resolution(
            values,
            _broken([*constraints, *self._schema.get("x-constraints", [])], scope),
            _lints([*lints, *self._schema.get("x-lints", [])], scope),
            scope,
            _canonical(parts),
        )

    def _members(self, value: Mapping[str, Any], schema: Schema, path: str) -> dict[str, _Part]:
        """The members of a mapping that the schema knows, with defaults, in the schema's order."""
        parts = {}
        for name, member in schema["properties"].items():
            if name in value:
                raw = value[name]
            elif "default" in member and name not in schema.get("required", []):
                raw = member["default"]
            elif "const" in member and name not in schema.get("required", []):
                raw = member["const"]
            else:
                continue
            parts[name] = self._part(raw, member, join_path(path, name))
        return parts

    def _part(self, raw: Any, schema: Schema, path: str) -> _Part:
        key = (path, id(schema), id(raw))
        if key not in self._parts:
            self._parts[key] = self._resolve(raw, schema, path)
        return self._parts[key]

    def _resolve(self, raw: Any, schema: Schema, path: str) -> _Part:
        value, chosen = as_choice(raw, schema)
        if not isinstance(value, dict) or "properties" not in chosen:
            return self._leaf(raw, schema, path)
        parts = self._members(value, chosen, path)
        completed = {**value, **{name: part.value for name, part in parts.items()}}
        problems = problems_of(completed, self._frame(chosen), path, self._simulator)
        self._work.spend(PROBLEM_WORK * len(problems))
        problems += [problem for part in parts.values() for problem in part.problems]
        if problems:
            return _Part(raw, completed, problems)
        view = {name: part.view for name, part in parts.items() if part.value is not None}
        quantities = {
            name: text for part in parts.values() for name, text in part.quantities.items()
        }
        constraints = [rule for part in parts.values() for rule in part.constraints]
        lints = [rule for part in parts.values() for rule in part.lints]
        return _Part(
            raw,
            completed,
            (),
            view,
            {**quantities, **chosen.get("x-quantities", {})},
            _distinct([*constraints, *chosen.get("x-constraints", [])]),
            _distinct([*lints, *chosen.get("x-lints", [])]),
            _canonical(parts),
            1 + sum(part.seen_values for part in parts.values()),
        )

    def _leaf(self, raw: Any, schema: Schema, path: str) -> _Part:
        self._work.spend(checking_work(raw))
        value = complete(raw, schema)
        problems = problems_of(value, schema, path, self._simulator)
        if problems:
            self._work.spend(PROBLEM_WORK * len(problems))
            return _Part(raw, value, problems)
        view = _View()
        seen = view.of(value, schema)
        canonical = (rfc8785.dumps(value),)
        rules = (view.quantities, view.constraints, view.lints)
        return _Part(raw, value, (), seen, *rules, canonical, view.values)

    def _frame(self, schema: Schema) -> Schema:
        """The schema of a mapping without what it says of single members."""
        if id(schema) not in self._frames:
            members: Schema = {name: {} for name in schema["properties"]}
            self._frames[id(schema)] = {**schema, "properties": members}
        return self._frames[id(schema)]


def _distinct(rules: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    return [rule for index, rule in enumerate(rules) if rule not in rules[:index]]


def _broken(constraints: Sequence[Mapping[str, str]], scope: Scope) -> list[Problem]:
    problems = []
    for constraint in constraints:
        if scope.evaluate(constraint["require"]):
            continue
        culprits = scope.evaluate(constraint["culprits"]) if "culprits" in constraint else []
        message = constraint["message"]
        if "values" in constraint:
            message = message.format(*map(_readable, _values(constraint, scope)))
        if "known" in constraint:
            message += f"; known: {', '.join(map(_known, scope.evaluate(constraint['known'])))}"
        path = join_path(_ROOT, constraint["path"])
        if _EACH in path:
            located = _at_entries(constraint["path"], culprits, message, scope)
            # A broken rule is a problem even if none of its entries is to blame.
            problems += located or [Problem(path.partition(_EACH)[0], message)]
        else:
            named = f"{', '.join(map(repr, culprits))}: " if culprits else ""
            problems.append(Problem(path, named + message))
    return problems


def _at_entries(
    path: str, culprits: Sequence[Mapping[str, Any]], message: str, scope: Scope
) -> list[Problem]:
    """One problem for each culprit: of the path ``series[].at``, an entry of ``series``."""
    entries, _, member = path.partition(_EACH)
    return [
        Problem(f"{_ROOT}.{entries}[{index}].{member}", f"{entry[member]!r}: {message}")
        for index, entry in enumerate(scope.evaluate(entries))
        if entry in culprits
    ]


def _known(name: str | list[Any]) -> str:
    """A name, or the range of a form with bounds: ``host0.nic to host15.nic``."""
    if isinstance(name, str):
        return name
    template, *bounds = name
    first = template.format(*(0 for _ in bounds))
    last = template.format(*(max(int(bound) - 1, 0) for bound in bounds))
    return first if first == last else f"{first} to {last}"


def _lints(rules: Sequence[Mapping[str, str]], scope: Scope) -> list[Lint]:
    return [
        Lint(problem.path, problem.message, None, rule["message"], _values(rule, scope))
        for rule in rules
        for problem in _broken([rule], scope)
    ]


def _values(rule: Mapping[str, str], scope: Scope) -> tuple[float | str, ...]:
    return tuple(scope.evaluate(rule["values"])) if "values" in rule else ()


def _readable(value: float | str) -> str:
    """A number to three digits, or a text, for a message."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _canonical(parts: Mapping[str, _Part]) -> tuple[bytes, ...]:
    """RFC 8785 of a mapping from that of its members, whose names are ASCII; long pieces shared."""
    pieces: list[bytes] = []
    text = b"{"
    for index, name in enumerate(sorted(parts)):
        text += (b"," if index else b"") + rfc8785.dumps(name) + b":"
        for piece in parts[name].canonical:
            if len(piece) < _SHARED_BYTES:
                text += piece
            else:
                pieces += [text, piece]
                text = b""
    return (*pieces, text + b"}")


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
        self.values = 0

    def of(self, value: Any, schema: Schema) -> Any:
        """Numbers as doubles, quantities in their base unit, nulls left out, rows summarized."""
        self.values += 1
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
