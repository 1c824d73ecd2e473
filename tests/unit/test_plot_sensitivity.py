"""Figures of sensitivity analyses show the document's figures, a row per effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.unit.answers import Answers, Value
from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.plot import PlotRequest, draw, notes_of

AXES = ["topology.queue.limit", "workload.flows"]


def effect(kind: str, axes: list[str], **figures: tuple[float, float | None, float | None]) -> Any:
    named = {
        name: {"value": value, "low": low, "high": high}
        for name, (value, low, high) in figures.items()
    }
    return {"kind": kind, "axes": axes, "figures": named, "df": None, "p": None}


def setting(labels: dict[str, str], effects: list[Any], used: int = 64) -> Any:
    return {
        "setting": labels,
        "blocks": "blocks",
        "used": used,
        "planned": 64,
        "effects": effects,
        "conclusion": "goodput does not vary",
        "notes": [],
    }


SOBOL = [
    effect("axis", AXES[:1], first=(0.1, 0.05, 0.15), total=(0.2, 0.1, 0.3)),
    effect("axis", AXES[1:], first=(0.6, 0.5, 0.7), total=(0.8, 0.7, 0.9)),
]


def drawn(
    method: str,
    settings: list[Any],
    notes: Sequence[str] = (),
    finished: int = 5,
    **request: Any,
) -> Figure:
    """A figure of settings; those that the filters leave, as the service has them."""

    def goodput(_: Any) -> Value:
        return (40.0, 2.0)

    axes = {"algorithm": ["cubic", "bbr"], AXES[1]: ["3", "7", "12"]}
    answers = Answers(axes, {"goodput_mbps": goodput, "delay_ms": goodput}, finished)
    answers.design = {"inputs": [{"name": AXES[1]}]}
    where = [f"algorithm={entry.partition('=')[2]}" for entry in request.get("where", ())]

    def get(path: str, **asked: Any) -> dict[str, Any]:
        if path.endswith("/sensitivity"):
            assert asked == {"metric": "goodput_mbps", **({"where": where} if where else {})}
            if method == "refused":
                raise InvalidRequestError([Problem("query.where", "is sampled by the design")])
            left = [
                setting
                for setting in settings
                if not where
                or not setting["setting"]
                or f"algorithm={setting['setting']['algorithm']}" in where
            ]
            return {"method": method, "axes": AXES, "settings": left, "notes": list(notes)}
        return answers.get(path, **asked)

    return draw(get, "504d", PlotRequest(**{"kind": "sensitivity", **request}))


def points(axes: Axes, label: str) -> list[tuple[float, float]]:
    lines = [line for line in axes.get_lines() if line.get_label() == label]
    values = [np.asarray(line.get_xydata(), dtype=float)[0] for line in lines]
    return [(round(float(x), 9), round(float(y), 9)) for x, y in values]


def rows(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.get_yticklabels()]


def test_first_order_and_total_indices_in_percent() -> None:
    figure = drawn("sobol", [setting({"algorithm": "cubic"}, SOBOL)])
    [axes] = figure.axes
    assert rows(axes) == ["flows", "limit"]  # by their totals
    assert points(axes, "first") == [(60, -0.17), (10, 0.83)]
    assert points(axes, "total") == [(80, 0.17), (20, 1.17)]
    intervals = [line for line in axes.get_lines() if line.get_gid() == "interval"]
    ends = [np.asarray(line.get_xdata(), dtype=float).round(9).tolist() for line in intervals]
    assert ends == [[50, 70], [70, 90], [5, 15], [10, 30]]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["first-order", "total"]
    assert axes.get_title(loc="left") == "cubic"


def test_settings_are_panels_with_the_same_rows() -> None:
    other = [effect("axis", AXES[:1], first=(0, None, None), total=(0.1, None, None))]
    settings = [setting({"algorithm": "cubic"}, SOBOL), setting({"algorithm": "bbr"}, other, 60)]
    figure = drawn("sobol", settings, width="page")
    first, second = figure.axes
    assert (rows(first), rows(second)) == (["flows", "limit"], [])
    assert first.get_ylim() == second.get_ylim()
    assert first.get_xlim() == second.get_xlim()
    assert points(second, "total") == [(10, 1.17)]
    assert notes_of(figure) == ["the analysis uses 60 of 64 blocks: the others lack values"]
    [chosen] = drawn("sobol", settings, where=("algorithm=bbr",)).axes
    assert chosen.get_title(loc="left") == "bbr"


def test_a_filter_of_a_grid_is_sent_to_the_service() -> None:
    effects = [effect("axis", AXES[:1], share=(1, None, None))]
    [axes] = drawn("anova", [setting({}, effects)], where=("algorithm=bbr",)).axes
    assert points(axes, "share") == [(100, 0)]


def test_a_refused_filter_names_the_field_where() -> None:
    with pytest.raises(InvalidRequestError, match="is sampled by the design") as caught:
        drawn("refused", [], where=("algorithm=bbr",))
    assert [problem.path for problem in caught.value.problems] == ["where"]


def test_unfinished_runs_are_on_the_figure_and_in_its_notes() -> None:
    unfinished = "4 of 10 runs have not ended; the figures will change"
    figure = drawn("sobol", [setting({}, SOBOL)], notes=[unfinished], finished=3)
    assert figure.get_supxlabel() == "Sobol’ index (% of the variance)\n18 of 30 runs"
    assert notes_of(figure) == [
        unfinished, "the figure shows 18 of 30 runs: the others have no result (yet)",
    ]  # fmt: skip
    chosen = drawn("sobol", [setting({}, SOBOL)], finished=3, where=("algorithm=bbr",))
    assert chosen.get_supxlabel().endswith("\n9 of 15 runs")
    complete = drawn("sobol", [setting({}, SOBOL)])
    assert complete.get_supxlabel() == "Sobol’ index (% of the variance)"


def test_analysis_of_variance_has_interactions_seeds_and_noise() -> None:
    effects = [
        effect("noise", [], share=(0.3, None, None)),
        effect("axis", AXES[:1], share=(0.1, None, None)),
        effect("interaction", AXES, share=(0.4, None, None)),
        effect("seed", [], share=(0.2, None, None)),
    ]
    [axes] = drawn("anova", [setting({}, effects)]).axes
    assert rows(axes) == ["limit × flows", "limit", "noise", "seeds"]
    assert points(axes, "share") == [(40, 0), (10, 1), (30, 2), (20, 3)]


def test_elementary_effects_are_in_the_metrics_unit() -> None:
    effects = [effect("axis", AXES[:1], mu_star=(3.5, 3.0, 4.0), mu=(-3, -4, -2), sigma=(1, 0, 2))]
    [axes] = drawn("morris", [setting({}, effects)]).axes
    assert points(axes, "mu_star") == [(3.5, -0.17)]
    assert points(axes, "sigma") == [(1, 0.17)]


@pytest.mark.parametrize(
    ("request_", "settings", "field", "message"),
    [
        ({"y": ("goodput_mbps", "delay_ms")}, [], "y", "one metric"),
        ({"x": "algorithm"}, [], "y", "settings as panels"),
        ({"y": ("goodput",)}, [], "y", "goodput_mbps"),
        ({}, [setting({}, [])], "y", "goodput does not vary: there is nothing to draw"),
        ({"where": ("algorithm=reno",)}, [setting({}, SOBOL)], "where", "not a label"),
    ],
)
def test_what_can_not_be_drawn(
    request_: dict[str, Any], settings: list[Any], field: str, message: str
) -> None:
    with pytest.raises(InvalidRequestError, match=message) as caught:
        drawn("sobol", settings, **request_)
    [problem] = caught.value.problems
    assert problem.path == field


def test_a_sampled_campaign_shows_its_sensitivity() -> None:
    figure = drawn("sobol", [setting({}, SOBOL)], kind=None)
    assert rows(figure.axes[0]) == ["flows", "limit"]


@pytest.mark.parametrize(
    "request_fields",
    [
        {"kind": "line", "x": "flows"},
        {"kind": "bars"},
        {"kind": "dots"},
        {"kind": "heatmap"},
        {"kind": None, "x": "flows"},
        {"kind": None, "by": ("algorithm",)},
    ],
)
def test_kinds_for_grids_are_refused_over_sampled_axes(request_fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        drawn("sobol", [setting({}, SOBOL)], **request_fields)
    assert str(caught.value).startswith("kind: flows is sampled by a design, so cells are not a ")
    assert str(caught.value).endswith(
        "use --kind sensitivity, or --kind scatter or cdf for its cells"
    )


def test_other_kinds_show_the_cells_of_a_sampled_campaign() -> None:
    y = ("goodput_mbps", "delay_ms")
    figure = drawn("sobol", [], kind="scatter", y=y)
    assert figure.axes[0].get_lines()
    figure = drawn("sobol", [], kind="dots", where=("flows=7",))
    assert len(figure.axes[0].get_yticklabels()) == 2
