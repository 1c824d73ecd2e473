"""How often a gate passes a worsening of exactly what it allows, with one look and with four."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from validation.synthetic import CAMPAIGNS, DISTRIBUTIONS, MARGIN, METRIC, Case, lower_limit
from windtunnel.comparison.gate_tests import GateOutcome, decide
from windtunnel.comparison.looks import MAX_LOOKS
from windtunnel.spec.conditions import parse_condition
from windtunnel.statistics import moments
from windtunnel.statistics.significance import ALPHA

INITIAL_SIZES = (3, 5, 10)
_CONDITION = parse_condition(f"not worse than {100 * MARGIN:g} %", METRIC)


@dataclass(frozen=True)
class Passed:
    """Campaigns that passed: at one look, at one of four looks, and at one of four that are each
    tested at the level of one."""

    distribution: str
    initial: int
    once: int
    extended: int
    uncorrected: int


def measure_gate(distribution: str, initial: int) -> Passed:
    rng = np.random.default_rng(zlib.crc32(f"gate {distribution} {initial}".encode()))
    sizes = [initial * 2**look for look in range(MAX_LOOKS)]
    case = Case(distribution, sizes[-1], 1 + MARGIN)
    once = extended = uncorrected = 0
    for _ in range(CAMPAIGNS):
        base, cell = (row.tolist() for row in case.draw(rng)[:2])
        once += _passes(cell, base, sizes[:1], ALPHA)
        extended += _passes(cell, base, sizes, ALPHA / MAX_LOOKS)
        uncorrected += _passes(cell, base, sizes, ALPHA)
    return Passed(distribution, initial, once, extended, uncorrected)


def _passes(x: list[float], y: list[float], sizes: Sequence[int], alpha: float) -> bool:
    """Whether the first look that decides lets the cell pass."""
    for n in sizes:
        samples = moments(x[:n], y[:n], paired=True)
        outcome = decide(_CONDITION, METRIC.direction, samples, alpha).outcome
        if outcome is not GateOutcome.INCONCLUSIVE:
            return outcome is GateOutcome.PASSED
    return False


def gate_cases() -> list[tuple[str, int]]:
    return [(distribution, n) for distribution in DISTRIBUTIONS for n in INITIAL_SIZES]


def gate_table(rows: Sequence[Passed]) -> str:
    lines = [
        "| values | n at first | one look | four looks (`extend`) | four looks at 5 % each |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        counts = (row.once, row.extended, row.uncorrected)
        shares = " | ".join(f"{100 * count / CAMPAIGNS:.1f} %" for count in counts)
        lines.append(f"| {row.distribution} | {row.initial} | {shares} |")
    return "\n".join(lines)


def gate_failures(rows: Sequence[Passed]) -> list[str]:
    """Promises that were not kept, on normal values."""
    return [
        f"gate, n = {row.initial}: {count} of {CAMPAIGNS} pass a worsening that is not allowed"
        for row in rows
        if row.distribution == "normal"
        for count in (row.once, row.extended)
        if lower_limit(count) > ALPHA
    ]
