"""Dots, bars, distributions, heat maps, scatters and time series show the answers' numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text

from tests.unit.answers import ID, Answers, Value, incast
from windtunnel.errors import ConflictError, InvalidRequestError
from windtunnel.plot import PlotRequest, draw, notes_of
from windtunnel.plot.heat import DIVERGING, SEQUENTIAL
from windtunnel.plot.marks import marks_of


def plotted(answers: Answers, **request: Any) -> Figure:
    return draw(answers.get, "504d", PlotRequest(**request))


def xy(of: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(of.get_xydata(), dtype=float)]


def lines(axes: Axes, label: str) -> list[list[tuple[float, float]]]:
    return [xy(one) for one in axes.get_lines() if one.get_label() == label]


def marked(axes: Axes, gid: str) -> list[list[tuple[float, float]]]:
    return [xy(one) for one in axes.get_lines() if one.get_gid() == gid]


def notes(axes: Axes, gid: str) -> list[str]:
    return [text.get_text() for text in axes.findobj(Annotation) if text.get_gid() == gid]


def pair() -> Answers:
    """Two algorithms without another axis."""

    def goodput(labels: Mapping[str, str]) -> Value:
        return (40.0, 2.0) if labels["algorithm"] == "cubic" else (60.0, 5.0)

    def delay(labels: Mapping[str, str]) -> Value:
        return (12.0, 1.0) if labels["algorithm"] == "cubic" else (30.0, 3.0)

    return Answers({"algorithm": ["cubic", "bbr"]}, {"goodput_mbps": goodput, "delay_ms": delay})


def test_dots_are_ranked_best_first_with_their_numbers() -> None:
    [axes] = plotted(pair()).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["bbr", "cubic"]
    assert lines(axes, "bbr") == [[(60, 0)]]
    assert lines(axes, "cubic") == [[(40, 1)]]
    assert marked(axes, "interval") == [[(55, 0), (65, 0)], [(38, 1), (42, 1)]]
    assert notes(axes, "value") == ["60 ± 5", "40.0 ± 2.0"]
    assert axes.get_xlabel() == "Goodput (Mb/s)"
    low, high = sorted(axes.get_ylim())
    assert (low, high) == (-0.6, 1.6)
    assert axes.yaxis_inverted()


def test_lower_is_better_ranks_the_least_first() -> None:
    [axes] = plotted(pair(), y=("delay_ms",)).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["cubic", "bbr"]


def test_dots_follow_the_servers_ranking() -> None:
    places = [{"cell": index, "rank": 1, "tied": True, "mean": 1.0} for index in (0, 1)]
    ranking = {"metric": "goodput_mbps", "setting": {}, "places": places, "unranked": []}
    answers = pair()
    answers.changes = {"rankings": [ranking]}
    [axes] = plotted(answers).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["cubic", "bbr"]


def test_a_row_without_a_value_says_so() -> None:
    answers = pair()
    answers.metrics = {
        "goodput_mbps": lambda labels: None if labels["algorithm"] == "bbr" else (40.0, 2.0)
    }
    figure = plotted(answers)
    assert notes(figure.axes[0], "value") == ["40.0 ± 2.0", "no value"]
    assert notes_of(figure) == ["1 of 2 cells have no value of goodput_mbps and are left out"]


def test_bars_are_means_from_zero_with_intervals() -> None:
    answers = incast()
    figure = plotted(answers, kind="bars", x="servers", where=("servers=1", "servers=8"))
    [axes] = figure.axes
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    heights = sorted(round(bar.get_height(), 6) for bar in bars)
    assert heights == [90, 100, 120, 720, 800, 960]
    assert {bar.get_y() for bar in bars} == {0}
    assert sorted(round(y, 6) for (_, y), _ in marked(axes, "interval")) == [
        81, 90, 108, 648, 720, 864,
    ]  # fmt: skip
    assert {bar.get_hatch() for bar in bars} == {"", "////", "...."}
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "8"]
    with pytest.raises(InvalidRequestError, match="log: bars begin at 0"):
        plotted(answers, kind="bars", x="servers", log=("y",))


def test_an_x_axis_of_names_gives_bars_in_the_algorithms_colours() -> None:
    [axes] = plotted(pair(), x="algorithm").axes
    colours = [to_hex(bar.get_facecolor()) for bar in axes.patches if isinstance(bar, Rectangle)]
    assert colours == ["#2753d6", "#b54508"]


def distributed() -> Answers:
    answers = pair()
    answers.points = {0: [(1.0, 0.5), (10.0, 0.75), (1000.0, 1.0)], 1: [(0.0, 0.2), (5.0, 1.0)]}
    return answers


def test_a_cdf_steps_through_the_servers_points() -> None:
    figure = plotted(distributed(), kind="cdf")
    [axes] = figure.axes
    assert axes.get_xscale() == "linear"
    [line] = [one for one in axes.get_lines() if one.get_label() == "cubic"]
    assert line.get_drawstyle() == "steps-post"
    assert xy(line) == [(1, 0), (1, 0.5), (10, 0.75), (1000, 1), (1000, 1)]
    assert marked(axes, "quantile") == [
        [(1, 0.25)], [(1, 0.5)], [(10, 0.75)], [(5, 0.25)], [(5, 0.5)], [(5, 0.75)],
    ]  # fmt: skip
    assert axes.get_xlabel() == "Flow completion time (ms)"
    assert axes.get_ylabel() == "Fraction of flows"
    assert notes_of(figure) == ["1 of 6 flows have no flow completion time and are left out"]


def test_a_log_cdf_begins_at_the_fraction_of_zeros() -> None:
    [axes] = plotted(distributed(), kind="cdf", log=("x",)).axes
    assert axes.get_xscale() == "log"
    assert lines(axes, "bbr") == [[(5, 0.2), (5, 1), (1000, 1)]]
    assert [text.get_text() for text in axes.get_xticklabels() if text.get_text()] == [
        "1", "10", "100", "1,000",
    ]  # fmt: skip


def test_a_cdf_without_records_is_refused() -> None:
    with pytest.raises(ConflictError, match="no run has flow records"):
        plotted(pair(), kind="cdf")


def test_a_heat_map_has_the_numbers_of_two_axes() -> None:
    [axes] = plotted(incast(), kind="heatmap").axes
    numbers = notes(axes, "number")
    assert len(numbers) == 18
    assert numbers[:2] == ["800", "400"]
    colours = [to_hex(cell.get_facecolor()) for cell in axes.patches]
    assert colours[12] == SEQUENTIAL[-1]  # 960, the largest
    assert colours[11] == SEQUENTIAL[0]  # 22.5, the least
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "4", "8", "16", "32"]
    assert axes.get_title("left") == "Goodput (Mb/s)"


def test_a_heat_map_of_one_axis_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="kind: a heat map shows two axes"):
        plotted(pair(), kind="heatmap")


def coexisting() -> Answers:
    names = ["cubic", "vegas"]
    axes = {f"groups[{index}].algorithm": names for index in (0, 1)}
    shares = [(100.0, 0.0), (170.0, 5.0), (12.0, 2.5), None]
    estimates = [
        None
        if share is None
        else {
            "n": 5, "mean": share[0], "sd": 1, "half_width": share[1],
            "ci95": (share[0] - share[1], share[0] + share[1]),
        }
        for share in shares
    ]  # fmt: skip
    pairs = [(name, other) for name in names for other in names]
    matrix = {
        "setting": {},
        "algorithms": names,
        "shares": [
            {"algorithm": name, "against": other, "estimate": estimate}
            for (name, other), estimate in zip(pairs, estimates, strict=True)
        ],
        "contentiousness": [],
    }
    return Answers(axes, {"goodput_mbps": lambda _: (1.0, 0.1)}, coexistence=[matrix])


def test_coexistence_is_a_matrix_of_shares() -> None:
    [axes] = plotted(coexisting()).axes
    assert notes(axes, "number") == ["100", "170", "12.0"]
    assert notes(axes, "half") == ["± 5", "± 2.5"]
    first, taken, starved, empty = axes.patches
    tones = [to_hex(cell.get_facecolor()) for cell in (first, taken, starved)]
    assert tones == [DIVERGING[4], DIVERGING[7], DIVERGING[0]]
    assert empty.get_hatch() == "////"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Against", "Flow of")


def test_a_matrix_is_chosen_by_its_setting() -> None:
    answers = coexisting()
    [matrix] = answers.changes["coexistence"]
    answers.axes = {**answers.axes, "queue": ["small", "large"]}
    answers.changes = {
        "coexistence": [{**matrix, "setting": {"queue": label}} for label in ("small", "large")]
    }
    both = plotted(answers, width="page")
    assert [axes.get_title("left") for axes in both.axes] == ["queue small", "queue large"]
    assert len(plotted(answers, where=("queue=large",)).axes) == 1
    with pytest.raises(InvalidRequestError, match="where: a matrix of coexistence shows all"):
        plotted(answers, where=("groups[0].algorithm=cubic",))


def test_a_metric_of_a_coexistence_campaign_is_drawn_as_named() -> None:
    answers = coexisting()
    figure = plotted(answers, kind="heatmap", y=("goodput_mbps",))
    assert notes(figure.axes[0], "number") == ["1.00"] * 4


def test_a_scatter_has_means_intervals_and_the_servers_front() -> None:
    answers = pair()
    front = {"metrics": ("goodput_mbps", "delay_ms"), "setting": {}, "cells": [0, 1]}
    answers.changes = {"pareto": [front]}
    [axes] = plotted(answers, kind="scatter").axes
    assert lines(axes, "cubic") == [[(12, 40)]]
    assert lines(axes, "bbr") == [[(30, 60)]]
    assert axes.xaxis_inverted()
    assert not axes.yaxis_inverted()
    intervals = marked(axes, "interval")
    assert [(11, 40), (13, 40)] in intervals
    assert [(30, 55), (30, 65)] in intervals
    [steps] = marked(axes, "front")
    bottom, left = axes.get_ylim()[0], axes.get_xlim()[0]
    assert steps == [(12, bottom), (12, bottom), (12, 40), (30, 40), (30, 60), (left, 60)]
    assert sorted(notes(axes, "name")) == ["bbr", "cubic"]
    assert notes(axes, "better") == ["better ↗"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Delay (ms)", "Goodput (Mb/s)")


def test_two_metrics_of_a_scatter_are_named_in_either_way() -> None:
    figure = plotted(pair(), x="delay_ms", y=("goodput_mbps",))
    assert lines(figure.axes[0], "cubic") == [[(12, 40)]]
    assert not marked(figure.axes[0], "front")


def test_a_scatter_joins_the_places_of_an_algorithm() -> None:
    figure = plotted(incast(), kind="scatter", y=("goodput_mbps", "delay_ms"))
    [axes] = figure.axes
    [cubic] = lines(axes, "cubic")
    assert len(cubic) == 6
    assert len(marked(axes, "path")) == 3
    assert {"1", "32"} <= set(notes(axes, "name"))


def recorded() -> Answers:
    answers = pair()
    answers.series = {
        "goodput flow0": ("Mb/s", [0.0, 6.0, 3.0]),
        "queue_length bottleneck": ("packets", [0.0, 9.0, 4.0]),
        "cwnd flow0": ("segments", [1.0, 20.0, 8.0]),
        "cwnd flow1": ("segments", [0.0, 4.0, 9.0]),
        "link_drops bottleneck": ("packets", [0.0, 2.0, 0.0]),
    }
    groups = [{"name": "incumbent"}, {"name": "newcomer"}]
    answers.scenario = {"workload": {"groups": groups}, "warmup": "1s"}
    answers.flows = [{"flow": 0, "group": "incumbent"}, {"flow": 1, "group": "newcomer"}]
    return answers


def test_signals_are_stacked_over_one_time_axis() -> None:
    figure = plotted(recorded(), kind="series", where=("algorithm=cubic",))
    cwnd, queue, goodput, drops = figure.axes
    assert [axes.get_ylabel().replace("\n", " ") for axes in figure.axes] == [
        "cwnd (segments)", "Queue (packets)", "Goodput (Mb/s)", "Drops (packets)",
    ]  # fmt: skip
    assert lines(cwnd, "incumbent") == [[(0, 1), (1, 20), (2, 8)]]
    assert lines(cwnd, "newcomer") == [[(0, 0), (1, 4), (2, 9)]]
    legend = cwnd.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "incumbent", "newcomer",
    ]  # fmt: skip
    assert lines(goodput, "incumbent") == [[(0, 0), (1, 6), (2, 3)]]
    assert [tuple(axes.get_xlim()) for axes in figure.axes] == [(0, 10)] * 4
    assert drops.collections[0].get_positions() == [1.0]  # type: ignore[attr-defined]
    assert drops.get_xlabel() == "Time (s)"
    assert queue.get_ylim()[0] == 0
    first, second = (
        next(one for one in cwnd.get_lines() if one.get_label() == label).get_color()
        for label in ("incumbent", "newcomer")
    )
    assert (first, second) == ("#2753d6", "#93a9eb")


def test_series_are_chosen_by_name_or_probe() -> None:
    figure = plotted(recorded(), series=("cwnd flow1", "goodput"), where=("algorithm=cubic",))
    cwnd, goodput = figure.axes
    assert lines(cwnd, "newcomer")
    assert lines(goodput, "incumbent")
    with pytest.raises(
        InvalidRequestError, match="series: 'cwmd' is not a series of this run; did"
    ):
        plotted(recorded(), series=("cwmd",))


def test_a_run_is_chosen_by_id_or_by_cell_and_seed() -> None:
    answers = recorded()
    plotted(answers, run="00010002", series=("cwnd",))
    plotted(answers, cell=1, seed=2, series=("cwnd",))
    read = [path for path, _ in answers.asked if path.count("/") == 2 and "/runs/" in path]
    assert read == ["/runs/00010002"] * 2
    with pytest.raises(InvalidRequestError, match="run: ffff is not the id of a run of this"):
        plotted(answers, run="ffff")
    with pytest.raises(InvalidRequestError, match="cell: the campaign has no cell 2; cells are 0"):
        plotted(answers, cell=2)
    with pytest.raises(InvalidRequestError, match="seed: cell 1 has no finished run of seed 9"):
        plotted(answers, cell=1, seed=9)


def test_one_of_several_cells_is_named_in_a_note() -> None:
    figure = plotted(recorded(), kind="series")
    [note] = notes_of(figure)
    assert note.startswith("the figure shows cell 0 (cubic); choose another with --where")
    both = plotted(recorded(), kind="series", facet="algorithm", width="page")
    assert [axes.get_title("left") for axes in both.axes[:2]] == ["cubic", "bbr"]
    assert len(both.axes) == 8


def test_a_range_of_time_is_asked_for_in_detail() -> None:
    answers = recorded()
    figure = plotted(answers, series=("cwnd flow0",), start=1.0, end=2.5, cell=0)
    assert figure.axes[0].get_xlim() == (1.0, 2.5)
    asked = [params for path, params in answers.asked if "/series/" in path]
    assert asked == [{"points": 4000, "from_ns": 1_000_000_000, "to_ns": 2_500_000_000}]


def test_a_run_without_series_is_refused() -> None:
    with pytest.raises(ConflictError, match="has no series; a campaign file names them"):
        plotted(pair(), kind="series")


def test_the_default_kind_is_that_of_the_pages() -> None:
    assert len(plotted(incast()).axes[0].collections) == 3  # bands: lines over servers
    assert plotted(pair()).axes[0].get_xlabel() == "Goodput (Mb/s)"  # dots
    assert plotted(coexisting()).axes[0].get_xlabel() == "Against"


def test_the_figure_knows_its_campaign() -> None:
    assert getattr(plotted(pair()), "campaign_id", None) == ID


@pytest.mark.parametrize("kind", [None, "dots", "bars", "line", "heatmap"])
def test_a_long_label_is_shortened(kind: Any) -> None:
    long = ["x" * 95 + end for end in "ab"] + ["x" * 40 + "y" * 55 + "a"]
    axes = {"algorithm": [*long, "cubic"], "flows": ["1", "2", "3"]}
    figure = plotted(Answers(axes, {"goodput_mbps": lambda _: (1.0, 0.1)}), kind=kind, width="page")
    shown = [text.get_text() for text in figure.findobj(Text) if "xxx" in text.get_text()]
    assert shown
    assert all(len(text) <= 40 and "…" in text for text in shown)


def test_unknown_algorithms_never_look_alike() -> None:
    names = ["cubic", "bbr", *(f"mine{number}" for number in range(8))]
    marks = marks_of(names, names)
    assert len({(mark.colour, mark.dash) for mark in marks.values()}) == len(names)
    for known in ("cubic", "bbr"):
        assert marks[known] == marks_of([known], [known])[known]
    assert marks_of(names[::-1], names[::-1]) == marks
