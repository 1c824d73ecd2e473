"""Bars with 95 % intervals over an axis of names or numbers."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from windtunnel.plot.axes import shortened, shown_title, with_unit
from windtunnel.plot.canvas import TICK_SIZE, CampaignFigure
from windtunnel.plot.cells import Panel, Selection, estimate
from windtunnel.plot.labels import add_legend, legend_inches
from windtunnel.plot.line import estimates_of, floor_of, note_missing, value_axis
from windtunnel.plot.marks import Mark, frame, in_order, interval_bar, marks_of
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
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.scales import interval_ends, nice_domain, text_width
from windtunnel.plot.source import Metric, Source

_HEIGHT = 2.0
_PANEL_HEIGHT = 1.55
_GROUP = 0.8  # of the distance of two groups of bars
_INTERVAL = "#16181d"


def draw_bars(
    source: Source, request: PlotRequest, selection: Selection, metrics: Sequence[Metric]
) -> CampaignFigure:
    """A group of bars for each label of the x axis, a bar for each label of the others."""
    x = selection.x
    assert x is not None
    if "x" in request.log or "y" in request.log:
        invalid("log", "bars begin at 0, which a log axis does not have; use --kind line or dots")
    facets = selection.panels()
    shown = [(metric, panel) for metric in metrics for panel in facets]
    columns = columns_for(len(shown), request.width_inches)
    groups = selection.groups(selection.cells)
    marks = marks_of([group.name for group in groups], [group.label for group in groups])
    labels = in_order(group.label for group in groups)
    rows = -(-len(shown) // columns)
    height = (_HEIGHT if rows == 1 else rows * _PANEL_HEIGHT) + legend_inches(
        labels, request.width_inches
    )
    figure = CampaignFigure(source.campaign_id, request, height)
    panels = make_panels(figure, len(shown), columns, share_y=False)
    for index, ((metric, panel), axes) in enumerate(zip(shown, panels, strict=True)):
        ends = nice_domain([0, *interval_ends(estimates_of(selection, metric))], None)
        value_axis(axes, "y", ends if floor_of(selection, metric) is None else (0, ends[1]), False)
        _draw_panel(axes, selection, panel, metric, labels, marks)
        _place_names(axes, list(shortened(x.labels).values()), request.width_inches / columns)
        title_panel(axes, panel.title)
        if is_bottom(index, len(shown), columns):
            axes.set_xlabel(request.x_title or with_unit(shown_title(x.title), x.unit))
        if is_left(index, columns) or len(metrics) > 1:
            text = request.y_title or with_unit(metric.title, metric.unit)
            wrap_y_title(figure, axes, text)
    if selection.by:
        handles = [_handle(marks[label], _hatch(labels, label)) for label in labels]
        add_legend(figure, [marks[label] for label in labels], handles=handles)
    note_unfinished(figure, selection.cells)
    note_missing(figure, selection, metrics)
    title_figure(figure, request)
    return figure


def _draw_panel(
    axes: Axes,
    selection: Selection,
    panel: Panel,
    metric: Metric,
    labels: Sequence[str],
    marks: dict[str, Mark],
) -> None:
    frame(axes)
    x = selection.x
    assert x is not None
    width = _GROUP / len(labels)
    own = marks_of(x.labels, x.labels) if x.is_algorithm and not selection.by else {}
    for group in selection.groups(panel.cells):
        shift = (labels.index(group.label) - (len(labels) - 1) / 2) * width
        for cell in group.cells:
            one = estimate(cell, metric.name)
            label = cell["coordinates"][x.name]
            if one is None:
                continue
            at = x.labels.index(label) + shift
            mark = own.get(label, marks[group.label])
            axes.bar(
                at,
                one.mean,
                width * 0.92,
                color=mark.colour,
                edgecolor="white",
                linewidth=0.4,
                hatch=_hatch(labels, group.label),
                label=group.label,
                zorder=2,
            )
            # with a light rim, for dark bars
            interval_bar(axes, at, one.low, one.high, "white", rim=0.9, gid="rim")
            interval_bar(axes, at, one.low, one.high, _INTERVAL)
    axes.set_xlim(-0.6, len(x.labels) - 0.4)


def _hatch(labels: Sequence[str], label: str) -> str:
    """Bars differ by their hatching too, so that they can be told apart in grey."""
    return ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++", "oooo")[labels.index(label) % 8]


def _place_names(axes: Axes, labels: Sequence[str], width: float) -> None:
    """Names below the bars, at a slant where they would touch."""
    axes.set_xticks(range(len(labels)), labels)
    room = (width - 0.55) * 72 / len(labels)
    if any(text_width(label, TICK_SIZE) > room * 0.95 for label in labels):
        axes.tick_params(axis="x", rotation=35)
        for text in axes.get_xticklabels():
            text.set_horizontalalignment("right")
            text.set_rotation_mode("anchor")


def _handle(mark: Mark, hatch: str) -> Patch:
    return Patch(facecolor=mark.colour, edgecolor="white", linewidth=0.4, hatch=hatch)
