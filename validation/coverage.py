"""What the statistics promise, measured on synthetic campaigns whose truth is known.

``make coverage`` compares 2,000 campaigns a case, each of a baseline and seven cells with common
random numbers, and writes the tables in docs/comparison.md and docs/gates.md.
"""

from __future__ import annotations

import argparse
import os
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from tools.sections import write_section
from validation.gate_looks import gate_cases, gate_failures, gate_table, measure_gate
from validation.synthetic import (
    CAMPAIGNS,
    CV,
    DISTRIBUTIONS,
    MARGIN,
    METRIC,
    Case,
    Values,
    lower_limit,
)
from windtunnel.comparison import (
    CellResults,
    CellRun,
    Design,
    ResultTable,
    SimulatorBuild,
    compare,
    seeds_needed,
)
from windtunnel.comparison.document import ComparedCell
from windtunnel.run import RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.replications import Stopping
from windtunnel.statistics import estimate

SIZES = (3, 5, 10, 20, 30)
RATIOS = (0.1, 1.0, 10.0)
RELATIVE_CI = 0.05
_MOST_SEEDS = 200
DESIGN = Design("synthetic", ("cell",), {"cell": "0"}, (METRIC,), (METRIC.name,))


@dataclass(frozen=True)
class Outcome:
    """Over a case's campaigns: share of intervals that cover the true ratio, and numbers of
    campaigns with any verdict of difference, and with any of equivalence."""

    coverage: float
    different: int
    equivalent: int


def measure(case: Case) -> Outcome:
    rng = np.random.default_rng(zlib.crc32(repr(case).encode()))
    covered = intervals = different = equivalent = 0
    for _ in range(CAMPAIGNS):
        cells = list(_compared(case.draw(rng)))
        for cell in cells:
            difference = cell.metrics[METRIC.name].against_baseline
            if difference is not None and difference.relative_ci95 is not None:
                low, high = difference.relative_ci95
                intervals += 1
                covered += low <= case.ratio - 1 <= high
        labels = {verdict.label for cell in cells if (verdict := cell.metrics[METRIC.name].verdict)}
        different += bool(labels & {"better", "worse"})
        equivalent += "equivalent" in labels
    return Outcome(covered / intervals, different, equivalent)


def _compared(values: Values) -> Iterator[ComparedCell]:
    cells = tuple(_cell(index, row.tolist()) for index, row in enumerate(values))
    return (
        cell
        for cell in compare(ResultTable(DESIGN, cells), (METRIC,), (METRIC,)).cells
        if not cell.is_baseline
    )


def _cell(index: int, values: list[float]) -> CellResults:
    seeds = range(1, len(values) + 1)
    return CellResults(
        index=index,
        coordinates={"cell": str(index)},
        simulator=SimulatorBuild("synthetic", ""),
        baseline=0,
        runs={
            seed: CellRun("", RunState.SUCCEEDED, None, f"{index}-{seed}", f"{seed}")
            for seed in seeds
        },
        values={METRIC.name: dict(zip(seeds, values, strict=True))},
        units={},
    )


@dataclass(frozen=True)
class Stopped:
    """Cells of normal values that get seeds until the half-width is RELATIVE_CI of the mean:
    share of final intervals that cover the true mean, and the seeds on average."""

    least: int
    coverage: float
    seeds: float


def measure_stopping(least: int) -> Stopped:
    rng = np.random.default_rng(least)
    stopping = Stopping(least, _MOST_SEEDS, METRIC.name, RELATIVE_CI, "mean")
    design = replace(DESIGN, baseline={}, analysis=Analysis(stopping=stopping))
    covered = seeds = 0
    for _ in range(CAMPAIGNS):
        values = (1 + CV * rng.standard_normal(_MOST_SEEDS)).tolist()
        n: int | None = least
        while n is not None:
            cell = replace(_cell(0, values[:n]), baseline=None)
            final, n = n, seeds_needed(ResultTable(design, (cell,)), stopping).get(0)
        interval = estimate(values[:final]).ci95
        assert interval is not None
        covered += interval[0] <= 1 <= interval[1]
        seeds += final
    return Stopped(least, covered / CAMPAIGNS, seeds / CAMPAIGNS)


def stopping_table(rows: Sequence[Stopped]) -> str:
    lines = ["| `min` | coverage | seeds on average |", "|---:|---:|---:|"]
    lines += [f"| {row.least} | {row.coverage:.3f} | {row.seeds:.1f} |" for row in rows]
    return "\n".join(lines)


def cases() -> list[Case]:
    """With each ratio, and with the ratios at the margin of equivalence."""
    ratios = (*RATIOS, 1 + MARGIN)
    return [Case(*values) for values in product(DISTRIBUTIONS, SIZES, ratios)]


def table(outcomes: dict[Case, Outcome]) -> str:
    lines = [
        (
            "| values | n | coverage at ratio 0.1 | 1 | 10 | any false difference | "
            "any false equivalence |"
        ),
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for distribution, n in product(DISTRIBUTIONS, SIZES):
        covered = [outcomes[Case(distribution, n, ratio)].coverage for ratio in RATIOS]
        null = outcomes[Case(distribution, n, 1.0)].different
        margin = outcomes[Case(distribution, n, 1 + MARGIN)].equivalent
        shares = " | ".join(f"{share:.3f}" for share in covered)
        lines.append(
            f"| {distribution} | {n} | {shares} | {100 * null / CAMPAIGNS:.1f} % | "
            f"{100 * margin / CAMPAIGNS:.1f} % |"
        )
    normal = [o.coverage for case, o in outcomes.items() if case.distribution == "normal"]
    worst_case, worst = min(outcomes.items(), key=lambda item: item[1].coverage)
    conclusion = (
        f"On normal values coverage is at least {min(normal):.3f}; the worst case is "
        f"{worst.coverage:.3f} ({worst_case.distribution} values, n = {worst_case.n}, ratio "
        f"{worst_case.ratio:g})."
    )
    lines += ["", conclusion]
    return "\n".join(lines)


def failures(outcomes: dict[Case, Outcome]) -> list[str]:
    """Promises that were not kept."""
    broken = []
    for case, outcome in outcomes.items():
        if case.distribution == "normal" and outcome.coverage < 0.93:
            broken.append(f"{case}: coverage {outcome.coverage:.3f} is under 0.93")
        if case.ratio == 1 and lower_limit(outcome.different) > 0.05:
            broken.append(
                f"{case}: {outcome.different} of {CAMPAIGNS} campaigns claim a difference"
            )
        if case.ratio == 1 + MARGIN and lower_limit(outcome.equivalent) > 0.05:
            broken.append(f"{case}: {outcome.equivalent} of {CAMPAIGNS} claim equivalence")
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the tables in docs/")
    arguments = parser.parse_args()
    planned = cases()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        outcomes = dict(zip(planned, pool.map(measure, planned), strict=True))
        stopped = list(pool.map(measure_stopping, (3, 5, 10, 20)))
        gates = list(pool.map(measure_gate, *zip(*gate_cases(), strict=True)))
    text, stopping_text, gates_text = table(outcomes), stopping_table(stopped), gate_table(gates)
    print(f"{text}\n\n{stopping_text}\n\n{gates_text}")
    if arguments.write:
        write_section("comparison.md", "make coverage", text)
        write_section("comparison.md", "make coverage, stopping,", stopping_text)
        write_section("gates.md", "make coverage", gates_text)
    broken = failures(outcomes) + gate_failures(gates)
    if broken:
        raise SystemExit("\n".join(broken))


if __name__ == "__main__":
    main()
