"""Cells compared with their baseline, and reasons of missing values."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.comparison import (
    CellResults,
    CellRun,
    Comparison,
    Design,
    ResultTable,
    SimulatorBuild,
    choose_metrics,
    compare,
    metric_definitions,
)
from windtunnel.errors import SpecError
from windtunnel.run import RunState
from windtunnel.spec.description import Metric

DELAY = Metric("delay_ms_mean", "ms", "lower", "", "delay mean", "delay", "no packet arrived")
P99 = Metric("delay_ms_p99", "ms", "lower", "", "delay p99", "delay")
DESIGN = Design("c1", ("a",), {"a": "0"}, (DELAY, P99), (DELAY.name,))
NS3 = SimulatorBuild("ns3", "f" * 64)


def cell(index: int, values: dict[int, float], **changes: Any) -> CellResults:
    """A cell whose seeds have these values; with ``same`` all records are equal."""
    same, schedules = changes.pop("same", False), changes.pop("schedules", "traffic")
    runs = {
        seed: CellRun(
            f"run{index}{seed}",
            RunState.SUCCEEDED,
            digest="same" if same else f"{index}-{seed}",
            schedule=f"{schedules}{seed}",
        )
        for seed in values
    }
    fields: dict[str, Any] = {"runs": runs, "units": {DELAY.name: "ms"}} | changes
    fields["runs"] = runs | changes.get("runs", {})
    return CellResults(
        index=index,
        coordinates={"a": str(index)},
        simulator=NS3,
        baseline=0,
        values={DELAY.name: values} if values else {},
        **fields,
    )


def compared(*cells: CellResults, metrics: tuple[Metric, ...] = (DELAY,)) -> Comparison:
    return compare(ResultTable(DESIGN, cells), metrics, metrics)


def test_seeds_are_paired_by_their_index() -> None:
    baseline, other = compared(cell(0, {1: 10, 2: 20}), cell(1, {2: 21, 3: 99})).cells
    assert baseline.is_baseline
    assert baseline.paired is None
    assert baseline.metrics[DELAY.name].against_baseline is None
    against = other.metrics[DELAY.name].against_baseline
    assert against is not None
    assert (other.paired, against.paired, against.n, against.mean) == (True, True, 1, 1)


def test_cells_with_different_traffic_are_unpaired_and_noted() -> None:
    """Two samples of 10, 20 and 21, 29: Welch, difference 10 whatever the order of seeds."""
    comparison = compared(cell(0, {1: 10, 2: 20}), cell(1, {1: 29, 2: 21}, schedules="other"))
    other = comparison.cells[1]
    against = other.metrics[DELAY.name].against_baseline
    assert against is not None
    assert (other.paired, against.paired, against.mean) == (False, False, 10)
    assert "paired by seed" not in comparison.notes[0]
    (note,) = [note for note in comparison.notes if note.startswith("unpaired (Welch)")]
    assert note.endswith(": 1")


def test_one_seed_with_different_traffic_prevents_pairing() -> None:
    odd = cell(1, {1: 12, 2: 22}, runs={2: CellRun("x", RunState.SUCCEEDED, None, "d", "other")})
    assert compared(cell(0, {1: 10, 2: 20}), odd).cells[1].paired is False


def test_equal_records_under_every_seed_count_as_one_observation() -> None:
    comparison = compared(cell(0, {1: 10, 2: 10}, same=True), cell(1, {1: 8, 2: 8}, same=True))
    other = comparison.cells[1]
    assert other.deterministic
    estimate = other.metrics[DELAY.name].estimate
    assert estimate is not None
    assert (estimate.n, estimate.ci95) == (1, None)
    against = other.metrics[DELAY.name].against_baseline
    assert against is not None
    assert against.n == 1
    assert "deterministic, n = 1 (every seed gives the same records): 0, 1" in comparison.notes


def test_a_deterministic_baseline_adds_no_variance_to_the_difference() -> None:
    """Another model, deterministic: the interval is that of 10, 12, 11 alone, t = 4.302653."""
    model = cell(0, {1: 20, 2: 20, 3: 20}, same=True, schedules="model")
    against = compared(model, cell(1, {1: 10, 2: 12, 3: 11})).cells[1].metrics[DELAY.name]
    assert against.against_baseline is not None
    difference = against.against_baseline
    assert (difference.paired, difference.n, difference.mean) == (False, 3, -9)
    assert difference.half_width == pytest.approx(4.302653 / 3**0.5, rel=1e-6)
    assert difference.relative_half_width == pytest.approx(4.302653 / 3**0.5 / 20, rel=1e-6)


def test_cells_without_a_common_seed_are_not_compared() -> None:
    other = compared(cell(0, {1: 10}), cell(1, {2: 12})).cells[1]
    assert (other.paired, other.metrics[DELAY.name].against_baseline) == (None, None)


def test_runs_without_a_schedule_are_not_paired() -> None:
    unknown = {seed: CellRun("x", RunState.SUCCEEDED, None, f"d{seed}") for seed in (1, 2)}
    cells = [cell(index, {1: 10 + index, 2: 20}, runs=unknown) for index in (0, 1)]
    assert compared(*cells).cells[1].paired is False


def test_a_deterministic_baseline_does_not_hide_the_others_spread() -> None:
    comparison = compared(cell(0, {1: 10, 2: 10}, same=True), cell(1, {1: 8, 2: 9}))
    against = comparison.cells[1].metrics[DELAY.name].against_baseline
    assert against is not None
    assert against.n == 2


def test_runs_without_a_result_are_counted_by_reason() -> None:
    failed = CellRun("x", RunState.FAILED, failure="timed_out")
    waiting = CellRun("y", RunState.QUEUED)
    runs = {2: failed, 4: failed, 5: waiting}
    comparison = compared(cell(0, {1: 10, 3: 12}, runs=runs), cell(1, {1: 5}))
    broken = comparison.cells[0]
    assert (broken.planned, broken.finished) == (5, 2)
    assert [(missing.reason, missing.seeds) for missing in broken.missing] == [
        ("failed: timed_out", (2, 4)),
        ("not finished", (5,)),
    ]
    note = "0: 2 of 5 runs (seeds 2, 4 failed: timed_out; seed 5 not finished)"
    assert note in comparison.notes
    assert comparison.notes[0].startswith("1 to 2 seeds")


def test_without_any_result_the_notes_are_the_reasons() -> None:
    failed = {1: CellRun("x", RunState.FAILED, failure="timed_out")}
    comparison = compared(*(cell(index, {}, runs=failed) for index in (0, 1)))
    assert comparison.notes == tuple(
        f"{index}: 0 of 1 runs (seed 1 failed: timed_out)" for index in (0, 1)
    )


def test_a_finished_run_without_a_value_has_a_reason() -> None:
    comparison = compared(cell(0, {1: 10, 2: 12}), cell(1, {1: 5, 2: 6}, units={}), metrics=(P99,))
    metric = comparison.cells[1].metrics[P99.name]
    assert metric.estimate is None
    assert [(missing.reason, missing.seeds) for missing in metric.missing] == [
        ("not reported", (1, 2))
    ]
    assert "delay p99: no value in 4 runs (not reported): all cells" in comparison.notes
    silent = CellResults(1, {"a": "1"}, NS3, 0, cell(1, {1: 1}).runs, {}, {})
    comparison = compared(cell(0, {1: 10}), silent)
    assert "delay mean: no value in 1 run (no packet arrived): 1" in comparison.notes
    assert comparison.cells[1].metrics[DELAY.name].against_baseline is None


def test_metrics_in_different_units_are_not_compared() -> None:
    comparison = compared(cell(0, {1: 10}), cell(1, {1: 0.01}, units={DELAY.name: "s"}))
    metric = comparison.cells[1].metrics[DELAY.name]
    assert (metric.values, metric.against_baseline) == ({}, None)
    assert metric.missing[0].reason == "reported in 's', not in 'ms'"


def test_differences_are_absolute_if_the_baseline_may_be_zero() -> None:
    comparison = compared(cell(0, {1: 0, 2: 0}), cell(1, {1: 8, 2: 9}))
    against = comparison.cells[1].metrics[DELAY.name].against_baseline
    assert against is not None
    assert (against.mean, against.relative_mean) == (8.5, None)
    assert any(
        "not significantly different from zero: delay mean" in note for note in comparison.notes
    )


def test_the_family_is_every_cell_with_a_baseline_times_the_default_metrics() -> None:
    comparison = compared(cell(0, {1: 1}), cell(1, {}), cell(2, {1: 2}), metrics=(DELAY, P99))
    assert comparison.family.comparisons == 2
    assert comparison.family.metrics == (DELAY.name,)
    assert comparison.family.size == 2


def test_metrics_are_chosen_by_name() -> None:
    assert choose_metrics(DESIGN, (), ["delay_ms_p99"]) == (P99,)
    with pytest.raises(SpecError, match="ambiguous: delay_ms_mean, delay_ms_p99"):
        choose_metrics(DESIGN, (), ["delay"])
    with pytest.raises(SpecError, match="did you mean 'delay_ms_p99'"):
        choose_metrics(DESIGN, (), ["delay_ms_p98"])


def test_labelled_metrics_have_the_definition_of_their_base() -> None:
    available = metric_definitions(DESIGN, ["delay_ms_mean:newcomer", "delay_ms_mean"])
    assert [metric.title for metric in available] == ["delay mean", "delay mean newcomer"]
    chosen = choose_metrics(DESIGN, available, ["delay_ms_mean:newcomer"])
    assert chosen == (available[1],)


def test_default_metrics_are_available_before_any_run_has_finished() -> None:
    assert [metric.name for metric in metric_definitions(DESIGN, [])] == [DELAY.name]
