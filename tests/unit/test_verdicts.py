"""Verdicts of a comparison: what they are based on, and what changes them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.test_comparison import DELAY, DESIGN, P99, cell
from windtunnel.comparison import (
    CellResults,
    CellRun,
    Comparison,
    Design,
    Outcome,
    ResultTable,
    Verdict,
    compare,
)
from windtunnel.run import RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric

LOSSES = Metric("losses", "packets", "lower", "", relevance="none")
WINDOW = Metric("window", "segments", "none", "")


def compared(*cells: CellResults, design: Design = DESIGN, **options: Any) -> Comparison:
    return compare(ResultTable(design, cells), design.metrics[:1], design.metrics, **options)


def verdict(*cells: CellResults, design: Design = DESIGN, **options: Any) -> Verdict:
    result = compared(*cells, design=design, **options).cells[1].metrics
    found = result[design.metrics[0].name].verdict
    assert found is not None
    return found


def around(mean: float, spread: float = 0.1, n: int = 5) -> dict[int, float]:
    return {seed: mean + spread * (seed % 3 - 1) for seed in range(1, n + 1)}


BASE = cell(0, {1: 10.0, 2: 10.3, 3: 9.9, 4: 10.1, 5: 9.8})


def design_of(metric: Metric, **analysis: Any) -> Design:
    return Design("c1", ("a",), {"a": "0"}, (metric,), (metric.name,), {}, Analysis(**analysis))


def test_a_lower_delay_is_better_and_a_higher_one_worse() -> None:
    assert verdict(BASE, cell(1, around(5))).outcome is Outcome.BETTER
    assert verdict(BASE, cell(1, around(15))).outcome is Outcome.WORSE


def renamed(source: CellResults, metric: Metric) -> CellResults:
    values = {metric.name: source.values[DELAY.name]}
    return CellResults(
        source.index, source.coordinates, source.simulator, source.baseline, source.runs, values, {}
    )


def test_without_a_better_direction_the_verdict_says_higher_or_lower() -> None:
    design = design_of(WINDOW)
    for mean, outcome in ((5, Outcome.LOWER), (15, Outcome.HIGHER)):
        cells = renamed(BASE, WINDOW), renamed(cell(1, around(mean)), WINDOW)
        assert verdict(*cells, design=design).outcome is outcome


def test_nearly_equal_means_are_equivalent_even_if_they_differ_significantly() -> None:
    """Every value 0.1 above the baseline's, give or take 0.01: 1 %, within the threshold of 5 %."""
    values = {
        seed: value + 0.1 + 0.01 * (seed % 2) for seed, value in BASE.values[DELAY.name].items()
    }
    result = verdict(BASE, cell(1, values))
    assert result.outcome is Outcome.EQUIVALENT
    assert result.p is not None
    assert result.p < 0.05
    assert result.p_equivalence is not None
    assert result.p_equivalence < 0.05


def test_the_campaigns_threshold_replaces_the_simulators() -> None:
    values = {seed: value + 0.1 for seed, value in around(10).items()}
    narrow = design_of(DELAY, relevance={DELAY.name: "0.01 ms"})
    assert verdict(BASE, cell(1, values), design=narrow).outcome is not Outcome.EQUIVALENT
    wide = design_of(DELAY, relevance={DELAY.name: "2 ms"})
    assert verdict(BASE, cell(1, values), design=wide).outcome is Outcome.EQUIVALENT
    metric = compared(BASE, cell(1, values), design=wide).metrics[0]
    assert metric.relevance == "2 ms"


def test_without_a_threshold_nothing_is_equivalent() -> None:
    design = design_of(LOSSES)
    equal = [renamed(source, LOSSES) for source in (BASE, cell(1, dict(BASE.values[DELAY.name])))]
    result = verdict(*equal, design=design)
    assert (result.outcome, result.p_equivalence) == (Outcome.INCONCLUSIVE, None)
    assert result.reason == "identical in all 5 replications"


def test_inconclusive_verdicts_estimate_the_replications_needed() -> None:
    result = verdict(BASE, cell(1, {1: 11.0, 2: 9.8, 3: 10.9, 4: 9.9, 5: 10.9}))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.needed is not None
    assert 6 <= result.needed <= 100


def test_verdicts_get_more_cautious_with_the_family() -> None:
    """The same two cells, alone and among 40 others that show nothing."""
    values = {seed: value - 0.3 + 0.1 * (seed % 2) for seed, value in around(10).items()}
    others = [cell(index, dict(BASE.values[DELAY.name])) for index in range(2, 42)]
    alone, among = verdict(BASE, cell(1, values)), verdict(BASE, cell(1, values), *others)
    assert alone.p is not None
    assert among.p == pytest.approx(min(1, 41 * alone.p))


