"""Two metrics against each other, better up and to the right, with the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from windtunnel.plot.axes import with_unit
from windtunnel.plot.canvas import NOTE_SIZE, SOFT, CampaignFigure
from windtunnel.plot.cells import Panel, Selection, check_log_y, estimate, joined_labels
from windtunnel.plot.labels import add_legend, legend_inches
from windtunnel.plot.line import estimates_of, floor_of, note_missing, value_axis
from windtunnel.plot.marks import Mark, frame, in_order, marks_of, panel_marks
from windtunnel.plot.panels import (
    columns_for,
    is_bottom,
    is_left,
    make_panels,
    note_unfinished,
    title_figure,
    title_panel,
    wrap_y_title,
)
from windtunnel.plot.point_names import PointName, name_points
from windtunnel.plot.request import PlotRequest
from windtunnel.plot.scales import Estimate, interval_ends, nice_domain
from windtunnel.plot.source import Metric, Source

_HEIGHT = 2.3
_PANEL_HEIGHT = 1.8
_MOST_NAMED = 8
_DECADES = 100  # ratio of largest to least mean from which an axis is logarithmic


def draw_scatter(
    source: Source,
    request: PlotRequest,
    selection: Selection,
    vertical: Metric,
    horizontal: Metric,
) -> CampaignFigure:
    """A point for each cell with its intervals; a thin path joins those of an algorithm."""
    comparison = source.comparison([vertical, horizontal])
    facets = selection.panels()
    columns = columns_for(len(facets), request.width_inches)
    groups = selection.groups(selection.cells)
    marks = marks_of([group.name for group in groups], [group.label for group in groups])
    labels = in_order(group.label for group in groups)
    alone = len(selection.cells) == len(groups) and len(facets) == 1
    named = alone and len(labels) <= _MOST_NAMED
    rows = -(-len(facets) // columns)
    height = _HEIGHT if len(facets) == 1 else rows * _PANEL_HEIGHT + 0.25
    if not named:
        height += legend_inches(labels, request.width_inches)
    figure = CampaignFigure(source.campaign_id, request, height)
    panels = make_panels(figure, len(facets), columns, share_y=False)
    for index, (panel, axes) in enumerate(zip(facets, panels, strict=True)):
        _set_axes(axes, selection, vertical, horizontal, request)
        own = panel_marks(selection, panel)
        points = _draw_panel(axes, selection, panel, vertical, horizontal, own)
        _draw_front(axes, fronts_of(comparison, panel, vertical, horizontal), points)
        title_panel(axes, panel.title)
        if is_bottom(index, len(facets), columns):
            axes.set_xlabel(request.x_title or with_unit(horizontal.title, horizontal.unit))
        if is_left(index, columns):
            text = request.y_title or with_unit(vertical.title, vertical.unit)
            wrap_y_title(figure, axes, text)
        _note_better(axes, vertical, horizontal)
        name_points(figure, axes, _names(selection, panel, own, named), points)
    if not named:
        add_legend(figure, [marks[label] for label in labels], line=False)
    note_unfinished(figure, selection.cells)
    note_missing(figure, selection, [vertical, horizontal])
    title_figure(figure, request)
    return figure


def fronts_of(
    comparison: Mapping[str, Any], panel: Panel, vertical: Metric, horizontal: Metric
) -> list[list[int]]:
    """The server's fronts of these two metrics in the settings that the panel shows."""
    shown = {cell["index"] for cell in panel.cells}
    names = {vertical.name, horizontal.name}
    return [
        front["cells"]
        for front in comparison["pareto"]
        if set(front["metrics"]) == names and set(front["cells"]) <= shown
    ]


def _names(
    selection: Selection, panel: Panel, marks: Mapping[str, Mark], named: bool
) -> list[PointName]:
    """The algorithm of each point, or the point's place on its path."""
    names = []
    placed = [*selection.by, selection.facet]
    along = [axis for axis in selection.axes if axis not in placed]
    for group in selection.groups(panel.cells):
        mark = marks[group.label]
        for cell in group.cells:
            text = mark.label if named else joined_labels(cell, along)
            names.append(PointName(cell["index"], text, mark, strong=named))
    return names if named or len(panel.cells) > len(selection.groups(panel.cells)) else []


