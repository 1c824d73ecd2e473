"""Ranked dots with 95 % intervals, one row a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from windtunnel.plot.axes import with_unit
from windtunnel.plot.canvas import INK, NOTE_SIZE, SOFT, TEXT_SIZE, CampaignFigure
from windtunnel.plot.cells import Cell, Panel, Selection, check_log_y, estimate
from windtunnel.plot.line import estimates_of, floor_of, note_missing, value_axis
from windtunnel.plot.marks import Mark, frame, interval_bar, panel_marks
from windtunnel.plot.numbers import format_interval
from windtunnel.plot.panels import (
    columns_for,
    is_bottom,
    make_panels,
    note_unfinished,
    title_figure,
    title_panel,
)
from windtunnel.plot.request import PlotRequest
from windtunnel.plot.scales import interval_ends, nice_domain
from windtunnel.plot.source import Metric, Source

_ROW = 0.19  # inches
_FRAME = 0.5


def draw_dots(
    source: Source, request: PlotRequest, selection: Selection, metrics: Sequence[Metric]
) -> CampaignFigure:
    """A panel for each label of the facet axis and for each metric; rows in the first's order."""
    comparison = source.comparison(metrics)
    facets = selection.panels()
    shown = [(metric, panel) for panel in facets for metric in metrics]
    several = len(metrics) > 1
    columns = len(metrics) if several else columns_for(len(shown), request.width_inches / 1.4)
    rows = -(-len(shown) // columns)
    most = max(len(panel.cells) for panel in facets)
    figure = CampaignFigure(
        source.campaign_id, request, rows * (max(most, 2) * _ROW + _FRAME) + 0.05
    )
    axes = make_panels(figure, len(shown), columns, share_y=False)
    for index, ((metric, panel), one) in enumerate(zip(shown, axes, strict=True)):
        cells = ranked(comparison, metrics[0], panel)
        labels = [_label(selection, cell) for cell in cells]
        own = panel_marks(selection, panel)
        _draw_panel(one, selection, cells, [own[label] for label in labels], metric, request)
        one.set_yticks(range(len(cells)), labels if not several or index % columns == 0 else [])
        title_panel(one, panel.title)
        if is_bottom(index, len(shown), columns):
            one.set_xlabel(request.x_title or with_unit(metric.title, metric.unit))
    note_unfinished(figure, selection.cells)
    note_missing(figure, selection, metrics)
    title_figure(figure, request)
    return figure


def ranked(comparison: Mapping[str, Any], metric: Metric, panel: Panel) -> list[Cell]:
    """The panel's cells in the server's order if it ranks just these, else by mean; best first."""
    by_index = {cell["index"]: cell for cell in panel.cells}
    fitting = [
        [by_index[place["cell"]] for place in ranking["places"] if place["cell"] in by_index]
        for ranking in comparison["rankings"]
        if ranking["metric"] == metric.name
        and all(
            panel.chosen.get(axis, [label]) == [label] for axis, label in ranking["setting"].items()
        )
    ]
    first = max(fitting, key=len) if len(fitting) == 1 else []
    taken = {cell["index"] for cell in first}
    sign = 1 if metric.direction == "lower" else -1

    def order(cell: Cell) -> float:
        one = estimate(cell, metric.name)
        return float("inf") if one is None else sign * one.mean

    rest = [cell for cell in panel.cells if cell["index"] not in taken]
    return [*first, *sorted(rest, key=order)]


def _label(selection: Selection, cell: Cell) -> str:
    return selection.groups([cell])[0].label


def _draw_panel(
    axes: Axes,
    selection: Selection,
    cells: Sequence[Cell],
    marks: Sequence[Mark],
    metric: Metric,
    request: PlotRequest,
) -> None:
    """Rows from the top, with the numbers at the right."""
    frame(axes, "x")
    axes.spines["left"].set_visible(False)
    estimates = estimates_of(selection, metric)
    log = "x" in request.log
    if log:
        check_log_y(estimates, metric.name)
    ends = nice_domain(interval_ends(estimates, 4), floor_of(selection, metric), log, 4)
    value_axis(axes, "x", ends, log, 4)
    axes.set_ylim(len(cells) - 0.4, -0.6)
    for row, (cell, mark) in enumerate(zip(cells, marks, strict=True)):
        one = estimate(cell, metric.name)
        text = "no value"
        if one is not None:
            interval_bar(axes, row, one.low, one.high, mark.colour, vertical=False)
            axes.plot([one.mean], [row], linestyle="none", label=mark.label, **mark.point(1.15))
            text = format_interval(one.mean, one.low, one.high)
        axes.annotate(
            text,
            xy=(1, row),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=TEXT_SIZE - 0.5 if one else NOTE_SIZE,
            color=INK if one else SOFT,
            annotation_clip=False,
            gid="value",
        )
