"""Expressions in a simulator's description, in CEL (Common Expression Language, https://cel.dev).

Every number is a double: CEL's integers overflow at nanoseconds times bits per second and do not
mix with doubles. A field that is null is absent (``has(topology.host_link)``), and a list of rows
of numbers appears as its summary (see ``summary``).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import cel

from windtunnel.errors import ContractError

MAX_LENGTH = 4096  # characters of one expression: the parser recurses


def check(source: Any) -> None:
    """Raises ContractError unless this is an expression whose functions exist."""
    if not isinstance(source, str):
        raise _no_expression(source)
    called = {name for name in _compiled(source).functions() if name.isidentifier()}
    unknown = called - _KNOWN_FUNCTIONS
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ContractError(f"the expression {source!r} calls unknown functions: {names}")


def variables(source: str) -> set[str]:
    """Names that an expression refers to."""
    return set(_compiled(source).variables())


class Scope:
    """The variables of one scenario: its fields, and the quantities defined so far."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        present = {key: value for key, value in fields.items() if value is not None}
        self.quantities: dict[str, Any] = {}
        self._context = cel.Context({**present, "fields": list(present)}, _FUNCTIONS)
        self._context.set_variable_resolver(self.quantities.get)

    def define(self, quantities: Mapping[str, str]) -> None:
        """Evaluate named expressions, each of which may use the ones before it."""
        for name, source in quantities.items():
            self.quantities[name] = self.evaluate(source)

    def evaluate(self, source: str) -> Any:
        """An expression's value. Raises ContractError where it has none."""
        try:
            return _compiled(source).execute(self._context)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0][:200]
            raise ContractError(f"the expression {source!r} has no value: {reason}") from error


def summary(rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    """What expressions see of a list of rows of numbers, all of one length.

    ``rows`` (their number), by column ``min``, ``max`` and ``ascending`` (never descending),
    ``rows_distinct`` (no row repeats a number) and ``cdf_mean``: the mean of the distribution whose
    cumulative probability the second column gives, linear between points.
    """
    columns = list(zip(*rows, strict=True))
    return {
        "rows": float(len(rows)),
        "min": [float(min(column)) for column in columns],
        "max": [float(max(column)) for column in columns],
        "ascending": [all(a <= b for a, b in itertools.pairwise(column)) for column in columns],
        "rows_distinct": all(len(set(row)) == len(row) for row in rows),
        "cdf_mean": _mean_of_cdf(rows) if len(columns) == 2 else 0.0,
    }


@cache
def _compiled(source: str) -> cel.Program:
    if len(source) > MAX_LENGTH or "\n" in source:
        raise _no_expression(source)
    try:
        return cel.compile(source)
    except Exception as error:
        reason = str(error).splitlines()[0][:200]
        raise ContractError(f"the expression {source!r} is not CEL: {reason}") from error


def _no_expression(source: Any) -> ContractError:
    return ContractError(
        f"{str(source)[:60]!r} is not an expression: one line of CEL, at most {MAX_LENGTH} "
        "characters"
    )


def _mean_of_cdf(points: Sequence[Sequence[float]]) -> float:
    mean = points[0][0] * points[0][1]
    for (low, below), (high, reached) in itertools.pairwise(points):
        mean += (reached - below) * (low + high) / 2
    return float(mean)


def _numbers(values: Sequence[Any]) -> Sequence[float]:
    """Arguments, or the one list that they are."""
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _names_unfit(names: Sequence[str], known: Sequence[str], forms: Sequence[Any]) -> list[str]:
    """Names that are not known and have none of the forms.

    A form is a template with a bound for each ``{}``: ``["core{}.port{}", 4.0, 8.0]`` fits
    ``core3.port7``.
    """
    fitting = {
        name
        for name in set(names)
        if name in known or any(_fits(name, template, bounds) for template, *bounds in forms)
    }
    return [name for name in names if name not in fitting]


def _fits(name: str, template: str, bounds: Sequence[float]) -> bool:
    form = re.escape(template).replace(re.escape("{}"), "(0|[1-9][0-9]{0,8})")
    match = re.fullmatch(form, name)
    return match is not None and all(
        int(number) < bound for number, bound in zip(match.groups(), bounds, strict=True)
    )


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": lambda value: float(abs(value)),
    "ceil": lambda value: float(math.ceil(value)),
    "floor": lambda value: float(math.floor(value)),
    "least": lambda *values: float(min(_numbers(values))),
    "greatest": lambda *values: float(max(_numbers(values))),
    "sum": math.fsum,
    "distinct": lambda values: len(set(values)) == len(values),
    "names_unfit": _names_unfit,
}
_STANDARD_FUNCTIONS = (
    "size has all exists exists_one map filter matches startsWith endsWith contains double int "
    "string bool"
)
_KNOWN_FUNCTIONS = {*_FUNCTIONS, *_STANDARD_FUNCTIONS.split()}
