"""Line figures: what is drawn is what the comparison says."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from tests.unit.answers import Answers, Value, incast
from windtunnel.errors import ConflictError, InvalidRequestError
from windtunnel.plot import PlotRequest, draw, notes_of


def plotted(answers: Answers, **request: Any) -> Figure:
    return draw(answers.get, "504d", PlotRequest(**request))


def line(axes: Axes, label: str) -> Line2D:
    return next(one for one in axes.get_lines() if one.get_label() == label)


def xy(of: Line2D) -> list[list[float]]:
    """The points of a line."""
    points: list[list[float]] = np.asarray(of.get_xydata(), dtype=float).tolist()
    return points


def band(axes: Axes, label: str) -> set[tuple[float, float]]:
    """The vertices of a band."""
    [polygon] = [
        one
        for one in axes.collections
        if isinstance(one, FillBetweenPolyCollection) and one.get_label() == f"{label} band"
    ]
    vertices = np.asarray(polygon.get_paths()[0].vertices)
    return {(round(float(x), 9), round(float(y), 9)) for x, y in vertices}


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def tick_texts(axes: Axes, which: str = "x") -> list[str]:
    axis = axes.xaxis if which == "x" else axes.yaxis
    return [text.get_text() for text in axis.get_ticklabels()]


def boxes(figure: Figure, *labels: str) -> list[Any]:
    return [text.get_window_extent() for text in figure.findobj(Text) if text.get_text() in labels]


def test_lines_are_means_and_bands_are_intervals() -> None:
    answers = incast()
    figure = plotted(answers, x="servers", y=("goodput_mbps",), by=("algorithm",))
    [axes] = figure.axes
    places = [1, 2, 4, 8, 16, 32]
    for algorithm, factor in (("newreno", 1.0), ("cubic", 0.9), ("dctcp", 1.2)):
        means = [800 * factor / place for place in places]
        expected_line = [[place, mean] for place, mean in zip(places, means, strict=True)]
        np.testing.assert_allclose(xy(line(axes, algorithm)), expected_line)
        expected = {
            (place, round(mean * part, 9))
            for place, mean in zip(places, means, strict=True)
            for part in (0.9, 1.1)
        }
        assert band(axes, algorithm) >= expected
    assert axes.get_xscale() == "log"
    assert tick_texts(axes) == ["1", "2", "4", "8", "16", "32"]
    assert tick_texts(axes, "y") == ["0", "200", "400", "600", "800", "1,000", "1,200"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Servers", "Goodput (Mb/s)")
    assert tuple(figure.get_size_inches()) == pytest.approx((3.33, 2.1))
    assert notes_of(figure) == []


def test_names_stand_beside_the_lines_without_touching() -> None:
    figure = plotted(incast())
    names = boxes(figure, "newreno", "cubic", "dctcp")
    assert len(names) == 3
    ordered = sorted(names, key=lambda box: box.y0)
    # the glyphs, without the leading that an extent includes
    assert all(low.y0 + 0.8 * low.height <= high.y0 for low, high in pairwise(ordered))
    width = figure.get_size_inches()[0] * figure.dpi
    assert all(box.x1 <= width and box.x0 > figure.axes[0].bbox.x1 for box in names)
    assert not figure.legends


def test_algorithms_look_as_on_the_pages() -> None:
    [axes] = plotted(incast()).axes
    looks = [
        (line(axes, name).get_color(), line(axes, name).get_marker())
        for name in ("newreno", "cubic", "dctcp")
    ]
    assert looks == [("#292e38", "o"), ("#2753d6", "s"), ("#1f8772", "D")]


def test_variants_of_an_algorithm_differ_in_dashes() -> None:
    axes = {"algorithm": ["vegas", "vegas Alpha=1"], "servers": ["1", "2", "4"]}
    answers = Answers(axes, {"goodput_mbps": lambda labels: (float(labels["servers"]), 0.1)})
    [panel] = plotted(answers).axes
    plain, variant = line(panel, "vegas"), line(panel, "vegas Alpha=1")
    assert plain.get_color() == variant.get_color()
    assert not plain.is_dashed()
    assert variant.is_dashed()


def test_one_point_has_a_marker_and_its_interval() -> None:
    answers = incast()
    figure = plotted(answers, kind="line", x="servers", where=("servers=8", "algorithm=cubic"))
    [axes] = figure.axes
    assert xy(line(axes, "cubic")) == [[8.0, pytest.approx(90.0)]]
    [interval] = [one for one in axes.get_lines() if one.get_gid() == "interval"]
    assert xy(interval) == [[8, pytest.approx(81)], [8, pytest.approx(99)]]
    low, high = axes.get_xlim()
    assert low < 8 < high
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] >= 99


def test_a_campaign_of_one_seed_has_no_intervals() -> None:
    figure = plotted(incast(finished=1, planned=1))
    assert {y for _, y in band(figure.axes[0], "cubic")} == {
        round(720 / place, 9) for place in (1, 2, 4, 8, 16, 32)
    }


def test_an_unfinished_campaign_says_how_many_runs_are_shown() -> None:
    figure = plotted(incast(finished=3, planned=5))
    assert "54 of 90 runs" in texts(figure)
    [note] = notes_of(figure)
    assert note == "the figure shows 54 of 90 runs: the others have no result (yet)"


def test_a_campaign_without_results_is_refused() -> None:
    with pytest.raises(ConflictError, match="no run of campaign 504d has finished yet"):
        plotted(incast(finished=0))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("cancelled", "was cancelled before any run"),
        ("ended", "has ended before any run succeeded"),
    ],
)
def test_a_campaign_that_will_have_no_results_is_not_to_be_watched(
    state: str, message: str
) -> None:
    answers = incast(finished=0)
    answers.state = state
    with pytest.raises(ConflictError, match=message) as caught:
        plotted(answers)
    assert "watch" not in str(caught.value)


def test_cells_without_a_value_are_left_out_and_counted() -> None:
    def goodput(labels: Mapping[str, str]) -> Value:
        return None if labels == {"algorithm": "cubic", "servers": "4"} else (5.0, 1.0)

    axes = {"algorithm": ["newreno", "cubic"], "servers": ["1", "2", "4"]}
    figure = plotted(Answers(axes, {"goodput_mbps": goodput}))
    assert [x for x, _ in xy(line(figure.axes[0], "cubic"))] == [1, 2]
    assert notes_of(figure) == ["1 of 6 cells have no value of goodput_mbps and are left out"]


def test_no_value_at_all_is_refused() -> None:
    answers = Answers({"servers": ["1", "2", "4"]}, {"goodput_mbps": lambda _: None})
    with pytest.raises(InvalidRequestError, match="y: no cell has a value of goodput_mbps"):
        plotted(answers)


def test_twenty_lines_get_a_legend_outside() -> None:
    names = [f"cca{index}" for index in range(20)]
    axes = {"algorithm": names, "servers": ["1", "2", "4"]}
    answers = Answers(
        axes,
        {
            "goodput_mbps": lambda labels: (
                float(labels["servers"]) + names.index(labels["algorithm"]),
                1,
            )
        },
    )
    figure = plotted(answers)
    [legend] = figure.legends
    assert sorted(text.get_text() for text in legend.get_texts()) == sorted(names)
    box, panel = legend.get_window_extent(), figure.axes[0].bbox
    assert box.y0 >= panel.y1
    width, height = figure.get_size_inches() * figure.dpi
    assert box.x0 >= 0
    assert box.x1 <= width
    assert box.y1 <= height
    assert panel.height > 1.2 * figure.dpi
    # nothing but hue, marker and dashes tells lines apart
    looks = {
        (one.get_color(), one.get_marker(), str(one.get_linestyle()))
        for one in figure.axes[0].get_lines()
    }
    assert len(looks) >= 15


def test_facets_share_their_scale_and_legend() -> None:
    figure = plotted(incast(), facet="algorithm", width="page")
    assert [axes.get_title("left") for axes in figure.axes] == ["newreno", "cubic", "dctcp"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    colours = [axes.get_lines()[0].get_color() for axes in figure.axes]
    assert colours == ["#292e38", "#2753d6", "#1f8772"]


def test_two_metrics_are_two_panels() -> None:
    figure = plotted(incast(), y=("goodput_mbps", "delay_ms"), width="page")
    assert [axes.get_ylabel() for axes in figure.axes] == ["Goodput (Mb/s)", "Delay (ms)"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "newreno", "cubic", "dctcp",
    ]  # fmt: skip


def test_a_log_axis_needs_positive_values() -> None:
    answers = incast()
    answers.metrics = {"goodput_mbps": lambda labels: (float(labels["workload.servers"]) - 1, 0.1)}
    with pytest.raises(InvalidRequestError, match="log: goodput_mbps is 0 in 3 of 18 cells"):
        plotted(answers, log=("y",))
    zero = Answers({"servers": ["0", "1", "2"]}, {"goodput_mbps": lambda _: (1.0, 0.1)})
    with pytest.raises(InvalidRequestError, match="log: servers has the value 0"):
        plotted(zero, log=("x",))
    assert plotted(zero).axes[0].get_xscale() == "linear"


def test_a_log_axis_has_round_ticks() -> None:
    figure = plotted(incast(), y=("delay_ms",), log=("y",))
    assert figure.axes[0].get_yscale() == "log"
    assert tick_texts(figure.axes[0], "y") == ["1", "2", "4", "8", "16", "32", "64", "128"]
    assert plotted(incast(), linear=("x",)).axes[0].get_xscale() == "linear"


def test_axes_have_the_unit_of_their_labels() -> None:
    labels = ["16KiB", "1MiB", "64KiB"]
    answers = Answers({"topology.queue_limit": labels}, {"goodput_mbps": lambda _: (1.0, 0.1)})
    [axes] = plotted(answers).axes
    assert axes.get_xlabel() == "Queue limit (KiB)"
    assert [x for x, _ in xy(line(axes, "all cells"))] == [16, 64, 1024]


def test_a_wide_title_is_wrapped_within_the_figure() -> None:
    figure = plotted(incast(), y_title="A very long title of a metric that has many words (Mb/s)")
    label = figure.axes[0].yaxis.label
    assert "\n" in label.get_text()
    box = label.get_window_extent()
    assert box.y0 >= 0
    assert box.y1 <= figure.get_size_inches()[1] * figure.dpi


def test_a_size_without_room_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match=r"height: 1 x 1 in is too small for the figure"):
        plotted(incast(), width=1, height=1.0, facet="algorithm")


def test_letters_that_no_font_has_are_noted() -> None:
    figure = plotted(incast(), title="\N{EGYPTIAN HIEROGLYPH A001}")
    assert notes_of(figure) == [
        "the fonts lack some letters of the labels: they are drawn as boxes"
    ]