def _set_axes(
    axes: Axes, selection: Selection, vertical: Metric, horizontal: Metric, request: PlotRequest
) -> None:
    """Axes on which better is up and right: one where lower is better is inverted."""
    for which, metric in (("y", vertical), ("x", horizontal)):
        estimates = estimates_of(selection, metric)
        log = which in request.log or (which not in request.linear and _spreads_widely(estimates))
        if log:
            check_log_y(estimates, metric.name)
        ends = nice_domain(interval_ends(estimates), floor_of(selection, metric), log)
        count = 5 if which == "y" or request.width_inches > 5 else 4
        value_axis(axes, which, ends, log, count, inverted=metric.direction == "lower")


def _spreads_widely(estimates: Sequence[Estimate]) -> bool:
    """Whether means are so far apart that a log axis shows them better."""
    means = [one.mean for one in estimates]
    return len(means) > 2 and min(means) > 0 and max(means) / min(means) > _DECADES


def _draw_panel(
    axes: Axes,
    selection: Selection,
    panel: Panel,
    vertical: Metric,
    horizontal: Metric,
    marks: Mapping[str, Mark],
) -> dict[int, tuple[Estimate, Estimate]]:
    """The estimates of each cell along x and y, by its index."""
    frame(axes, "both")
    axes.spines["left"].set_visible(True)
    places = {}
    for group in selection.groups(panel.cells):
        mark = marks[group.label]
        points = []
        for cell in group.cells:
            x, y = estimate(cell, horizontal.name), estimate(cell, vertical.name)
            if x is None or y is None:
                continue
            _draw_intervals(axes, x, y, mark)
            points.append((x.mean, y.mean))
            places[cell["index"]] = (x, y)
        if not points:
            continue
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, color=mark.colour, linewidth=0.6, alpha=0.45, zorder=2.2, gid="path")
        axes.plot(xs, ys, linestyle="none", label=mark.label, zorder=3, **mark.point(1.15))
    return places


def _draw_intervals(axes: Axes, x: Estimate, y: Estimate, mark: Mark) -> None:
    style: Any = {"color": mark.colour, "linewidth": 0.8, "alpha": 0.7, "zorder": 2.5}
    axes.plot([x.low, x.high], [y.mean, y.mean], gid="interval", **style)
    axes.plot([x.mean, x.mean], [y.low, y.high], gid="interval", **style)


def _draw_front(
    axes: Axes,
    fronts: Sequence[Sequence[int]],
    points: Mapping[int, tuple[Estimate, Estimate]],
) -> None:
    """Steps along the front's points; only for one setting, of several they would cross."""
    if len(fronts) != 1:
        return
    known = [(x.mean, y.mean) for x, y in (points[c] for c in fronts[0] if c in points)]
    if not known:
        return
    inverted = axes.xaxis_inverted()
    ordered = sorted(known, key=lambda point: point[0] if inverted else -point[0])
    bottom, left = axes.get_ylim()[0], axes.get_xlim()[0]
    xs, ys = [ordered[0][0]], [bottom]
    for x, y in ordered:
        xs += [x, x]
        ys += [ys[-1], y]
    axes.plot(
        [*xs, left],
        [*ys, ys[-1]],
        color=SOFT,
        linewidth=0.8,
        linestyle=(0, (1, 2)),
        zorder=2.1,
        gid="front",
    )


def _note_better(axes: Axes, vertical: Metric, horizontal: Metric) -> None:
    """Which way is better."""
    arrow = ("" if vertical.direction == "none" else "↑") + (
        "" if horizontal.direction == "none" else "→"
    )
    if arrow:
        axes.annotate(
            f"better {arrow.replace('↑→', '↗')}",
            xy=(1, 1),
            xycoords="axes fraction",
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=NOTE_SIZE,
            color=SOFT,
            gid="better",
        )
