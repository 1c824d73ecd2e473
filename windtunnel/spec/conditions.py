"""The conditions of gates: ``not worse than 5 %``, ``better``, ``at most 12 ms``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.errors import quoted
from windtunnel.spec.description import Metric
from windtunnel.spec.relevance import Threshold, parse_limit, parse_margin


class Kind(StrEnum):
    """What a condition compares; the value is how it is written."""

    NOT_WORSE = "not worse than"
    BETTER = "better"
    EQUIVALENT = "equivalent within"
    AT_MOST = "at most"
    AT_LEAST = "at least"


ABSOLUTE = (Kind.AT_MOST, Kind.AT_LEAST)
DIRECTED = (Kind.NOT_WORSE, Kind.BETTER)


@dataclass(frozen=True)
class Condition:
    """``threshold`` is a margin or, of an absolute condition, a limit; None for ``better``."""

    kind: Kind
    threshold: Threshold | None


def is_absolute(text: str) -> bool:
    """Whether a condition is on a cell alone, not on its difference to another."""
    return " ".join(text.split()).startswith(ABSOLUTE)


def parse_condition(text: str, metric: Metric) -> Condition:
    """The condition that a text puts on a metric. Raises ValueError with what is allowed."""
    written = " ".join(text.split())
    kind = next((kind for kind in Kind if f"{written} ".startswith(f"{kind} ")), None)
    if kind is None or (kind is Kind.BETTER and written != Kind.BETTER):
        raise ValueError(f"{quoted(text)} is not a condition; {_examples(metric)}")
    if kind in DIRECTED and metric.direction == "none":
        raise ValueError(
            f"neither direction of {metric.name} is better; "
            f"use '{Kind.EQUIVALENT} 5 %', '{Kind.AT_MOST} ..' or '{Kind.AT_LEAST} ..'"
        )
    if kind is Kind.BETTER:
        return Condition(kind, None)
    amount = written.removeprefix(kind).strip()
    if not amount:
        raise ValueError(f"{quoted(text)} has no amount; {_examples(metric)}")
    parse = parse_limit if kind in ABSOLUTE else parse_margin
    return Condition(kind, parse(amount, metric.unit))


def _examples(metric: Metric) -> str:
    limit = f"1 {'' if metric.unit == '1' else metric.unit}".strip()
    return (
        f"use '{Kind.NOT_WORSE} 5 %', '{Kind.BETTER}', '{Kind.EQUIVALENT} 5 %', "
        f"'{Kind.AT_MOST} {limit}' or '{Kind.AT_LEAST} {limit}'"
    )
