"""What a metric depends on: a sensitivity analysis as dots with intervals, a panel per setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from windtunnel.errors import InvalidRequestError, Problem, SpecError
from windtunnel.plot.algorithms import hue
from windtunnel.plot.axes import with_unit
from windtunnel.plot.canvas import INK, SOFT, TICK_SIZE, CampaignFigure
from windtunnel.plot.cells import chosen_labels
from windtunnel.plot.line import value_axis
from windtunnel.plot.marks import frame, interval_bar
from windtunnel.plot.panels import (
    columns_for,
    is_left,
    make_panels,
    note_unfinished,
    title_panel,
)
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.scales import nice_domain
from windtunnel.plot.source import Metric, Source
from windtunnel.texts import axis_titles

_ROW = 0.27  # inches
_FRAME = 0.75
_OFFSET = 0.17  # rows, of a figure from the middle of its row


@dataclass(frozen=True)
class _Method:
    """The figures that are drawn of each effect, with their names, and the title of the x axis."""

    figures: Mapping[str, str]
    title: str
    is_share: bool


_METHODS = {
    "anova": _Method({"share": "share"}, "Share of the sum of squares (%)", True),
    "sobol": _Method(
        {"first": "first-order", "total": "total"}, "Sobol’ index (% of the variance)", True
    ),
    "morris": _Method({"mu_star": "μ*", "sigma": "σ"}, "Elementary effect", False),
    "srrc": _Method({"coefficient": "coefficient"}, "Rank regression coefficient", False),
}
_WORDS = {"seed": "seeds", "noise": "noise", "interactions": "higher interactions"}
# Filled and open, so that both are told apart in grey.
_HUES = (1, 2)


def draw_sensitivity(source: Source, request: PlotRequest) -> CampaignFigure:
    """A panel for each setting of the axes that are not analyzed; rows in the same order in all."""
    if len(request.y) > 1 or request.x or request.by or request.facet or request.log:
        invalid("y", "a sensitivity analysis shows one metric, and settings as panels")
    metric = source.metric("y", request.y[0]) if request.y else source.primary()
    labels = chosen_labels(source.overview, request)
    content = _analysis(source, metric, labels)
    method = _METHODS[content["method"]]
    settings = content["settings"]
    if not any(setting["effects"] for setting in settings):
        invalid("y", f"{settings[0]['conclusion']}: there is nothing to draw")
    rows = _rows(settings, method)
    figure, panels = _layout(source, request, len(settings), len(rows))
    titles = dict(zip(content["axes"], axis_titles(content["axes"]), strict=True))
    ends = _ends(settings, method)
    for index, (axes, setting) in enumerate(zip(panels, settings, strict=True)):
        _draw_panel(axes, setting["effects"], rows, method)
        value_axis(axes, "x", ends, log=False, count=4)
        axes.set_yticks(range(len(rows)), [_name(row, titles) for row in rows])
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.tick_params(labelleft=is_left(index, _columns(panels)))
        title_panel(axes, " ".join(setting["setting"].values()))
        if setting["used"] < setting["planned"]:
            done = f"{setting['used']} of {setting['planned']} {setting['blocks']}"
            figure.notes.append(f"the analysis uses {done}: the others lack values")
        figure.notes.extend(setting["notes"])
    figure.notes.extend(content["notes"])
    note_unfinished(
        figure,
        (
            cell
            for cell in source.overview["cells"]
            if all(cell["coordinates"][axis] in chosen for axis, chosen in labels.items())
        ),
    )
    _label(figure, request, method, with_unit(metric.title, metric.unit))
    return figure


_Row = tuple[str, tuple[str, ...]]  # kind and axes of an effect


def _analysis(
    source: Source, metric: Metric, labels: Mapping[str, Sequence[str]]
) -> Mapping[str, Any]:
    """The analysis of the cells with these labels, by axis. Raises InvalidRequestError."""
    where = [f"{axis}={label}" for axis, chosen in labels.items() for label in chosen]
    filters = {"where": where} if where else {}
    path = f"/campaigns/{source.campaign_id}/sensitivity"
    try:
        return source.get(path, metric=metric.name, **filters)
    except SpecError as error:
        fields = {"query.where": "where", "query.metric": "y"}
        problems = [
            Problem(fields.get(problem.path, problem.path), problem.message)
            for problem in error.problems
        ]
        raise InvalidRequestError(problems) from error


def _rows(settings: Sequence[Mapping[str, Any]], method: _Method) -> list[_Row]:
    """All effects: axes and interactions by size, then seeds and noise."""
    sizes: dict[_Row, float] = {}
    main = list(method.figures)[-1 if method.is_share else 0]
    for setting in settings:
        for effect in setting["effects"]:
            row = effect["kind"], tuple(effect["axes"])
            sizes[row] = sizes.get(row, 0) + abs(effect["figures"][main]["value"])
    return sorted(sizes, key=lambda row: (row[0] in ("seed", "noise"), -sizes[row]))


def _name(row: _Row, titles: Mapping[str, str]) -> str:
    kind, axes = row
    return _WORDS.get(kind) or " × ".join(titles[axis].replace("_", " ") for axis in axes)


def _layout(
    source: Source, request: PlotRequest, count: int, rows: int
) -> tuple[CampaignFigure, list[Axes]]:
    columns = columns_for(count, request.width_inches - 0.35)
    height = -(-count // columns) * (rows * _ROW + _FRAME)
    figure = CampaignFigure(source.campaign_id, request, height)
    return figure, make_panels(figure, count, columns, share_y=False)


def _columns(panels: Sequence[Axes]) -> int:
    place = panels[0].get_subplotspec()
    return place.get_gridspec().ncols if place else 1


def _scaled(figure: Mapping[str, float | None], method: _Method) -> dict[str, float]:
    """Value and ends of the interval, if it has one; shares in percent."""
    factor = 100 if method.is_share else 1
    return {name: factor * value for name, value in figure.items() if value is not None}


def _ends(settings: Sequence[Mapping[str, Any]], method: _Method) -> tuple[float, float]:
    """From 0, or what is below it, to the end of the longest interval."""
    values = [
        value
        for setting in settings
        for effect in setting["effects"]
        for name in method.figures
        for value in _scaled(effect["figures"][name], method).values()
    ]
    low, high = nice_domain([0, *values], None, False, 4)
    least = min(0.0, *values)
    # Estimates a little below 0 need little room, not a step of the ticks.
    return (max(low, least - 0.04 * (high - least)) if least < 0 else 0.0), high


def _draw_panel(
    axes: Axes, effects: Sequence[Mapping[str, Any]], rows: Sequence[_Row], method: _Method
) -> None:
    frame(axes, "x")
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=SOFT, linewidth=0.6, zorder=1)
    by_row = {(effect["kind"], tuple(effect["axes"])): effect for effect in effects}
    several = len(method.figures) > 1
    for place, row in enumerate(rows):
        if row not in by_row:
            continue
        for index, name in enumerate(method.figures):
            figure = _scaled(by_row[row]["figures"][name], method)
            at = place + (_OFFSET * (2 * index - 1) if several else 0)
            if "low" in figure and "high" in figure:
                ends = figure["low"], figure["high"]
                interval_bar(axes, at, *ends, hue(_HUES[index]), vertical=False)
            axes.plot([figure["value"]], [at], linestyle="none", label=name, **_point(index))


def _point(index: int) -> dict[str, Any]:
    colour = hue(_HUES[index])
    return {
        "marker": "os"[index],
        "markersize": (4.2, 3.8)[index],
        "color": colour,
        "markerfacecolor": (colour, "white")[index],
        "markeredgecolor": colour,
        "markeredgewidth": 0.9,
        "zorder": 3,
        "clip_on": False,
    }


def _label(
    figure: CampaignFigure,
    request: PlotRequest,
    method: _Method,
    metric: str,
) -> None:
    # A figure has one text below its panels; the note on unfinished runs is in it already.
    note = figure.get_supxlabel()
    lines = [request.x_title or method.title, *([note] if note else [])]
    figure.supxlabel("\n".join(lines), x=0.5, ha="center", fontsize="medium", color=INK)
    figure.suptitle(request.title or metric, fontsize="medium", color=INK, x=0.01, ha="left")
    if len(method.figures) > 1:
        handles = [
            Line2D([], [], linestyle="none", label=label, **_point(index))
            for index, label in enumerate(method.figures.values())
        ]
        figure.legend(
            handles=handles, loc="outside upper right", ncols=2, fontsize=TICK_SIZE, frameon=False
        )
