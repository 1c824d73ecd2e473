"""Names beside lines, and legends where there is no room for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from windtunnel.plot.canvas import TEXT_SIZE, CampaignFigure, axis_size
from windtunnel.plot.marks import Mark
from windtunnel.plot.scales import spread_labels, text_width

T = TypeVar("T")
_GAP = 1.22 * TEXT_SIZE
_LEAD = 9.0  # points between the axes and a name
_MOST_DIRECT = 8
_MOST_ROOM = 0.3  # of the figure's width, for names beside lines
_HANDLE = 2.4 * TEXT_SIZE + 0.5 * TEXT_SIZE
_BETWEEN = 1.4 * TEXT_SIZE
ROW_INCHES = 1.35 * TEXT_SIZE / 72


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, in data coordinates."""

    mark: Mark
    x: float
    y: float


def fit_beside(labels: Sequence[str], width: float, height: float) -> bool:
    """Whether names fit beside the lines of a panel; sizes of the figure in inches."""
    if not 1 < len(labels) <= _MOST_DIRECT:
        return False
    widest = max(text_width(label, TEXT_SIZE) for label in labels)
    return widest <= _MOST_ROOM * width * 72 and len(labels) * _GAP <= (height - 0.6) * 72


def name_lines(figure: CampaignFigure, axes: Axes, ends: Sequence[LineEnd]) -> None:
    """Names at the right end of lines, moved apart, with a thin line to where each ends."""
    texts = [
        axes.annotate(
            end.mark.label,
            xy=(1, 0.5),
            xycoords="axes fraction",
            xytext=(_LEAD, 0),
            textcoords="offset points",
            va="center_baseline",
            color=end.mark.text_colour,
            fontsize=TEXT_SIZE,
            fontweight="bold",
            annotation_clip=False,
        )
        for end in ends
    ]

    def place() -> None:
        width, height = axis_size(axes)
        to_axes = axes.transAxes.inverted()
        points = [to_axes.transform(axes.transData.transform((end.x, end.y))) for end in ends]
        heights = [min(1.0, max(0.0, float(point[1]))) * height for point in points]
        spread = spread_labels(heights, _GAP, 2, height - 2)
        for end, text, point, start, at in zip(ends, texts, points, heights, spread, strict=True):
            text.xy = (1, at / height)
            leader = Line2D(
                [max(float(point[0]) + 3.5 / width, 1 - 2 / width), 1 + (_LEAD - 2) / width],
                [start / height, at / height],
                transform=axes.transAxes,
                color=end.mark.colour,
                alpha=0.5,
                linewidth=0.5,
                clip_on=False,
                gid="leader",
            )
            leader.set_in_layout(False)
            axes.add_line(leader)

    figure.after_layout(place)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Columns of a legend above a figure of this width in inches, as even as they can be."""
    widest = max(text_width(label, TEXT_SIZE) for label in labels) + _HANDLE + _BETWEEN
    most = max(1, min(len(labels), int((width * 72 - 6 + _BETWEEN) / widest)))
    rows = math.ceil(len(labels) / most)
    return math.ceil(len(labels) / rows)


def legend_inches(labels: Sequence[str], width: float) -> float:
    """Height of a legend above the figure; 0 without one."""
    if len(labels) < 2:
        return 0.0
    return math.ceil(len(labels) / legend_columns(labels, width)) * ROW_INCHES


def add_legend(
    figure: CampaignFigure, marks: Sequence[Mark], line: bool = True, handles: object = None
) -> None:
    """A legend above the panels, without a frame; nothing for one entry."""
    if len(marks) < 2:
        return
    labels = [mark.label for mark in marks]
    shown = handles if isinstance(handles, list) else [mark.handle(line) for mark in marks]
    columns = legend_columns(labels, float(figure.get_size_inches()[0]))
    legend = figure.legend(
        handles=_by_row(shown, columns),
        labels=_by_row(labels, columns),
        loc="outside upper center",
        ncols=columns,
        handlelength=None if line else 1.0,
    )
    legend.set_gid("legend")


def _by_row(entries: Sequence[T], columns: int) -> list[T]:
    """Entries so that a legend, which fills its columns one by one, reads row by row."""
    return [entry for column in range(columns) for entry in entries[column::columns]]
