"""Rankings, Pareto fronts and the sentences that conclude."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.test_comparison import NS3
from windtunnel.comparison import CellResults, CellRun, Comparison, Design, ResultTable, compare
from windtunnel.run import RunState
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric

GOODPUT = Metric("goodput_mbps", "Mb/s", "higher", "", "goodput", "throughput")
P99 = Metric("delay_ms_p99", "ms", "lower", "", "delay p99", "delay")
WINDOW = Metric("window", "segments", "none", "", "window")
SEEDS = range(1, 6)
NOISE = dict(zip(SEEDS, (0.02, -0.01, 0.0, 0.01, -0.02), strict=True))


def cell(index: int, label: str, goodput: float, delay: float, **labels: str) -> CellResults:
    """Five seeds around the means, each cell with other noise, of the same traffic."""
    runs = {
        seed: CellRun(f"{index}-{seed}", RunState.SUCCEEDED, None, f"d{index}{seed}", f"s{seed}")
        for seed in SEEDS
    }
    values = {
        metric.name: {seed: mean * (1 + NOISE[(seed + index) % 5 + 1]) for seed in SEEDS}
        for metric, mean in ((GOODPUT, goodput), (P99, delay), (WINDOW, 10))
    }
    coordinates = {"algorithm": label, **labels}
    return CellResults(index, coordinates, NS3, 0, runs, values, {})


def compared(
    *cells: CellResults, baseline: str | None = "newreno", family: tuple[str, ...] = ()
) -> Comparison:
    metrics = (GOODPUT, P99, WINDOW)
    axes = tuple(cells[0].coordinates)
    names = (GOODPUT.name, P99.name)
    reference = {"algorithm": baseline} if baseline else {}
    analysis = Analysis(family=family)
    design = Design("c1", axes, reference, metrics, names, analysis=analysis)
    if baseline is None:
        cells = tuple(replace(source, baseline=None) for source in cells)
    return compare(ResultTable(design, cells), metrics, metrics)


CELLS = (
    cell(0, "newreno", 50, 20),
    cell(1, "vegas", 30, 5),
    cell(2, "cubic", 50.1, 20.1),
    cell(3, "bic", 20, 40),
)


def ranks(comparison: Comparison, metric: Metric) -> dict[int, tuple[int, bool]]:
    (ranking,) = [item for item in comparison.rankings if item.metric == metric.name]
    return {place.cell: (place.rank, place.tied) for place in ranking.places}


@pytest.mark.parametrize("baseline", ["newreno", None])
def test_cells_that_cannot_be_told_apart_share_a_rank(baseline: str | None) -> None:
    comparison = compared(*CELLS, baseline=baseline)
    assert ranks(comparison, GOODPUT) == {
        2: (1, True),
        0: (1, True),
        1: (3, False),
        3: (4, False),
    }
    assert ranks(comparison, P99) == {1: (1, False), 0: (2, True), 2: (2, True), 3: (4, False)}


def test_metrics_without_a_better_direction_are_not_ranked() -> None:
    assert {ranking.metric for ranking in compared(*CELLS).rankings} == {GOODPUT.name, P99.name}


def test_a_cell_that_lacks_a_value_is_not_ranked() -> None:
    lacking = replace(CELLS[1], values={P99.name: {1: 5.0}})
    (ranking, _) = compared(CELLS[0], lacking, *CELLS[2:]).rankings
    assert ranking.unranked == (1,)
    assert 1 not in {place.cell for place in ranking.places}


def test_each_setting_has_its_ranking() -> None:
    cells = [
        replace(cell(2 * index + at, label, 50 - 10 * at, 20, limit=limit), baseline=2 * index)
        for index, limit in enumerate(("50p", "100p"))
        for at, label in enumerate(("newreno", "vegas"))
    ]
    comparison = compared(*cells)
    settings = [ranking.setting for ranking in comparison.rankings if ranking.metric == P99.name]
    assert settings == [{"limit": "50p"}, {"limit": "100p"}]
    assert comparison.summary[0].startswith("limit 50p: newreno has the highest goodput")


def test_the_front_is_what_no_cell_dominates() -> None:
    """Vegas has the lowest delay, cubic the highest goodput; newreno has less delay than cubic."""
    (front,) = compared(*CELLS).pareto
    assert front.metrics == (GOODPUT.name, P99.name)
    assert set(front.cells) == {0, 1, 2}


def test_the_summary_says_who_leads_by_how_much_and_how_surely() -> None:
    goodput, delay = compared(*CELLS).summary
    assert goodput == (
        "cubic and newreno share the highest goodput: 50.1 Mb/s to 50.0 Mb/s. "
        "Worse than newreno: vegas and bic; equivalent to newreno: cubic."
    )
    assert delay.startswith(
        "vegas has the lowest delay p99: 5.00 ms, 75.0 % below newreno (95 % CI"
    )
    assert delay.endswith(
        "5 seeds). Better than newreno: vegas; worse than newreno: bic; equivalent to newreno: "
        "cubic."
    )


def test_the_summary_of_equals_names_no_winner() -> None:
    goodput, _ = compared(CELLS[0], replace(CELLS[2], index=1)).summary
    assert goodput.startswith("no significant difference in goodput between cubic and newreno")


def buffers(vegas: tuple[float, float]) -> list[CellResults]:
    """Newreno and vegas at three buffers; vegas has these delays at the first two."""
    delays = (*vegas, 20.0)
    return [
        replace(cell(2 * index + at, label, 50, delay, limit=limit), baseline=2 * index)
        for index, limit in enumerate(("50p", "100p", "200p"))
        for at, (label, delay) in enumerate((("newreno", 20.0), ("vegas", delays[index])))
    ]


def over_buffers(vegas: tuple[float, float], family: tuple[str, ...] = ()) -> Comparison:
    return compared(*buffers(vegas), family=family)


def test_the_headline_of_one_setting_is_its_sentence() -> None:
    comparison = compared(*CELLS)
    assert tuple(comparison.headlines.values()) == comparison.summary
    assert list(comparison.headlines) == [GOODPUT.name, P99.name]


def test_a_headline_over_settings_counts_verdicts_and_quotes_the_clearest() -> None:
    headline = over_buffers((10.0, 5.0)).headlines[P99.name]
    assert headline.startswith(
        "vegas has a lower delay p99 than newreno in 2 of 3 settings, by most at limit 100p: "
    )
    assert "ms, 75.0 % less (95 % CI −7" in headline
    assert headline.endswith("%, 5 seeds). It is inconclusive in 1.")


def test_a_headline_without_a_winner_says_so() -> None:
    headline = over_buffers((20.0, 40.0)).headlines[P99.name]
    assert headline == (
        "No cell is shown to be better than newreno in delay p99 in any of 3 settings. "
        "vegas is worse in 1 and inconclusive in 2."
    )


def test_a_headline_outside_the_family_names_the_leaders_only() -> None:
    comparison = over_buffers((10.0, 5.0), family=(GOODPUT.name,))
    assert comparison.headlines[P99.name].startswith(
        "vegas has the lowest delay p99 in 2 of 3 settings, alone or tied."
    )


def test_a_headline_of_equals_names_no_leader() -> None:
    comparison = over_buffers((20.0, 20.0), family=(GOODPUT.name,))
    headline = comparison.headlines[P99.name]
    assert headline == "No significant difference in delay p99 in any of 3 settings."


def test_a_headline_counts_exact_comparisons_by_their_direction() -> None:
    """Every seed has the same records: nothing is inferred."""
    cells = []
    for index, limit in enumerate(("50p", "100p")):
        for at, (label, delay) in enumerate((("newreno", 20.0), ("vegas", 5.0))):
            one = cell(2 * index + at, label, 50, delay, limit=limit)
            runs = {seed: replace(run, digest=f"same{at}") for seed, run in one.runs.items()}
            values = {
                name: dict.fromkeys(SEEDS, by_seed[1]) for name, by_seed in one.values.items()
            }
            cells.append(replace(one, baseline=2 * index, runs=runs, values=values))
    headline = compared(*cells).headlines[P99.name]
    assert headline.startswith(
        "vegas has a lower delay p99 than newreno in 2 of 2 settings, by most"
    )


def test_a_headline_counts_settings_without_results() -> None:
    comparison = over_buffers((10.0, 5.0))
    lacking = [
        replace(source, values={GOODPUT.name: source.values[GOODPUT.name]}, runs={})
        if source.coordinates["limit"] == "200p"
        else source
        for source in buffers((10.0, 5.0))
    ]
    headline = compared(*lacking).headlines[P99.name]
    assert "in 2 of 3 settings" in comparison.headlines[P99.name]
    assert "in 2 of 3 settings" in headline
