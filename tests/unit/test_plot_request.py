"""Names and options of figures, and what is wrong with them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands import windtunnel
from tests.unit.answers import Answers, incast
from windtunnel.errors import InvalidRequestError
from windtunnel.plot import PlotRequest, command, draw


def refusal(answers: Answers | None = None, **request: Any) -> str:
    with pytest.raises(InvalidRequestError) as caught:
        draw((answers or incast()).get, "504d", PlotRequest(**request))
    return str(caught.value)


@pytest.mark.parametrize(
    ("request_fields", "message"),
    [
        ({"kind": "lines"}, "kind: 'lines' is not a kind of figure; did you mean 'line'?"),
        ({"x": "server"}, "x: 'server' is not an axis of this campaign; did you mean 'servers'?"),
        (
            {"by": ("queue",)},
            "by: 'queue' is not an axis of this campaign; its axes: algorithm, workload.servers",
        ),
        ({"facet": "load"}, "facet: 'load' is not an axis"),
        ({"y": ("goodput_mps",)}, "y: 'goodput_mps' is not a metric; did you mean 'goodput_mbps'?"),
        ({"where": ("servers",)}, "where: 'servers' is not a filter; use AXIS=LABEL"),
        (
            {"where": ("algorithm=cubik",)},
            "where: 'cubik' is not a label of algorithm; did you mean 'cubic'?",
        ),
        (
            {"where": ("servers=17",)},
            "where: '17' is not a label of servers; labels: 1, 2, 4, 8, 16, 32",
        ),
        (
            {"kind": "line", "x": "none"},
            "x: --kind line needs an axis along x; name one with --x, or use --kind dots",
        ),
        (
            {"x": "servers", "y": ("delay_ms",), "cell": 3},
            "y: --cell makes the figure a time series, and time series are named with --series",
        ),
        ({"x": "algorithm", "kind": "line"}, "x: algorithm has names, not numbers"),
        ({"x": "servers", "by": ("servers",)}, "by: servers has two places in the figure"),
        ({"log": ("z",)}, "log: 'z' is not an axis of a figure; use x or y"),
        ({"log": ("x",), "linear": ("x",)}, "linear: the x axis cannot be both log and linear"),
        ({"width": "wide"}, "width: 'wide' is not a width; use column, page or inches such as 5.5"),
        ({"width": 0.2}, "width: 0.2 in is out of range; use 1 to 40 inches"),
        ({"height": float("nan")}, "height: nan in is out of range"),
        ({"dpi": 5}, "dpi: 5 is out of range; use 50 to 2400"),
        ({"start": 3.0, "end": 2.0}, "start: 3 s is not before the end, 2 s"),
        ({"seed": 1, "kind": "line"}, "seed: only time series have it"),
        ({"kind": "scatter", "y": ("delay_ms",)}, "y: a scatter shows two metrics, and 1 is named"),
        ({"kind": "cdf", "y": ("delay_ms",)}, "y: the y axis of a CDF is the fraction"),
    ],
)
def test_a_refusal_names_the_field_and_what_is_right(
    request_fields: dict[str, Any], message: str
) -> None:
    assert refusal(**request_fields).startswith(message)


def test_cells_that_differ_elsewhere_never_share_a_line() -> None:
    axes = {"algorithm": ["cubic", "bbr"], "loss": ["0", "1", "2"], "delay": ["1ms", "2ms"]}
    answers = Answers(axes, {"goodput_mbps": lambda _: (1.0, 0.1)})
    message = refusal(answers, x="loss", by=("algorithm",), facet="none")
    assert message == (
        "by: delay has 2 values in the chosen cells (1ms, 2ms): choose one with --where "
        "delay=1ms, or add --by delay or --facet delay"
    )
    figure = draw(answers.get, "504d", PlotRequest(x="loss", where=("delay=2ms",)))
    assert len(figure.axes[0].get_lines()) == 2 + 2  # with a leader to each name


def test_two_axes_of_the_same_ending_are_ambiguous() -> None:
    axes = {f"workload.groups[{index}].algorithm": ["cubic", "bbr"] for index in (0, 1)}
    answers = Answers(axes, {"goodput_mbps": lambda _: (1.0, 0.1)})
    assert refusal(answers, by=("algorithm",)) == (
        "by: 'algorithm' is ambiguous: groups[0].algorithm, groups[1].algorithm"
    )


def test_algorithm_is_the_axis_of_algorithms_whatever_its_name() -> None:
    axes = {"congestion_control": ["newreno", "cubic"], "servers": ["1", "2", "4"]}
    answers = Answers(axes, {"goodput_mbps": lambda _: (1.0, 0.1)})
    figure = draw(answers.get, "504d", PlotRequest(by=("algorithm",)))
    assert [one.get_label() for one in figure.axes[0].get_lines()][:2] == ["cubic", "newreno"]


def test_a_label_is_found_by_its_number() -> None:
    answers = incast()
    figure = draw(answers.get, "504d", PlotRequest(kind="dots", where=("servers=8.0",)))
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == [
        "dctcp", "newreno", "cubic",
    ]  # fmt: skip


def test_a_campaign_without_sweep_is_one_dot() -> None:
    answers = Answers({}, {"goodput_mbps": lambda _: (4.0, 0.5)})
    figure = draw(answers.get, "504d", PlotRequest())
    [axes] = figure.axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["all cells"]
    assert refusal(answers, x="servers").endswith(
        "is not an axis of this campaign; it has no sweep"
    )


def test_the_command_draws_the_same_figure_in_a_shell() -> None:
    request = PlotRequest(
        x="servers",
        y=("goodput_mbps", "goodput_mbps:first flow"),
        where=("algorithm=vegas Alpha=1", "it's=$x"),
        width=5.5,
        title="-5 %",
    )
    text = command("504d45", request, "fig one.svg")
    assert shlex.split(text) == [
        "windtunnel", "plot", "504d45", "--x", "servers", "--y", "goodput_mbps",
        "--y", "goodput_mbps:first flow", "--where", "algorithm=vegas Alpha=1",
        "--where", "it's=$x", "--width", "5.5", "--title=-5 %", "-o", "fig one.svg",
    ]  # fmt: skip
    assert command("504d45", PlotRequest()) == "windtunnel plot 504d45 -o figure.pdf"


def test_the_command_names_its_options(tmp_path: Path) -> None:
    done = windtunnel("plot", "abcd", "-o", tmp_path / "a.pdf", "--from", "5", "--to", "1")
    assert (done.returncode, done.stderr) == (2, "--from: 5 s is not before the end, 1 s\n")
