"""Heat maps: a metric over two axes, or the matrix of coexistence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from windtunnel.plot.axes import Axis, shortened, shown_title, with_unit
from windtunnel.plot.canvas import NOTE_SIZE, SOFT, TEXT_SIZE, TICK_SIZE, CampaignFigure
from windtunnel.plot.cells import Cell, Selection, estimate
from windtunnel.plot.line import estimates_of, note_missing
from windtunnel.plot.numbers import decimals_for, fixed, format_compact, format_value
from windtunnel.plot.panels import make_panels, note_unfinished, title_figure, title_panel
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.scales import text_width
from windtunnel.plot.source import Metric, Source

# As in web/src/styles/tokens.css: --q0 to --q6, --d0 to --d8, and the text on them.
SEQUENTIAL = ("#f4f4f1", "#dbe6e4", "#b5d1ce", "#83b7b5", "#4c9698", "#22707a", "#0b4a55")
DIVERGING = (
    "#8c3b06",
    "#c66c2e",
    "#e3a877",
    "#f3dcc8",
    "#f4f4f1",
    "#d0dcf3",
    "#96b2e8",
    "#5780d6",
    "#2450b4",
)
_DIVERGING_ENDS = (25, 50, 75, 92.5, 107.5, 125, 150, 175)
_DARK, _LIGHT = "#16181d", "#ffffff"
_LIGHT_TEXT = {*SEQUENTIAL[5:], DIVERGING[0], DIVERGING[-1]}
_MOST_CELL, _LEAST_CELL = 0.62, 0.18  # inches
_MOST_HEIGHT = 3.5  # of all rows that are not at their least


@dataclass(frozen=True)
class HeatCell:
    """A mean with half its interval's width, where it has one, and the colour behind it."""

    row: int
    column: int
    mean: float | None
    half: float | None
    colour: str


def draw_heat(
    source: Source, request: PlotRequest, selection: Selection, metric: Metric
) -> CampaignFigure:
    """A panel for each label of the facet axis; ``x`` are the columns, the other axis the rows."""
    columns, rows = _axes(selection, request)
    estimates = estimates_of(selection, metric)
    means = [one.mean for one in estimates]
    facets = selection.panels()
    grids = []
    for panel in facets:
        cells = [_heat_cell(cell, rows, columns, metric, means) for cell in panel.cells]
        grids.append((panel.title, cells))
    titles = (
        request.x_title or with_unit(shown_title(columns.title), columns.unit),
        request.y_title or with_unit(shown_title(rows.title), rows.unit),
    )
    head = with_unit(metric.title, metric.unit)
    figure = _draw(source, request, grids, (columns.labels, rows.labels), titles, head)
    note_unfinished(figure, selection.cells)
    note_missing(figure, selection, [metric])
    return figure


def draw_coexistence(
    source: Source, request: PlotRequest, matrices: Sequence[Mapping[str, Any]]
) -> CampaignFigure:
    """The share of its max-min fair rate that the row's flow gets beside the column's."""
    grids = []
    for matrix in matrices:
        title = ", ".join(
            f"{shown_title(axis.rpartition('.')[2])} {label}"
            for axis, label in matrix["setting"].items()
        )
        names = matrix["algorithms"]
        cells = []
        for share in matrix["shares"]:
            one = share["estimate"]
            mean = None if one is None else one["mean"]
            half = None if one is None else visible_half(one["mean"], one["half_width"])
            colour = diverging(mean) if mean is not None else "none"
            row, column = names.index(share["algorithm"]), names.index(share["against"])
            cells.append(HeatCell(row, column, mean, half, colour))
        grids.append((title, cells))
    titles = request.x_title or "Against", request.y_title or "Flow of"
    head = "Share of the max-min fair rate (%)"
    names = matrices[0]["algorithms"]
    figure = _draw(source, request, grids, (names, names), titles, head)
    note_unfinished(figure, source.overview["cells"])
    return figure


def sequential(value: float, low: float, high: float) -> str:
    """One of seven steps between the least and the largest value."""
    if high <= low:
        return SEQUENTIAL[3]
    share = (value - low) / (high - low)
    return SEQUENTIAL[max(0, min(6, int(7 * share + 1e-9)))]


def diverging(percent: float) -> str:
    """One of nine steps around a share of 100 %."""
    for step, end in enumerate(_DIVERGING_ENDS):
        if percent <= end if end > 100 else percent < end:
            return DIVERGING[step]
    return DIVERGING[-1]


def visible_half(mean: float, half: float | None) -> float | None:
    """None where it is a rounding error of the mean."""
    return half if half is not None and half > 1e-9 * abs(mean) else None


def cell_number(mean: float, half: float | None, compact: bool) -> str:
    """No more than one decimal from 10 on."""
    if compact:
        return format_compact(mean)
    most = 0 if abs(mean) >= 100 else 1 if abs(mean) >= 10 else 3
    return fixed(mean, min(decimals_for(mean, half), most))


