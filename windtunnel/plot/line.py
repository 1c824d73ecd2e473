"""Lines with 95 % bands over a numeric axis."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from windtunnel.plot import marks as mark_styles
from windtunnel.plot.axes import shown_title, with_unit
from windtunnel.plot.canvas import (
    TICK_SIZE,
    CampaignFigure,
    axis_size,
    set_scale,
    set_ticks,
)
from windtunnel.plot.cells import (
    Group,
    Panel,
    Selection,
    check_log_y,
    estimate,
    is_log,
    is_non_negative,
)
from windtunnel.plot.labels import LineEnd, add_legend, fit_beside, legend_inches, name_lines
from windtunnel.plot.marks import LINE, Mark, frame, in_order, marks_of, panel_marks
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
from windtunnel.plot.scales import (
    Ends,
    Estimate,
    Tick,
    data_domain,
    interval_ends,
    linear_ticks,
    log_ticks,
    nice_domain,
    place_ticks,
)
from windtunnel.plot.source import Metric, Source

HEIGHT = 2.1
_PANEL_HEIGHT = 1.55
_EDGE = 0.03  # of the axis, beside the first and the last place


def draw_lines(
    source: Source, request: PlotRequest, selection: Selection, metrics: Sequence[Metric]
) -> CampaignFigure:
    """One panel for each label of the facet axis, or for each metric, or for each of both."""
    x = selection.x
    assert x is not None
    if x.numbers is None:
        invalid("x", f"{x.title} has names, not numbers: a line needs numbers; use --kind bars")
    facets = selection.panels()
    shown = [(metric, panel) for metric in metrics for panel in facets]
    columns = len(facets) if len(metrics) > 1 and len(facets) > 1 else 0
    columns = columns or columns_for(len(shown), request.width_inches)
    groups = selection.groups(selection.cells)
    marks = marks_of([group.name for group in groups], [group.label for group in groups])
    labels = in_order(group.label for group in groups)
    rows = -(-len(shown) // columns)
    height = HEIGHT if len(shown) == 1 else rows * _PANEL_HEIGHT + 0.25
    direct = len(shown) == 1 and fit_beside(labels, request.width_inches, request.height or height)
    if not direct:
        height += legend_inches(labels, request.width_inches)
    figure = CampaignFigure(source.campaign_id, request, height)
    panels = make_panels(figure, len(shown), columns, share_y=False)
    log = is_log(x, request)
    for index, ((metric, panel), axes) in enumerate(zip(shown, panels, strict=True)):
        _set_y(axes, metric, selection, request)
        own = panel_marks(selection, panel)
        ends = _draw_panel(axes, selection, panel, metric, own)
        _set_x(figure, axes, selection, log)
        title_panel(axes, panel.title if metric == metrics[0] or len(facets) < 2 else "")
        if is_bottom(index, len(shown), columns):
            axes.set_xlabel(request.x_title or with_unit(shown_title(x.title), x.unit))
        if is_left(index, columns) or (len(facets) == 1 and len(metrics) > 1):
            _title_y(figure, axes, metric, request)
        elif len(facets) > 1:
            axes.tick_params(labelleft=False)
        if direct:
            name_lines(figure, axes, ends)
    if not direct:
        add_legend(figure, [marks[label] for label in labels])
    note_unfinished(figure, selection.cells)
    note_missing(figure, selection, metrics)
    title_figure(figure, request)
    return figure


def note_missing(figure: CampaignFigure, selection: Selection, metrics: Sequence[Metric]) -> None:
    """Note how many finished cells have no value of a metric, and so no mark."""
    for metric in metrics:
        without = [
            cell
            for cell in selection.cells
            if cell["finished"] and estimate(cell, metric.name) is None
        ]
        if without and len(without) == len(selection.cells):
            invalid("y", f"no cell has a value of {metric.name}")
        if without:
            cells = f"{len(without)} of {len(selection.cells)} cells"
            figure.notes.append(f"{cells} have no value of {metric.name} and are left out")


def value_axis(
    axes: Axes, which: str, ends: Ends, log: bool, count: int = 5, inverted: bool = False
) -> list[Tick]:
    """Set a value axis with ticks at round numbers."""
    ticks = log_ticks(ends) if log else linear_ticks(ends, count)
    set_scale(axes, which, (ends[1], ends[0]) if inverted else ends, log)
    set_ticks(axes, which, ticks)
    return ticks


def estimates_of(selection: Selection, metric: Metric) -> list[Estimate]:
    """Of all cells that have a value."""
    known = (estimate(cell, metric.name) for cell in selection.cells)
    return [one for one in known if one is not None]


def floor_of(selection: Selection, metric: Metric) -> float | None:
    """0 for a metric without negative values, whose axis begins there."""
    return 0.0 if is_non_negative(selection.cells, metric.name) else None


def _draw_panel(
    axes: Axes, selection: Selection, panel: Panel, metric: Metric, marks: dict[str, Mark]
) -> list[LineEnd]:
    """Bands first, then lines, the baseline on top. Returns where the lines end."""
    frame(axes)
    groups = sorted(selection.groups(panel.cells), key=lambda group: group.baseline)
    ends = {}
    for group in groups:
        points = _points(selection, group, metric)
        mark = marks[group.label]
        if not points:
            continue
        places = [place for place, _ in points]
        if len(points) > 1:
            axes.fill_between(
                places,
                [one.low for _, one in points],
                [one.high for _, one in points],
                color=mark.colour,
                alpha=mark_styles.BAND,
                linewidth=0,
                zorder=1.5,
                label=f"{group.label} band",
            )
        else:
            [(place, one)] = points
            mark_styles.interval_bar(axes, place, one.low, one.high, mark.colour)
        axes.plot(
            places,
            [one.mean for _, one in points],
            linewidth=LINE,
            linestyle=mark.line_style,
            label=group.label,
            zorder=3,
            clip_on=False,
            **mark.point(),
        )
        ends[group.label] = LineEnd(mark, places[-1], points[-1][1].mean)
    return [ends[label] for label in marks if label in ends]


def _points(selection: Selection, group: Group, metric: Metric) -> list[tuple[float, Estimate]]:
    """Places and estimates of a line, in the order of the places."""
    known = [(selection.place(cell), estimate(cell, metric.name)) for cell in group.cells]
    return sorted((place, one) for place, one in known if one is not None)


def _set_y(axes: Axes, metric: Metric, selection: Selection, request: PlotRequest) -> None:
    estimates = estimates_of(selection, metric)
    log = "y" in request.log
    if log:
        check_log_y(estimates, metric.name)
    ends = nice_domain(interval_ends(estimates), floor_of(selection, metric), log)
    value_axis(axes, "y", ends, log)


def _title_y(figure: CampaignFigure, axes: Axes, metric: Metric, request: PlotRequest) -> None:
    text = request.y_title or with_unit(metric.title, metric.unit)
    wrap_y_title(figure, axes, text)


def _set_x(figure: CampaignFigure, axes: Axes, selection: Selection, log: bool) -> None:
    """A tick at every measured place, labelled where there is room."""
    places = sorted({selection.place(cell) for cell in selection.cells})
    low, high = data_domain(places, log)
    if log:
        edge = (high / low) ** _EDGE
        ends = low / edge, high * edge
    else:
        edge = (high - low) * _EDGE
        ends = low - edge, high + edge
    set_scale(axes, "x", ends, log)
    fallback = linear_ticks((low, high)) if not log else []
    set_ticks(axes, "x", [Tick(place, "0") for place in places])

    def place_labels() -> None:
        width, _ = axis_size(axes)
        to_axes = axes.transAxes.inverted()

        def position(value: float) -> float:
            return float(to_axes.transform(axes.transData.transform((value, 1)))[0]) * width

        set_ticks(axes, "x", place_ticks(places, position, log, TICK_SIZE, fallback))

    figure.after_layout(place_labels)
