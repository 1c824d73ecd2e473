"""Signals of a run stacked over one time axis: congestion windows, queue, goodput, drops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D

from windtunnel.plot import algorithms
from windtunnel.plot.axes import shown_title, with_unit
from windtunnel.plot.canvas import SOFT, TEXT_SIZE, CampaignFigure, set_scale, set_ticks
from windtunnel.plot.cells import Cell, Selection, joined_labels
from windtunnel.plot.line import value_axis
from windtunnel.plot.marks import frame
from windtunnel.plot.panels import title_figure, title_panel, wrap_y_title
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.scales import linear_ticks, nice_domain
from windtunnel.plot.signals import EVENTS, RunSignals, Signal, probes_of, read_signals
from windtunnel.plot.source import Source

_TITLES = {
    "queue_length": "queue",
    "rtt": "RTT",
    "link_utilization": "link utilization",
    "link_drops": "drops",
    "ecn_marks": "ECN marks",
}
_STEPPED = frozenset({"cwnd", "goodput", "link_utilization"})
_PANEL, _EVENT_PANEL, _FRAME = 0.72, 0.3, 0.5  # inches
_TALL, _LEAST = 0.95, 1.6
_LINE = 0.8
_LIGHTER = 0.5  # towards white, for a second line of an algorithm
_WARM_UP = "#f2f2ef"


def draw_series(source: Source, request: PlotRequest, selection: Selection) -> CampaignFigure:
    """A row of panels for each probe; a column for each run, of a facet axis one for each label."""
    if request.log:
        invalid("log", "time series have linear axes")
    runs, note = _runs(source, request, selection)
    probes = probes_of(runs)
    ratios = [_EVENT_PANEL if p in EVENTS else _TALL if p == "cwnd" else _PANEL for p in probes]
    height = sum(ratios) + 0.08 * len(probes) + _FRAME
    figure = CampaignFigure(source.campaign_id, request, max(_LEAST, height))
    if note:
        figure.notes.append(note)
    grid = figure.subplots(len(probes), len(runs), squeeze=False, sharex=True, height_ratios=ratios)
    start = request.start or 0.0
    end = request.end or max(run.duration for run in runs)
    if start >= end:
        invalid("start", f"{start:g} s is not within the run, which ends at {end:g} s")
    for column, run in enumerate(runs):
        for row, probe in enumerate(probes):
            axes = grid[row][column]
            frame(axes)
            top = max(max(one.values, default=0) for each in runs for one in each.of(probe))
            _draw_panel(axes, run, probe, top, start)
            set_scale(axes, "x", (start, end), False)
            if column == 0:
                unit = next(one.unit for each in runs for one in each.of(probe))
                text = with_unit(_TITLES.get(probe, shown_title(probe)), unit)
                wrap_y_title(figure, axes, request.y_title or text)
            elif probe not in EVENTS:
                axes.tick_params(labelleft=False)
        _label_lines(grid[0][column], run, len(runs))
        title_panel(grid[0][column], run.title)
        width = request.width_inches / len(runs)
        set_ticks(grid[-1][column], "x", linear_ticks((start, end), 6 if width > 3 else 4))
        grid[-1][column].set_xlabel(request.x_title or "Time (s)")
    figure.align_ylabels()
    title_figure(figure, request)
    return figure


def _runs(
    source: Source, request: PlotRequest, selection: Selection
) -> tuple[list[RunSignals], str]:
    """The run asked for, or those of the facet's labels; and a note if one was chosen of many."""
    cells = list(selection.cells)
    note = ""
    if request.run is not None:
        cells = [
            cell
            for cell in source.overview["cells"]
            if any(run.startswith(request.run) for run in cell["runs"].values())
        ]
        if len(cells) != 1:
            known = "is of several runs" if cells else "is not the id of a run"
            invalid("run", f"{request.run} {known} of this campaign; its pages list them")
    elif request.cell is not None:
        cells = [cell for cell in source.overview["cells"] if cell["index"] == request.cell]
        if not cells:
            most = len(source.overview["cells"]) - 1
            invalid("cell", f"the campaign has no cell {request.cell}; cells are 0 to {most}")
    elif selection.facet is not None:
        panels = selection.panels()
        chosen = [(panel.title, *_first(panel.cells)) for panel in panels]
        if any(several for _, _, several in chosen):
            note = "each column is of one cell and seed; choose with --where and --seed"
        return [
            read_signals(source.get, request, title, cell, selection.axes)
            for title, cell, _ in chosen
        ], note
    cell, several = _first(cells)
    if several:
        name = joined_labels(cell, selection.axes)
        note = (
            f"the figure shows cell {cell['index']} ({name}); choose another with --where or "
            "--cell, or several with --facet"
        )
    return [read_signals(source.get, request, "", cell, selection.axes)], note