def _axes(selection: Selection, request: PlotRequest) -> tuple[Axis, Axis]:
    """Columns and rows: two axes, that all cells differ in."""
    several = [axis for axis in selection.by if len(axis.labels) > 1]
    columns = selection.x or (several[-1] if several else None)
    rest = [axis for axis in several if axis != columns]
    if columns is None or len(rest) != 1:
        names = ", ".join(axis.title for axis in selection.axes) or "none"
        message = f"a heat map shows two axes, and the chosen cells differ in {len(several)}"
        if selection.x is not None:
            message = f"a heat map shows one axis beside --x, and the cells differ in {len(rest)}"
        invalid("kind", f"{message}: name --x, --by and --facet, or use --where; axes: {names}")
    if request.log:
        invalid("log", "a heat map has no log axis")
    return columns, rest[0]


def _heat_cell(
    cell: Cell, rows: Axis, columns: Axis, metric: Metric, means: Sequence[float]
) -> HeatCell:
    places = cell["coordinates"]
    row, column = rows.labels.index(places[rows.name]), columns.labels.index(places[columns.name])
    one = estimate(cell, metric.name)
    if one is None:
        return HeatCell(row, column, None, None, "none")
    half = visible_half(one.mean, (one.high - one.low) / 2)
    return HeatCell(row, column, one.mean, half, sequential(one.mean, min(means), max(means)))


def _draw(
    source: Source,
    request: PlotRequest,
    grids: Sequence[tuple[str, Sequence[HeatCell]]],
    labels: tuple[Sequence[str], Sequence[str]],
    titles: tuple[str, str],
    head: str,
) -> CampaignFigure:
    columns, rows = (list(shortened(tuple(each)).values()) for each in labels)
    side = max(1, min(len(grids), int(request.width_inches / (len(columns) * 0.3 + 0.6))))
    lines = -(-len(grids) // side)
    left = max(text_width(label, TICK_SIZE) for label in rows) / 72 + 0.35
    across = ((request.width_inches - 0.05) / side - left) / len(columns)
    down = max(_LEAST_CELL, min(_MOST_CELL, across * 0.62, _MOST_HEIGHT / len(rows)))
    slanted = any(text_width(label, TICK_SIZE) / 72 > across * 0.95 for label in columns)
    below = 0.45 + (0.25 if slanted else 0)
    figure = CampaignFigure(
        source.campaign_id, request, lines * (len(rows) * down + below + 0.22) + 0.05
    )
    axes = make_panels(figure, len(grids), side, share_y=False)
    for index, ((title, cells), one) in enumerate(zip(grids, axes, strict=True)):
        _draw_grid(one, cells, columns, rows, across, down)
        one.set_xticks(range(len(columns)), columns)
        one.set_yticks(range(len(rows)), rows)
        if slanted:
            one.tick_params(axis="x", rotation=35)
            for text in one.get_xticklabels():
                text.set_horizontalalignment("right")
                text.set_rotation_mode("anchor")
        one.set_xlabel(titles[0])
        if index % side == 0:
            one.set_ylabel(titles[1])
        title_panel(one, title if len(grids) > 1 else head)
    if len(grids) > 1:
        figure.suptitle(request.title or head, fontsize=TEXT_SIZE + 0.5)
    else:
        title_figure(figure, request)
    return figure


def _draw_grid(
    axes: Axes,
    cells: Sequence[HeatCell],
    columns: Sequence[str],
    rows: Sequence[str],
    across: float,
    down: float,
) -> None:
    """Coloured cells with their numbers; a hatched cell has no value."""
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)
    longest = {
        compact: max(
            (len(cell_number(c.mean, c.half, compact)) for c in cells if c.mean is not None),
            default=1,
        )
        for compact in (False, True)
    }
    room = across * 72 - 4
    compact = longest[False] * 0.56 * 6 > room
    size = min(TEXT_SIZE + 0.5, max(5.0, room / (longest[compact] * 0.56)))
    halves = across >= 0.5 and down >= 0.28
    for cell in cells:
        box = Rectangle(
            (cell.column - 0.5, cell.row - 0.5),
            1,
            1,
            facecolor=cell.colour,
            edgecolor="white" if cell.mean is not None else SOFT,
            linewidth=1.0 if cell.mean is not None else 0.4,
            hatch=None if cell.mean is not None else "////",
            gid="cell",
        )
        axes.add_patch(box)
        if cell.mean is None:
            continue
        colour = _LIGHT if cell.colour in _LIGHT_TEXT else _DARK
        both = halves and cell.half is not None
        axes.annotate(
            cell_number(cell.mean, cell.half, compact),
            xy=(cell.column, cell.row),
            xytext=(0, 3.2 if both else 0),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=size,
            color=colour,
            gid="number",
        )
        if both and cell.half is not None:
            axes.annotate(
                f"± {format_value(cell.half, cell.half)}",
                xy=(cell.column, cell.row),
                xytext=(0, -4.6),
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=NOTE_SIZE - 0.8,
                color=colour,
                gid="half",
            )
