"""Cells against their baseline."""

import pytest

from windtunnel.comparison import CellResults, choose_metrics, compare, headline
from windtunnel.errors import SpecError
from windtunnel.spec.description import Metric

DELAY = Metric("delay_ms_mean", "ms", "lower", "")
P99 = Metric("delay_ms_p99", "ms", "lower", "")


def cell(index: int, values: dict[int, float], same: bool = False) -> CellResults:
    digests = {seed: "same" if same else f"{index}-{seed}" for seed in values}
    runs = {seed: f"run{index}{seed}" for seed in values}
    return CellResults(index, {"a": str(index)}, 0, {DELAY.name: values}, digests, runs)


def test_seeds_are_paired_by_their_index() -> None:
    compared = compare([cell(0, {1: 10, 2: 20}), cell(1, {2: 21, 3: 99})], [DELAY])
    baseline, other = compared.cells
    assert baseline.is_baseline
    assert baseline.metrics[DELAY.name].against_baseline is None
    against = other.metrics[DELAY.name].against_baseline
    assert against is not None
    assert (against.difference.n, against.difference.mean) == (1, 1)


def test_equal_records_under_every_seed_are_one_observation() -> None:
    compared = compare([cell(0, {1: 10, 2: 10}, same=True), cell(1, {1: 8, 2: 8}, True)], [DELAY])
    other = compared.cells[1]
    assert other.deterministic
    assert other.metrics[DELAY.name].estimate.n == 1
    assert other.metrics[DELAY.name].estimate.ci95 is None
    against = other.metrics[DELAY.name].against_baseline
    assert against is not None
    assert against.difference.n == 1


def test_a_deterministic_baseline_does_not_hide_the_others_spread() -> None:
    compared = compare([cell(0, {1: 10, 2: 10}, same=True), cell(1, {1: 8, 2: 9})], [DELAY])
    against = compared.cells[1].metrics[DELAY.name].against_baseline
    assert against is not None
    assert against.difference.n == 2


def test_a_cell_without_results_has_no_metrics() -> None:
    compared = compare([cell(0, {}), cell(1, {1: 5})], [DELAY])
    assert compared.cells[0].metrics == {}
    assert compared.cells[1].metrics[DELAY.name].against_baseline is None


def test_metrics_are_chosen_by_name() -> None:
    assert choose_metrics([DELAY, P99], []) == (DELAY, P99)
    assert choose_metrics([DELAY, P99], ["delay_ms_p99"]) == (P99,)
    with pytest.raises(SpecError, match="ambiguous: delay_ms_mean, delay_ms_p99"):
        choose_metrics([DELAY, P99], ["delay"])
    with pytest.raises(SpecError, match="did you mean 'delay_ms_p99'"):
        choose_metrics([DELAY, P99], ["delay_ms_p98"])


def headline_of(*names: str) -> list[str]:
    return headline(names)


def test_the_headline_follows_what_the_runs_have() -> None:
    usual = ("drops_total", "ideal_throughput_pct", "packet_delay_ms_mean")
    assert headline_of(*usual) == ["ideal_throughput_pct", "packet_delay_ms_mean", "drops_total"]
    assert headline_of(*usual, "goodput_mbps:a", "goodput_mbps:b") == [
        "goodput_mbps:a", "goodput_mbps:b", "drops_total",
    ]  # fmt: skip
    assert headline_of(*usual, "rounds_goodput_mbps", "timeouts")[0] == "rounds_goodput_mbps"
    assert headline_of(*usual, "fct_ms_mean", "fct_ms_p50") == ["fct_ms_p50", "drops_total"]
    assert headline_of("own", "other") == ["own", "other"]


def test_labelled_metrics_can_be_chosen_by_their_whole_name() -> None:
    known = [DELAY, Metric("delay_ms_mean:newcomer", "ms", "lower", "")]
    assert choose_metrics(known, ["delay_ms_mean:newcomer"]) == (known[1],)
