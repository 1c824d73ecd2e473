"""Lines, markers and intervals of an algorithm, and the frames of panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from windtunnel.plot import algorithms
from windtunnel.plot.algorithms import algorithm_style, dashes_of_lines, hues_of
from windtunnel.plot.cells import Panel, Selection

BAND = 0.16
LINE = 1.15
_MARKERS = {
    "circle": ("o", 4.0),
    "square": ("s", 3.6),
    "triangle-up": ("^", 4.5),
    "diamond": ("D", 3.5),
    "triangle-down": ("v", 4.5),
    "hexagon": ("h", 4.5),
    "plus": ("P", 4.6),
    "star": ("*", 6.0),
}
_PIXELS_A_POINT = 1.8  # the table's dashes are in pixels of a page's line of 2.25 px


@dataclass(frozen=True)
class Mark:
    """How one line, bar or dot looks, the same in colour and in grey."""

    label: str
    colour: str
    text_colour: str
    dash: int
    marker: str
    size: float

    @property
    def line_style(self) -> Any:
        """A value for matplotlib's ``linestyle``: dashes are multiples of the line's width."""
        pattern = algorithms.table()["dashes"][self.dash]
        if not pattern:
            return "-"
        parts = [length / _PIXELS_A_POINT for length in pattern]
        return (0, tuple(parts if len(parts) % 2 == 0 else parts * 2))

    def handle(self, line: bool = True) -> Line2D:
        """The mark in a legend."""
        style: Any = self.line_style if line else "none"
        return Line2D([], [], linewidth=LINE, linestyle=style, label=self.label, **self.point())

    def point(self, scale: float = 1) -> dict[str, Any]:
        """Arguments of a line with this colour and marker."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "markersize": self.size * scale,
            "markeredgecolor": "white",
            "markeredgewidth": 0.5,
        }


def marks_of(names: Sequence[str], labels: Sequence[str]) -> dict[str, Mark]:
    """The mark of each line of a figure by its label; names give hue and marker."""
    marks = {}
    dashes = dashes_of_lines(names)
    hues = hues_of(names, dashes)
    for name, label, dash, number in zip(names, labels, dashes, hues, strict=True):
        marker, size = _MARKERS[algorithm_style(name).marker]
        hue, text = algorithms.hue(number), algorithms.text_hue(number)
        marks[label] = Mark(label, hue, text, dash, marker, size)
    return marks


def panel_marks(selection: Selection, panel: Panel) -> dict[str, Mark]:
    """The marks of all lines of a figure, with the hues that they have in one panel.

    Panels of different algorithms may have lines of the same label.
    """
    names = {group.label: group.name for group in selection.groups(selection.cells)}
    names |= {group.label: group.name for group in selection.groups(panel.cells)}
    return marks_of(list(names.values()), list(names))


def frame(axes: Axes, grid: str = "y") -> None:
    """A light grid behind the data, and no line at the side that has it."""
    axes.grid(visible=True, axis=grid)  # type: ignore[arg-type]
    axes.spines["left"].set_visible(grid == "x")
    axes.set_axisbelow(True)


def interval_bar(
    axes: Axes,
    at: float,
    low: float,
    high: float,
    colour: str,
    vertical: bool = True,
    rim: float = 0.0,
    gid: str = "interval",
) -> None:
    """A 95 % interval with small caps, wider by ``rim`` points."""
    ends, place = (low, high), (at, at)
    xs, ys = (place, ends) if vertical else (ends, place)
    cap = "_" if vertical else "|"
    axes.plot(
        xs,
        ys,
        color=colour,
        linewidth=0.9 + rim,
        marker=cap,
        markersize=3.2 + rim,
        markeredgewidth=0.8 + rim,
        solid_capstyle="butt",
        zorder=2.5,
        gid=gid,
    )


def in_order(values: Iterable[str]) -> list[str]:
    """Without repetitions, in order of appearance."""
    return list(dict.fromkeys(values))
