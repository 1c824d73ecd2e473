"""The small prefix expressions in which a simulator states constraints and cost.

``["<", "warmup", "duration"]`` compares two fields of a resolved scenario. A string is the dotted
path of a field, or a name defined before it (``where``), or a literal text behind an apostrophe;
quantities count in base units (ns, bits per second, bytes). A path that does not exist is None.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from windtunnel.quantities import parse_canonical

Expression = Any
Operator = Callable[..., Any]


def evaluate(
    expression: Expression, scenario: Mapping[str, Any], names: Mapping[str, Any] | None = None
) -> Any:
    """The expression's value. Raises ValueError for an operator that does not exist."""
    known = names or {}
    if isinstance(expression, str):
        if expression.startswith("'"):
            return expression[1:]
        if expression in known:
            return known[expression]
        return _plain(_lookup(expression, scenario))
    if not isinstance(expression, list):
        return expression
    name, *operands = expression
    if name == "or":  # lazily, so that one alternative can guard the next
        return any(evaluate(operand, scenario, known) for operand in operands)
    if name == "if":
        condition, then, otherwise = operands
        chosen = then if evaluate(condition, scenario, known) else otherwise
        return evaluate(chosen, scenario, known)
    if name not in _OPERATORS:
        raise ValueError(f"no operator is named {name!r}")
    return _OPERATORS[name](*(evaluate(operand, scenario, known) for operand in operands))


def evaluate_names(where: Mapping[str, Expression], scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Values of named expressions, each of which may use the ones before it."""
    names: dict[str, Any] = {}
    for name, expression in where.items():
        names[name] = evaluate(expression, scenario, names)
    return names


def _lookup(path: str, scenario: Mapping[str, Any]) -> Any:
    value: Any = scenario
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def _plain(value: Any) -> Any:
    quantity = parse_canonical(value) if isinstance(value, str) else None
    return quantity.value if quantity else value


def _flat(values: Any) -> list[Any]:
    if not isinstance(values, list):
        return [values]
    return [leaf for value in values for leaf in _flat(value)]


def _pluck(items: Sequence[Mapping[str, Any]], *fields: str) -> list[Any]:
    """One field of every item, or several of them as tuples."""
    plucked = [tuple(_plain(item[field]) for field in fields) for item in items]
    return plucked if len(fields) > 1 else [value for (value,) in plucked]


def _texts(items: Sequence[Mapping[str, Any]], *fields: str) -> list[Any]:
    """As ``pluck``, of names: one that looks like a quantity stays the text that it is."""
    plucked = [tuple(str(item[field]) for field in fields) for item in items]
    return plucked if len(fields) > 1 else [value for (value,) in plucked]


def _mean_of_cdf(points: Sequence[tuple[float, float]]) -> float:
    """Mean of a distribution given by [value, cumulative probability], linear in between."""
    mean = points[0][0] * points[0][1]
    for (low, below), (high, reached) in itertools.pairwise(points):
        mean += (reached - below) * (low + high) / 2
    return max(mean, 1.0)


def _names_unfit(
    names: list[str], *templates: tuple[str, tuple[float, ...]] | list[str]
) -> list[str]:
    """The names that are in no list of names, nor a template (``core{}.port{}``) with whole numbers
    below its bounds."""
    return [
        name
        for name in names
        if not any(
            name in template if isinstance(template, list) else _fits(name, *template)
            for template in templates
        )
    ]


def _fits(name: str, template: str, bounds: tuple[float, ...]) -> bool:
    form = re.escape(template).replace(re.escape("{}"), "(0|[1-9][0-9]{0,8})")
    match = re.fullmatch(form, name)
    return match is not None and all(
        int(number) < bound for number, bound in zip(match.groups(), bounds, strict=True)
    )


_OPERATORS: Mapping[str, Operator] = {
    "+": lambda *values: math.fsum(values),
    "-": operator.sub,
    "*": lambda *values: reduce(operator.mul, values),
    "/": operator.truediv,
    "abs": abs,
    "min": lambda *values: min(leaf for value in values for leaf in _flat(value)),
    "max": lambda *values: max(leaf for value in values for leaf in _flat(value)),
    "sum": math.fsum,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "not": operator.not_,
    "count": len,
    "list": lambda *values: list(values),
    "+list": lambda *lists: [item for items in lists for item in items],
    "present": lambda items: [item for item in items if item is not None],
    "pluck": _pluck,
    "texts": _texts,
    "ascending": lambda values: all(a <= b for a, b in itertools.pairwise(values)),
    "cdf-mean": _mean_of_cdf,
    "column": lambda rows, index: [row[index] for row in rows],
    "where-in": lambda items, field, *known: [item for item in items if item[field] in known],
    "contains": lambda items, item: item in items,
    "distinct": lambda items: len(items) == len(set(items)),
    "count-starting": lambda names, prefix: sum(name.startswith(prefix) for name in names),
    "template": lambda text, *bounds: (text, bounds),
    "names": list,
    "names-fit": lambda names, *templates: not _names_unfit(names, *templates),
    "names-unfit": _names_unfit,
    "distinct-pairs": lambda pairs: all(a != b for a, b in pairs),
}
