"""The matrix of competing algorithms, by hand."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import Any

import pytest
from rich.console import Console

from tests.unit.test_comparison import NS3
from windtunnel.cli.coexistence_table import print_coexistence
from windtunnel.comparison import CellResults, CellRun, Design, ResultTable, share_metrics
from windtunnel.comparison.coexistence import Coexistence, coexistence
from windtunnel.run import RunState

FIRST, SECOND = (f"workload.groups[{group}].algorithm" for group in (0, 1))
GROUPS = ("first", "second")
ALL = ("cubic", "bbr", "vegas")
# The share of the row beside the column; the rest of 200 % is the column's.
SHARES = {
    ("cubic", "bbr"): 60, ("cubic", "vegas"): 170, ("bbr", "vegas"): 190,
    ("cubic", "cubic"): 100, ("bbr", "bbr"): 100, ("vegas", "vegas"): 100,
}  # fmt: skip
NOISE = {1: -1.0, 2: 0.0, 3: 1.0, 4: -0.5, 5: 0.5}


def design(groups: tuple[str, ...] = GROUPS, axes: tuple[str, ...] = (FIRST, SECOND)) -> Design:
    return Design("c1", axes, {}, (), (), groups=groups)


def cell(index: int, first: str, second: str, share: float, **labels: str) -> CellResults:
    runs = {
        seed: CellRun(f"{index}-{seed}", RunState.SUCCEEDED, None, f"{index}{seed}", f"{seed}")
        for seed in NOISE
    }
    noisy = {seed: share + noise * (1 + index) for seed, noise in NOISE.items()}
    values = {
        "mmf_share_pct:first": noisy,
        "mmf_share_pct:second": {seed: 200 - value for seed, value in noisy.items()},
    }
    return CellResults(index, {FIRST: first, SECOND: second, **labels}, NS3, None, runs, values, {})


def grid(**labels: str) -> list[CellResults]:
    """Every algorithm against every other, in both orders."""
    pairs = [(a, b) for a in ALL for b in ALL]
    return [
        cell(index, a, b, SHARES[a, b] if (a, b) in SHARES else 200 - SHARES[b, a], **labels)
        for index, (a, b) in enumerate(pairs)
    ]


def share(matrix: Coexistence, algorithm: str, against: str) -> Any:
    (found,) = [
        item.estimate
        for item in matrix.shares
        if (item.algorithm, item.against) == (algorithm, against)
    ]
    return found


def test_the_matrix_has_the_share_of_each_beside_each() -> None:
    (matrix,) = coexistence(ResultTable(design(), tuple(grid())))
    assert matrix.algorithms == ALL
    assert share(matrix, "cubic", "bbr").mean == pytest.approx(60)
    assert share(matrix, "bbr", "cubic").mean == pytest.approx(140)
    assert share(matrix, "vegas", "bbr").mean == pytest.approx(10)
    assert share(matrix, "vegas", "vegas").mean == pytest.approx(100)


def test_the_most_contentious_leaves_least_to_the_others() -> None:
    """Beside bbr: (60 + 10) / 2; beside cubic: (140 + 30) / 2; beside vegas: (170 + 190) / 2."""
    (matrix,) = coexistence(ResultTable(design(), tuple(grid())))
    places = matrix.contentiousness
    assert [(place.algorithm, place.rank, place.tied) for place in places] == [
        ("bbr", 1, False),
        ("cubic", 2, False),
        ("vegas", 3, False),
    ]
    assert [place.left_to_others.mean for place in places] == pytest.approx([35, 85, 180])


def test_both_orders_are_averaged_and_one_is_enough() -> None:
    both = (cell(0, "cubic", "bbr", 60), cell(1, "bbr", "cubic", 120))
    (matrix,) = coexistence(ResultTable(design(), both))
    assert share(matrix, "cubic", "bbr").mean == pytest.approx(70)
    (matrix,) = coexistence(ResultTable(design(), both[:1]))
    assert share(matrix, "cubic", "bbr").mean == pytest.approx(60)
    assert share(matrix, "cubic", "cubic") is None


def test_algorithms_that_cannot_be_told_apart_share_a_rank() -> None:
    cells = [cell(0, "cubic", "bbr", 100), cell(1, "bbr", "cubic", 100.1)]
    (matrix,) = coexistence(ResultTable(design(), tuple(cells)))
    assert [(place.rank, place.tied) for place in matrix.contentiousness] == [(1, True), (1, True)]


def test_each_setting_has_its_matrix() -> None:
    axes = (FIRST, SECOND, "queue")
    cells = (*grid(queue="1bdp"), *grid(queue="4bdp"))
    matrices = coexistence(ResultTable(design(axes=axes), cells))
    assert [matrix.setting for matrix in matrices] == [{"queue": "1bdp"}, {"queue": "4bdp"}]


@pytest.mark.parametrize(
    "other", [design(axes=(FIRST,)), design(groups=()), design(groups=("first",)), design(axes=())]
)
def test_other_campaigns_have_none(other: Design) -> None:
    assert share_metrics(other) == ()
    assert coexistence(ResultTable(other, ())) == ()


def test_the_metrics_are_those_of_the_two_groups() -> None:
    assert share_metrics(design()) == ("mmf_share_pct:first", "mmf_share_pct:second")
    third = design(("a", "b", "c"), ("workload.groups[2].algorithm", FIRST))
    assert share_metrics(third) == ("mmf_share_pct:a", "mmf_share_pct:c")


@pytest.mark.parametrize("width", [200, 80, 40])
def test_the_terminal_shows_every_share_and_the_ranking(width: int) -> None:
    (matrix,) = coexistence(ResultTable(design(), tuple(grid())))
    stream = io.StringIO()
    print_coexistence(asdict(matrix), Console(file=stream, width=width))
    text = " ".join(stream.getvalue().split())
    assert "60.0 ± 1.0" in text
    assert "1 bbr (35 %), 2 cubic (85.0 ± 1.5 %)" in text
    assert text.index("1 bbr") < text.index("2 cubic") < text.index("3 vegas")