def test_a_metric_outside_the_family_has_no_verdict_and_changes_none() -> None:
    design = Design("c1", ("a",), {"a": "0"}, (DELAY, P99), (DELAY.name, P99.name))
    chosen = Design(
        "c1", ("a",), {"a": "0"}, (DELAY, P99), (DELAY.name, P99.name), {}, Analysis((DELAY.name,))
    )
    cells = [BASE, cell(1, around(5))]
    cells = [
        replace(source, values=dict.fromkeys((DELAY.name, P99.name), source.values[DELAY.name]))
        for source in cells
    ]
    table = compare(ResultTable(chosen, tuple(cells)), (DELAY, P99), (DELAY, P99))
    metrics = table.cells[1].metrics
    assert metrics[P99.name].verdict is None
    assert metrics[P99.name].against_baseline is not None
    assert table.family.size == 1
    shown = compare(ResultTable(chosen, tuple(cells)), (P99,), (DELAY, P99))
    assert shown.family == table.family
    only = compare(ResultTable(design, tuple(cells)), (DELAY,), (DELAY, P99))
    both = compare(ResultTable(design, tuple(cells)), (DELAY, P99), (DELAY, P99))
    assert only.cells[1].metrics[DELAY.name].verdict == both.cells[1].metrics[DELAY.name].verdict


def failed(seed: int) -> dict[int, CellRun]:
    return {seed: CellRun(f"failed{seed}", RunState.FAILED, failure="timed_out")}


def test_a_cell_with_a_missing_run_has_no_verdict_unless_asked() -> None:
    incomplete = cell(1, around(5), runs=failed(6))
    base = cell(0, around(10, 0.2, 6))
    result = verdict(base, incomplete)
    assert (result.outcome, result.label, result.incomplete) == (None, "incomplete", True)
    assert result.reason == "incomplete: 5 of 6 runs have a value"
    asked = verdict(base, incomplete, with_incomplete=True)
    assert (asked.outcome, asked.incomplete) == (Outcome.BETTER, True)


def test_a_missing_run_of_the_baseline_leaves_no_verdict() -> None:
    base = cell(0, around(10), runs=failed(6))
    result = verdict(base, cell(1, around(5, n=6)))
    assert result.reason == "incomplete: the baseline: 5 of 6 runs have a value"


def test_incomplete_cells_change_no_other_verdict_even_if_asked_for() -> None:
    base = cell(0, around(10, 0.2, 6))
    cells = base, cell(1, around(9.8, n=6)), cell(2, around(5), runs=failed(6))
    plain, asked = compared(*cells), compared(*cells, with_incomplete=True)
    assert plain.cells[1].metrics == asked.cells[1].metrics
    assert plain.cells[2].metrics != asked.cells[2].metrics


def test_different_numbers_of_planned_seeds_are_no_gap() -> None:
    result = verdict(BASE, cell(1, around(5, n=3)))
    assert result.outcome is not None
    assert not result.incomplete


def test_deterministic_cells_have_an_exact_difference_and_no_verdict() -> None:
    cells = cell(0, {1: 10.0, 2: 10.0}, same=True), cell(1, {1: 8.0, 2: 8.0}, same=True)
    result = verdict(*cells)
    assert (result.outcome, result.label, result.p) == (None, "exact", None)


def test_a_single_seed_has_no_verdict() -> None:
    result = verdict(cell(0, {1: 10.0}), cell(1, {1: 8.0}))
    assert (result.label, result.reason) == ("no verdict", "a single replication has no interval")


def test_values_in_another_unit_have_no_verdict() -> None:
    result = verdict(BASE, cell(1, around(5), units={DELAY.name: "s"}))
    assert (result.label, result.reason) == ("no verdict", "reported in 's', not in 'ms'")


@pytest.mark.parametrize(
    "values",
    [
        {1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0},
        {1: 10.0, 2: 10.0, 3: 10.0, 4: 10.0, 5: 10.0},
        {1: 1e308, 2: -1e308, 3: 1e-308, 4: 0.0, 5: 1.0},
    ],
)
def test_no_values_make_a_p_value_that_is_no_number(values: dict[int, float]) -> None:
    for cells in ((BASE, cell(1, values)), (cell(0, values), cell(1, around(5)))):
        result = verdict(*cells)
        for p in (result.p, result.p_equivalence):
            assert p is None or not math.isnan(p)


def test_a_constant_difference_needs_more_seeds_than_three() -> None:
    """1 in all of n seeds against 0: the sign test's p is 2^(1-n)."""
    design = design_of(LOSSES)

    def outcome(n: int) -> Outcome | None:
        cells = [cell(0, dict.fromkeys(range(n), 0.0)), cell(1, dict.fromkeys(range(n), 1.0))]
        return verdict(*(renamed(source, LOSSES) for source in cells), design=design).outcome

    assert outcome(3) is Outcome.INCONCLUSIVE
    assert outcome(6) is Outcome.WORSE


def test_the_notes_say_how_verdicts_were_reached() -> None:
    comparison = compared(BASE, cell(1, around(5)), cell(2, around(5)))
    assert (
        "verdicts by Holm over 2 comparisons x 1 metric = 2; equivalent within 5 %"
        in comparison.notes
    )
