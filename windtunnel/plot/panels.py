"""The grid of a figure's panels, their titles, and the note on what is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from matplotlib.axes import Axes

from windtunnel.plot.canvas import (
    NOTE_SIZE,
    SOFT,
    TITLE_SIZE,
    CampaignFigure,
    axis_size,
    wrapped,
)
from windtunnel.plot.cells import Cell
from windtunnel.plot.request import PlotRequest

_LEAST_PANEL = 1.45  # inches


def columns_for(panels: int, width: float) -> int:
    """Panels side by side in a figure of this width, in rows that are as even as they can be."""
    most = max(1, min(panels, int(width / _LEAST_PANEL), 4))
    return math.ceil(panels / math.ceil(panels / most))


def make_panels(
    figure: CampaignFigure, count: int, columns: int, share_y: bool, share_x: bool = False
) -> list[Axes]:
    """Axes row by row; places of the last row that stay empty have none."""
    rows = math.ceil(count / columns)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=share_y, sharex=share_x)
    axes = list(grid.flat)
    for empty in axes[count:]:
        empty.remove()
    return axes[:count]


def is_left(index: int, columns: int) -> bool:
    """Whether a panel is the first of its row."""
    return index % columns == 0


def is_bottom(index: int, count: int, columns: int) -> bool:
    """Whether no panel is below."""
    return index + columns >= count


def title_panel(axes: Axes, title: str) -> None:
    """A panel's title, on the left above it."""
    if title:
        axes.set_title(title, loc="left", fontsize=TITLE_SIZE)


def title_figure(figure: CampaignFigure, request: PlotRequest) -> None:
    """The figure's title, if one is asked for."""
    if request.title:
        figure.suptitle(request.title, fontsize=TITLE_SIZE + 1)


def note_unfinished(figure: CampaignFigure, cells: Iterable[Cell]) -> None:
    """Write ``28 of 40 runs`` on the figure and into its notes if runs of its cells are missing."""
    shown = list(cells)
    finished = sum(cell["finished"] for cell in shown)
    planned = sum(cell["planned"] for cell in shown)
    if finished >= planned:
        return
    text = f"{finished:,} of {planned:,} runs"
    figure.notes.append(f"the figure shows {text}: the others have no result (yet)")
    # below everything else, with room of its own
    figure.supxlabel(text, x=0.99, ha="right", fontsize=NOTE_SIZE, color=SOFT)


def wrap_y_title(figure: CampaignFigure, axes: Axes, text: str) -> None:
    """A title along the y axis, on as many lines as the axis' length needs."""
    axes.set_ylabel(text)

    def wrap() -> None:
        axes.set_ylabel(wrapped(text, axis_size(axes)[1]))

    figure.after_layout(wrap)
