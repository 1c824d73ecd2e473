"""Cumulative distributions over flows, or of the packet delay over packets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from windtunnel.errors import ConflictError
from windtunnel.plot.axes import with_unit
from windtunnel.plot.canvas import CampaignFigure, axis_size, set_scale, set_ticks
from windtunnel.plot.cells import Selection
from windtunnel.plot.labels import add_legend, fit_beside, legend_inches
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
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.scales import (
    Ends,
    Tick,
    data_domain,
    fitting,
    linear_ticks,
    log_ticks,
    nice_domain,
)
from windtunnel.plot.source import Source

_HEIGHT = 2.1
_PANEL_HEIGHT = 1.6
_MAX_CELLS = 50  # that the service answers at once
_LINE = 1.2
_DECADES = 100  # ratio of largest to least from which the axis is logarithmic
# Where a line has markers, which tell it from others in grey.
_MARKED = (0.25, 0.5, 0.75)
_TOP = 1.03


@dataclass(frozen=True)
class _Values:
    """The values' axis."""

    title: str
    log: bool
    ends: Ends


def draw_cdf(source: Source, request: PlotRequest, selection: Selection) -> CampaignFigure:
    """A step line for each cell; ``x`` is the field."""
    if "y" in request.log:
        invalid("log", "the y axis of a CDF is linear; use --log x")
    if len(selection.cells) > _MAX_CELLS:
        message = f"{len(selection.cells)} cells are too many for a CDF, at most {_MAX_CELLS}"
        invalid("where", f"{message}: choose some with --where")
    indices = [cell["index"] for cell in selection.cells]
    content = source.distributions(request.x, indices)
    points = {cell["cell"]: cell["points"] for cell in content["cells"] if cell["points"]}
    if not points:
        raise ConflictError("no run has flow records or packet delays yet; there is no CDF to draw")
    values = _values(content, request, points)
    facets = selection.panels()
    columns = columns_for(len(facets), request.width_inches)
    groups = selection.groups(selection.cells)
    marks = marks_of([group.name for group in groups], [group.label for group in groups])
    labels = in_order(group.label for group in groups)
    rows = -(-len(facets) // columns)
    height = _HEIGHT if len(facets) == 1 else rows * _PANEL_HEIGHT + 0.25
    inside = len(facets) == 1 and fit_beside(labels, request.width_inches, height)
    if not inside:
        height += legend_inches(labels, request.width_inches)
    figure = CampaignFigure(source.campaign_id, request, height)
    panels = make_panels(figure, len(facets), columns, share_y=False)
    for index, (panel, axes) in enumerate(zip(facets, panels, strict=True)):
        own = panel_marks(selection, panel)
        drawn = []
        for group in selection.groups(panel.cells):
            known = [points[cell["index"]] for cell in group.cells if cell["index"] in points]
            for one in known:
                drawn.append((own[group.label], one))
        _draw_panel(figure, axes, drawn, values)
        title_panel(axes, panel.title)
        if is_bottom(index, len(facets), columns):
            axes.set_xlabel(request.x_title or values.title)
        if is_left(index, columns):
            wrap_y_title(figure, axes, request.y_title or f"Fraction of {content['of']}")
        else:
            axes.tick_params(labelleft=False)
        if inside:
            _add_legend(axes, [marks[label] for label in labels])
    if not inside:
        add_legend(figure, [marks[label] for label in labels])
    note_unfinished(figure, selection.cells)
    _note_values(figure, content)
    title_figure(figure, request)
    return figure


def _values(
    content: Mapping[str, Any], request: PlotRequest, points: Mapping[int, Sequence[Any]]
) -> _Values:
    """Log where the values spread over two powers of ten, or where it is asked for."""
    values = [value for line in points.values() for value, _ in line]
    positive = [value for value in values if value > 0]
    if "x" in request.log and not positive:
        invalid("log", f"{content['field']} has no value above 0, which a log axis needs")
    wide = min(values) > 0 and max(values) / min(values) > _DECADES
    log = "x" in request.log or (wide and "x" not in request.linear)
    floor = 0.0 if min(values) >= 0 else None
    ends = data_domain(positive, True) if log else nice_domain(values, floor)
    return _Values(with_unit(content["title"], content["unit"]), log, ends)


def _draw_panel(
    figure: CampaignFigure,
    axes: Axes,
    drawn: Sequence[tuple[Mark, Sequence[tuple[float, float]]]],
    values: _Values,
) -> None:
    """On a log axis, values at 0 are left of the axis: a line begins at their fraction."""
    frame(axes, "both")
    axes.spines["left"].set_visible(True)
    set_scale(axes, "x", values.ends, values.log)
    set_scale(axes, "y", (0, _TOP), False)
    set_ticks(axes, "y", linear_ticks((0, 1), 4))
    for mark, points in drawn:
        shown = [(value, fraction) for value, fraction in points if value > 0 or not values.log]
        if not shown:
            continue
        before = [fraction for value, fraction in points if value <= 0] if values.log else []
        places = [shown[0][0], *(value for value, _ in shown), values.ends[1]]
        heights = [before[-1] if before else 0.0, *(fraction for _, fraction in shown), 1.0]
        axes.plot(
            places,
            heights,
            drawstyle="steps-post",
            linewidth=_LINE,
            linestyle=mark.line_style,
            color=mark.colour,
            label=mark.label,
            zorder=3,
        )
        for quantile in _MARKED:
            at = value_at(points, quantile)
            if at is not None and (at > 0 or not values.log):
                style = mark.point()
                axes.plot([at], [quantile], linestyle="none", zorder=3.5, gid="quantile", **style)

    def ticks() -> None:
        width, _ = axis_size(axes)
        to_axes = axes.transAxes.inverted()

        def position(value: float) -> float:
            return float(to_axes.transform(axes.transData.transform((value, 0)))[0]) * width

        every = log_ticks(values.ends) if values.log else linear_ticks(values.ends)
        labelled = {tick.value for tick in fitting(every, position, 7)}
        set_ticks(
            axes, "x", [tick if tick.value in labelled else Tick(tick.value, "") for tick in every]
        )

    set_ticks(axes, "x", [Tick(values.ends[0], "0")])
    figure.after_layout(ticks)


def value_at(points: Sequence[tuple[float, float]], fraction: float) -> float | None:
    """The least value that a fraction of the values is at most: where the steps cross it."""
    return next((value for value, reached in points if reached >= fraction - 1e-12), None)


def _add_legend(axes: Axes, marks: Sequence[Mark]) -> None:
    """In the corner that distributions leave free."""
    legend = axes.legend(
        handles=[mark.handle() for mark in marks],
        loc="lower right",
        frameon=True,
        framealpha=0.85,
        edgecolor="none",
    )
    legend.set_gid("legend")


def _note_values(figure: CampaignFigure, content: Mapping[str, Any]) -> None:
    """Note how many flows have no value, such as unfinished transfers."""
    missing = sum(cell["n_missing"] for cell in content["cells"])
    total = missing + sum(cell["n_values"] for cell in content["cells"])
    if missing:
        figure.notes.append(
            f"{missing:,} of {total:,} flows have no {content['title']} and are left out"
        )