def _first(cells: Sequence[Cell]) -> tuple[Cell, bool]:
    """The baseline's cell, or the first one; and whether there are others."""
    baseline = next((cell for cell in cells if cell["is_baseline"]), cells[0])
    return baseline, len(cells) > 1


def _draw_panel(axes: Axes, run: RunSignals, probe: str, top: float, start: float) -> None:
    if run.warm_up > start:
        axes.axvspan(start, run.warm_up, color=_WARM_UP, linewidth=0, zorder=0, gid="warm-up")
    signals = run.of(probe)
    if probe in EVENTS:
        _draw_events(axes, signals)
        return
    value_axis(axes, "y", nice_domain([0, top], 0, count=3), False, 3)
    # the first line on top: those of other flows are lighter
    for signal in sorted(signals, key=lambda one: -one.nth):
        colour = _colour(signal)
        style: Any = "steps-post" if probe in _STEPPED else "default"
        axes.plot(
            signal.times,
            signal.values,
            color=colour,
            linewidth=_LINE,
            drawstyle=style,
            label=signal.label or signal.name,
            solid_joinstyle="round",
            zorder=3 - 0.1 * signal.nth,
        )
        if probe == "queue_length" and len(signals) == 1:
            axes.fill_between(signal.times, 0, signal.values, color=colour, alpha=0.15, linewidth=0)


def _draw_events(axes: Axes, signals: Sequence[Signal]) -> None:
    """A tick at each time with an event, a row for each signal."""
    for row, signal in enumerate(signals):
        times = [t for t, v in zip(signal.times, signal.values, strict=True) if v > 0]
        axes.eventplot(
            [times], lineoffsets=[row], linelengths=0.7, linewidths=0.5, colors=[_colour(signal)]
        )
    axes.grid(visible=False, axis="y")
    axes.set_yticks([])
    axes.set_ylim(len(signals) - 0.4, -0.6)


def _colour(signal: Signal) -> str:
    """Of the algorithm; lighter for its second line and those after it."""
    strong = algorithms.hue(algorithms.algorithm_style(signal.name).hue)
    share = 0.0 if signal.nth == 0 else _LIGHTER
    red, green, blue = (part + (1 - part) * share for part in to_rgb(strong))
    return str(to_hex((red, green, blue)))


def _label_lines(axes: Axes, run: RunSignals, columns: int) -> None:
    """The flows' names above the first panel; none for a single line."""
    by_label: dict[str, Signal] = {}
    for signal in run.signals:
        several = len(run.of(signal.probe)) > 1 and signal.probe not in EVENTS
        if several:
            by_label.setdefault(signal.label, signal)
    if len(by_label) < 2:
        return
    handles = [Line2D([], [], color=_colour(signal), linewidth=1.4) for signal in by_label.values()]
    legend = axes.legend(
        handles,
        list(by_label),
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(by_label) if len(by_label) <= 4 else 4,
        fontsize=TEXT_SIZE if columns == 1 else TEXT_SIZE - 0.5,
        handlelength=1.4,
        columnspacing=1.0,
        labelcolor=SOFT if columns > 2 else None,
    )
    legend.set_gid("legend")
