"""Gates: what passes, fails or stays undecided, with values by hand and scipy as an oracle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from tests.unit.test_comparison import DELAY, NS3, cell
from windtunnel.comparison import CellResults, CellRun, Design, ResultTable
from windtunnel.comparison.gate_cells import OtherCampaign
from windtunnel.comparison.gate_tests import GateOutcome
from windtunnel.comparison.gates import GateCell, GateReport, GateStatus, evaluate
from windtunnel.comparison.looks import current_look
from windtunnel.run import RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric
from windtunnel.spec.gates import Gate, Inconclusive

GOODPUT = Metric("goodput", "Mb/s", "higher", "")
CWND = Metric("cwnd", "segments", "none", "")
# The example of docs/gates.md: differences 0.4, 0.2, 0.3, 0.5, 0.1; mean 0.3, standard error 0.0707
BASE = {1: 10.0, 2: 10.4, 3: 9.8, 4: 10.2, 5: 9.6}
SLOWER = {1: 10.4, 2: 10.6, 3: 10.1, 4: 10.7, 5: 9.7}
PASSED, FAILED, INCONCLUSIVE = GateOutcome


def design(metric: Metric = DELAY, replications: int = 0) -> Design:
    analysis = Analysis(replications=replications)
    return Design("c1", ("a",), {"a": "0"}, (metric,), (metric.name,), {}, analysis)


def of(metric: Metric, source: CellResults) -> CellResults:
    values = {metric.name: source.values[DELAY.name]}
    return CellResults(
        source.index, source.coordinates, NS3, source.baseline, source.runs, values, {}
    )


def report(
    gate: Gate, *cells: CellResults, metric: Metric = DELAY, replications: int = 0
) -> GateReport:
    table = ResultTable(design(metric, replications), tuple(of(metric, c) for c in cells))
    return evaluate(table, [gate], max_replications=10_000)


def gated(require: str, *cells: CellResults, metric: Metric = DELAY, **gate: Any) -> GateCell:
    (result,) = report(Gate(metric.name, require, **gate), *cells, metric=metric).gates
    return result.cells[0]


def absolute(require: str, values: dict[int, float], metric: Metric = DELAY) -> GateCell:
    gate = Gate(metric.name, require, {}, None)
    (result,) = report(gate, cell(0, values), cell(1, values), metric=metric).gates
    return result.cells[0]


PAIR = cell(0, BASE), cell(1, SLOWER)


@pytest.mark.parametrize(
    ("require", "outcome"),
    [
        # One-sided 95 % bounds of the difference: 0.3 -+ 2.132 x 0.0707 = 0.149 and 0.451 ms.
        ("not worse than 0.46 ms", PASSED),
        ("not worse than 0.44 ms", INCONCLUSIVE),
        ("not worse than 0.16 ms", INCONCLUSIVE),
        ("not worse than 0.14 ms", FAILED),
        ("equivalent within 0.46 ms", PASSED),
        ("equivalent within 0.2 ms", INCONCLUSIVE),
        # Outside by the two-sided interval, 0.3 - 2.776 x 0.0707 = 0.104.
        ("equivalent within 0.11 ms", INCONCLUSIVE),
        ("equivalent within 0.1 ms", FAILED),
        ("better", FAILED),
        # The mean 10.3, standard deviation 0.406, standard error 0.182: 9.913 to 10.687.
        ("at most 10.69 ms", PASSED),
        ("at most 10.68 ms", INCONCLUSIVE),
        ("at most 9.92 ms", INCONCLUSIVE),
        ("at most 9.91 ms", FAILED),
        ("at least 9.91 ms", PASSED),
        ("at least 10.69 ms", FAILED),
    ],
)
def test_conditions_decide_by_one_sided_bounds(require: str, outcome: GateOutcome) -> None:
    against = None if require.startswith("at") else "baseline"
    assert gated(require, *PAIR, against=against).outcome is outcome


def test_a_metric_of_which_more_is_better_is_worse_when_lower() -> None:
    cells = cell(0, SLOWER), cell(1, BASE)
    assert gated("not worse than 0.14 Mb/s", *cells, metric=GOODPUT).outcome is FAILED
    assert gated("not worse than 0.46 Mb/s", *cells, metric=GOODPUT).outcome is PASSED
    assert gated("better", *cells, metric=GOODPUT).outcome is FAILED
    assert gated("better", *PAIR, metric=GOODPUT).outcome is PASSED
    assert gated("equivalent within 5 %", *PAIR, metric=CWND).outcome is PASSED


def test_relative_margins_are_scipys_tests_of_the_ratio() -> None:
    x, y = list(SLOWER.values()), list(BASE.values())
    for share in (0.01, 0.02, 0.03, 0.05, 0.1):
        shifted = [b * (1 + share) for b in y]
        result = gated(f"not worse than {100 * share:g} %", *PAIR)
        assert result.p_pass == pytest.approx(stats.ttest_rel(x, shifted, alternative="less")[1])
        assert result.p_fail == pytest.approx(stats.ttest_rel(x, shifted, alternative="greater")[1])
        lower = stats.ttest_rel(x, [b * (1 - share) for b in y], alternative="greater")[1]
        both = gated(f"equivalent within {100 * share:g} %", *PAIR)
        assert both.p_pass == pytest.approx(max(lower, result.p_pass or 0))


def test_unpaired_cells_and_single_cells_are_scipys_tests() -> None:
    other = cell(1, SLOWER, schedules="other")
    x, y = list(SLOWER.values()), list(BASE.values())
    result = gated("better", PAIR[0], other)
    assert result.p_pass == pytest.approx(
        stats.ttest_ind(x, y, equal_var=False, alternative="less")[1]
    )
    assert result.difference is not None
    assert not result.difference.paired
    limit = absolute("at most 10.5 ms", SLOWER)
    assert limit.p_pass == pytest.approx(stats.ttest_1samp(x, 10.5, alternative="less")[1])
    assert limit.p_fail == pytest.approx(stats.ttest_1samp(x, 10.5, alternative="greater")[1])


def test_the_worst_seed_is_the_one_to_reproduce() -> None:
    """Differences are largest for seed 4 and smallest for seed 5; values for 4 and 5 too."""
    worst = [
        gated("not worse than 1 ms", *PAIR).worst,
        gated("better", *PAIR, metric=GOODPUT).worst,
        absolute("at least 1 ms", SLOWER).worst,
    ]
    assert [(seed.seed, seed.run) for seed in worst if seed] == [
        (4, "run14"),
        (5, "run15"),
        (5, "run15"),
    ]


def without(source: CellResults, seed: int, state: RunState, failure: str | None) -> CellResults:
    runs = {**source.runs, seed: CellRun(f"gone{seed}", state, failure)}
    values = {
        name: {s: value for s, value in by_seed.items() if s != seed}
        for name, by_seed in source.values.items()
    }
    return CellResults(source.index, source.coordinates, NS3, 0, runs, values, {})


@pytest.mark.parametrize("policy", list(Inconclusive))
def test_a_gate_over_failed_or_missing_runs_never_passes(policy: Inconclusive) -> None:
    failed = without(PAIR[1], 3, RunState.FAILED, "timed_out")
    gate = Gate(DELAY.name, "not worse than 50 %", inconclusive=policy)
    (result,) = report(gate, PAIR[0], failed).gates
    assert (result.status, result.outcome) == (GateStatus.FAILED, FAILED)
    (broken,) = result.cells
    assert broken.reason == "incomplete: 4 of 5 runs have a value (seed 3 failed: timed_out)"
    assert broken.runs_missing
    assert broken.worst is not None
    assert broken.worst.run == "gone3"

    waiting = without(PAIR[0], 2, RunState.QUEUED, None)
    (result,) = report(gate, waiting, PAIR[1]).gates
    assert (result.status, result.outcome) == (GateStatus.PENDING, INCONCLUSIVE)
    reason = "incomplete: the reference: 4 of 5 runs have a value (seed 2 not finished)"
    assert result.cells[0].reason == reason


def test_a_finished_run_without_the_value_fails_by_its_result() -> None:
    silent = without(PAIR[1], 3, RunState.SUCCEEDED, None)
    result = gated("not worse than 50 %", PAIR[0], silent)
    assert (result.outcome, result.runs_missing) == (FAILED, False)
    assert "(seed 3 no packet arrived)" in result.reason


def test_values_in_another_unit_or_not_measured_fail() -> None:
    other = cell(1, SLOWER, units={DELAY.name: "s"})
    table = ResultTable(design(), (cell(0, BASE), other))
    (result,) = evaluate(table, [Gate(DELAY.name, "better")], 100).gates
    assert result.cells[0].reason == "reported in 's', not in 'ms'"
    assert result.status is GateStatus.FAILED


def test_deterministic_cells_compare_exact_numbers() -> None:
    """10.5 against 10.0, the same records under every seed."""
    same = dict.fromkeys((1, 2), 10.0), dict.fromkeys((1, 2), 10.5)
    cells = [cell(index, values, same=True) for index, values in enumerate(same)]
    conditions = "not worse than 5 %", "not worse than 4.9 %", "better", "equivalent within 1 ms"
    results = [gated(require, *cells) for require in conditions]
    assert [result.outcome for result in results] == [PASSED, FAILED, FAILED, PASSED]
    assert all(result.exact and result.p_pass is None for result in results)
    assert gated("at most 10.5 ms", *cells, against=None).outcome is PASSED
    assert gated("at least 10.6 ms", *cells, against=None).outcome is FAILED
    equal = [cell(index, same[0], same=True) for index in (0, 1)]
    assert gated("better", *equal).outcome is FAILED


def test_one_replication_is_inconclusive() -> None:
    for gate in (Gate(DELAY.name, "better"), Gate(DELAY.name, "at most 50 ms", {}, None)):
        (result,) = report(gate, cell(0, {1: 10.0}), cell(1, {1: 8.0})).gates
        assert result.outcome is INCONCLUSIVE
        assert result.cells[0].reason == "a single replication has no interval"
        assert result.status is GateStatus.FAILED


def test_without_any_replication_nothing_passes() -> None:
    gate = Gate(DELAY.name, "at most 5 ms", {}, None, Inconclusive.PASS)
    empty = CellResults(0, {"a": "0"}, NS3, None, {}, {}, {})
    result = evaluate(ResultTable(design(), (empty,)), [gate], 100)
    assert result.status is GateStatus.FAILED


@pytest.mark.parametrize(
    "values",
    [dict.fromkeys(range(1, 6), 0.0), {1: 1e308, 2: -1e308, 3: 0.0, 4: 1e-308, 5: 7.0}],
)
@pytest.mark.parametrize("require", ["better", "not worse than 5 %", "equivalent within 1 ms"])
def test_no_values_make_p_no_number(require: str, values: dict[int, float]) -> None:
    for cells in ((cell(0, values), cell(1, BASE)), (cell(0, BASE), cell(1, values))):
        result = gated(require, *cells)
        assert not any(math.isnan(p) for p in (result.p_pass, result.p_fail) if p is not None)
        assert result.outcome in GateOutcome


def test_values_without_spread_need_as_many_seeds_as_the_sign_test() -> None:
    """2^-4 is 6.3 %, 2^-5 is 3.1 %; at 1.25 % a gate that extends needs 2^-7."""
    for n, outcome in ((4, INCONCLUSIVE), (5, PASSED)):
        same = [cell(index, dict.fromkeys(range(1, n + 1), 30.0)) for index in (0, 1)]
        result = gated("not worse than 5 %", *same)
        assert result.outcome is outcome
        reason = "no spread between seeds: at least 5 are needed"
        assert result.reason == (reason if n == 4 else "")
    extending = gated("not worse than 5 %", *same, inconclusive=Inconclusive.EXTEND)
    assert extending.reason == "no spread between seeds: at least 7 are needed"


def test_a_percentage_of_a_mean_of_zero_is_said_to_be_nothing() -> None:
    zeros = dict.fromkeys(range(1, 9), 0.0)
    result = gated("not worse than 5 %", cell(0, zeros), cell(1, zeros))
    assert result.outcome is INCONCLUSIVE
    assert "of which a percentage is nothing" in result.reason
    rising = gated("not worse than 5 %", cell(0, zeros), cell(1, dict.fromkeys(zeros, 9.0)))
    assert rising.outcome is FAILED
    assert gated("not worse than 1 ms", cell(0, zeros), cell(1, zeros)).outcome is PASSED


@pytest.mark.parametrize(
    ("policy", "status"),
    [
        (Inconclusive.PASS, GateStatus.PASSED),
        (Inconclusive.WARN, GateStatus.WARNED),
        (Inconclusive.FAIL, GateStatus.FAILED),
        (Inconclusive.EXTEND, GateStatus.EXTEND),
    ],
)
def test_what_follows_from_an_inconclusive_gate_is_explicit(
    policy: Inconclusive, status: GateStatus
) -> None:
    gate = Gate(DELAY.name, "not worse than 0.3 ms", inconclusive=policy)
    (result,) = report(gate, *PAIR).gates
    assert (result.outcome, result.status) == (INCONCLUSIVE, status)


def test_a_gate_passes_only_if_all_of_its_cells_do() -> None:
    better = cell(2, {seed: value - 5 for seed, value in BASE.items()})
    gate = Gate(DELAY.name, "better")
    (result,) = report(gate, *PAIR, better).gates
    assert [tested.outcome for tested in result.cells] == [FAILED, PASSED]
    assert result.outcome is FAILED
    (result,) = report(Gate(DELAY.name, "better", {"a": ("2",)}), *PAIR, better).gates
    assert result.outcome is PASSED
    (result,) = report(Gate(DELAY.name, "better", {}, {"a": "2"}), *PAIR, better).gates
    assert [tested.index for tested in result.cells] == [0, 1]
    (result,) = report(Gate(DELAY.name, "at most 9 ms", {}, None), *PAIR, better).gates
    assert [tested.index for tested in result.cells] == [1, 2]


def test_looks_double_four_times_at_a_quarter_of_the_level() -> None:
    looks = [current_look(5, n, 10_000) for n in (5, 9, 10, 20, 39, 40, 400)]
    assert [(look.number, look.replications, look.following) for look in looks] == [
        (1, 5, 10), (1, 5, 10), (2, 10, 20), (3, 20, 40), (3, 20, 40), (4, 40, None), (4, 40, None),
    ]  # fmt: skip
    assert {(look.count, look.alpha) for look in looks} == {(4, 0.0125)}
    capped = current_look(5, 5, 12)
    assert (capped.count, capped.following) == (3, 10)
    assert current_look(5, 10, 12).following == 12
    assert current_look(5, 12, 12).following is None
    assert current_look(5, 5, 3).following is None


def test_a_gate_that_extends_asks_for_the_next_look_and_uses_no_others() -> None:
    gate = Gate(DELAY.name, "not worse than 0.3 ms", inconclusive=Inconclusive.EXTEND)
    first = report(gate, *PAIR, replications=5)
    assert (first.status, first.extend_to) == (GateStatus.EXTEND, 10)
    # Extended by hand to 7: the next look is at 10, and the two more seeds change nothing.
    more = [cell(index, {**source.values[DELAY.name], 6: 99.0 * index + 1, 7: 5.0})
            for index, source in enumerate(PAIR)]  # fmt: skip
    by_hand = report(gate, *more, replications=5)
    assert by_hand == first
    sixteen = [
        cell(index, {seed: values[1 + seed % 5] for seed in range(1, 17)})
        for index, values in enumerate((BASE, SLOWER))
    ]
    last = report(gate, *sixteen, replications=2)
    assert (last.status, last.extend_to) == (GateStatus.FAILED, None)
    assert last.gates[0].look.number == 4
    assert last.gates[0].cells[0].outcome is INCONCLUSIVE


def test_a_failed_gate_is_no_reason_to_extend() -> None:
    undecided = Gate(DELAY.name, "not worse than 0.3 ms", inconclusive=Inconclusive.EXTEND)
    result = evaluate(
        ResultTable(design(replications=5), PAIR), [undecided, Gate(DELAY.name, "better")], 100
    )
    assert (result.status, result.extend_to) == (GateStatus.FAILED, None)


def test_a_campaign_that_adds_seeds_by_its_own_rule_decides_nothing_before_its_end() -> None:
    table = ResultTable(design(), PAIR)
    gates = [Gate(DELAY.name, "better"), Gate(DELAY.name, "not worse than 1 ms")]
    growing = evaluate(table, gates, 100, growing=True)
    assert [result.status for result in growing.gates] == [GateStatus.PENDING] * 2


def test_without_gates_there_is_no_status() -> None:
    assert evaluate(ResultTable(design(), PAIR), [], 100).status is None


def across(gate: Gate, other: OtherCampaign, *cells: CellResults) -> GateReport:
    table = ResultTable(design(), tuple(of(DELAY, c) for c in cells))
    named = replace(gate, against="label:branch=main")
    others = {"label:branch=main": other}
    return evaluate(table, [named], max_replications=10_000, others=others)


def test_every_cell_is_compared_with_the_one_that_it_matches_in_another_campaign() -> None:
    main = OtherCampaign("main 1f2e", {0: of(DELAY, cell(0, BASE)), 1: of(DELAY, cell(1, SLOWER))})
    gate = Gate(DELAY.name, "not worse than 0.14 ms")
    (result,) = across(gate, main, cell(0, BASE), cell(1, SLOWER)).gates
    assert [tested.outcome for tested in result.cells] == [PASSED, PASSED]
    assert [tested.difference.mean for tested in result.cells if tested.difference] == [0.0, 0.0]
    (worse,) = across(gate, main, cell(0, SLOWER)).gates
    (tested,) = worse.cells
    assert tested.outcome is FAILED
    assert tested.reference == {"campaign": "main 1f2e"}
    assert tested.difference is not None
    assert tested.difference.mean == pytest.approx(0.3)


def test_a_cell_that_the_other_campaign_lacks_never_passes() -> None:
    main = OtherCampaign("main 1f2e", {0: of(DELAY, cell(0, BASE))})
    gate = Gate(DELAY.name, "not worse than 50 %", inconclusive=Inconclusive.PASS)
    found = across(gate, main, cell(0, BASE), cell(1, BASE))
    assert found.status is GateStatus.FAILED
    assert [tested.reason for tested in found.gates[0].cells] == ["", "main 1f2e has no such cell"]


def test_cells_of_other_scenarios_are_not_compared_unless_allowed() -> None:
    """The values would pass."""
    match = {0: of(DELAY, cell(0, BASE))}
    main = OtherCampaign("main 1f2e", match, changed={0: "topology.link.rate 10Mbps -> 20Mbps"})
    gate = Gate(DELAY.name, "not worse than 50 %", inconclusive=Inconclusive.PASS)
    found = across(gate, main, cell(0, BASE))
    assert found.status is GateStatus.FAILED
    (tested,) = found.gates[0].cells
    assert tested.reason == "the scenarios differ: topology.link.rate 10Mbps -> 20Mbps"
    allowed = across(replace(gate, allow_differences=True), main, cell(0, BASE))
    assert allowed.status is GateStatus.PASSED


def test_a_gate_on_no_cell_has_shown_nothing() -> None:
    gate = Gate(DELAY.name, "better", inconclusive=Inconclusive.PASS)
    (only,) = report(gate, cell(0, BASE)).gates
    assert (only.cells, only.status) == ((), GateStatus.FAILED)


def test_a_campaign_that_is_not_there_fails_the_gate_and_says_why() -> None:
    nothing = OtherCampaign("label:branch=main", problem="no other campaign has the label")
    found = across(Gate(DELAY.name, "better", inconclusive=Inconclusive.WARN), nothing, *PAIR)
    assert found.status is GateStatus.FAILED
    assert {tested.reason for tested in found.gates[0].cells} == {"no other campaign has the label"}
