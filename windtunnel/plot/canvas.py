"""Figures of an exact size in the style of a paper, and the files that they are saved to."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from windtunnel.plot.command import command
from windtunnel.plot.request import PlotRequest, check_format, invalid
from windtunnel.plot.scales import Ends, Tick
from windtunnel.targets import replacing

TICK_SIZE = 7.0
TEXT_SIZE = 7.5
TITLE_SIZE = 8.0
NOTE_SIZE = 6.5
INK, SOFT, GRID, SPINE = "#16181d", "#5b606a", "#e4e4e0", "#8a8e96"
# Each is embedded as TrueType; the last comes with matplotlib and has the glyphs that others lack.
_FONTS = ("Arial", "Liberation Sans", "DejaVu Sans")
_MISSING_GLYPH = re.compile(r"Glyph \d+")
_STYLE: Any = {
    "text.parse_math": False,
    "text.usetex": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": TITLE_SIZE,
    "axes.titlesize": TITLE_SIZE,
    "axes.titlepad": 4.0,
    "axes.labelpad": 3.0,
    "axes.edgecolor": SPINE,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.formatter.use_mathtext": False,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": TICK_SIZE,
    "ytick.labelsize": TICK_SIZE,
    "xtick.color": SPINE,
    "ytick.color": SPINE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 2.5,
    "ytick.major.size": 0,
    "xtick.major.width": 0.6,
    "xtick.major.pad": 2.5,
    "ytick.major.pad": 3.0,
    "legend.fontsize": TEXT_SIZE,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.4,
    "legend.labelspacing": 0.35,
    "legend.borderpad": 0.1,
    "legend.borderaxespad": 0.2,
    "lines.scale_dashes": True,
    "hatch.linewidth": 0.5,
    "path.simplify": True,
    "path.simplify_threshold": 0.05,
    "agg.path.chunksize": 0,
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "svg.fonttype": "path",
    "svg.hashsalt": "windtunnel",
    "savefig.bbox": None,
    "savefig.facecolor": "white",
}


_NOTEBOOK_DPI = 150


class CampaignFigure(Figure):
    """A figure that knows its campaign, the command that draws it, and notes for its reader."""

    campaign_id: str
    command: str
    notes: list[str]

    def __init__(self, campaign_id: str, request: PlotRequest, height: float) -> None:
        """``height`` in inches, unless the request has one."""
        size = request.width_inches, request.height or height
        super().__init__(figsize=size, dpi=request.dpi, layout="constrained", facecolor="white")
        FigureCanvasAgg(self)
        engine = self.get_layout_engine()
        assert engine is not None
        engine.set(w_pad=0.03, h_pad=0.03, wspace=0.04, hspace=0.05)  # type: ignore[call-arg]
        self.campaign_id = campaign_id
        self.command = command(campaign_id, request)
        self.notes = []
        self._steps: list[Callable[[], None]] = []

    def savefig(self, fname: Any, *, transparent: bool | None = None, **options: Any) -> None:
        """Save as matplotlib does, with the figure's own fonts and embedding."""
        with style():
            super().savefig(fname, transparent=transparent, **options)

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        png = io.BytesIO()
        self.savefig(png, format="png", dpi=_NOTEBOOK_DPI)
        return png.getvalue()

    def after_layout(self, step: Callable[[], None]) -> None:
        """Call a step once the sizes of the axes are known."""
        self._steps.append(step)

    def finish(self) -> None:
        """Lay out, and place what depends on it. Raises InvalidRequestError without room."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.draw_without_rendering()
            for step in self._steps:
                step()
        self._steps.clear()
        texts = [str(warning.message) for warning in caught]
        if any("constrained_layout not applied" in text for text in texts):
            width, height = self.get_size_inches()
            message = f"{width:g} x {height:g} in is too small for the figure's labels"
            invalid("height", f"{message}; use a larger height or width, or fewer panels")
        if any(_MISSING_GLYPH.match(text) for text in texts):
            self.notes.append("the fonts lack some letters of the labels: they are drawn as boxes")


@contextmanager
def style() -> Iterator[None]:
    """Figures inside have the style of a paper, whatever the user's matplotlibrc says."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        installed = set(font_manager.get_font_names())
        mpl.rcParams["font.family"] = [font for font in _FONTS if font in installed]
        mpl.rcParams["font.size"] = TEXT_SIZE
        yield


def write(figure: Figure, path: str | Path) -> None:
    """Write a figure in the format of the suffix; the same figure gives the same bytes.

    The file is complete or not there, see `replacing`; its metadata have the campaign's id and the
    command. Raises InvalidRequestError for another format, OSError if the file can't be written.
    """
    file_format = check_format(path)
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", _MISSING_GLYPH.pattern)  # a note says it
        content = io.BytesIO()
        figure.savefig(content, format=file_format, metadata=_metadata(figure, file_format))
    with replacing(path) as file:
        file.write(content.getvalue())


def axis_size(axes: Axes) -> tuple[float, float]:
    """Width and height of the axes in points, after the layout."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    box = axes.get_window_extent()
    return box.width * 72 / figure.dpi, box.height * 72 / figure.dpi


def set_ticks(axes: Axes, which: str, ticks: Sequence[Tick]) -> None:
    """Exactly these ticks, without minor ones."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks([tick.value for tick in ticks])
    axis.set_ticklabels([tick.label for tick in ticks])
    axis.set_ticks([], minor=True)


def set_scale(axes: Axes, which: str, ends: Ends, log: bool) -> None:
    """A linear or logarithmic axis with these ends."""
    if which == "x":
        axes.set_xscale("log" if log else "linear")
        axes.set_xlim(*ends)
    else:
        axes.set_yscale("log" if log else "linear")
        axes.set_ylim(*ends)


def wrapped(text: str, points: float, size: float = TITLE_SIZE) -> str:
    """The text on as many lines as it needs in this length, its unit kept whole."""
    words = text.split(" ")
    if "(" in text and words[-1].endswith(")"):  # `(Mb/s)` may have blanks inside
        head, _, unit = text.rpartition(" (")
        words = [*head.split(" "), f"({unit}"]
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and len(longer) * size * 0.52 <= points:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def _metadata(figure: Figure, file_format: str) -> dict[str, Any]:
    """Without a date, so that equal figures are equal files."""
    campaign = getattr(figure, "campaign_id", "")
    text = getattr(figure, "command", "")
    title = f"campaign {campaign}" if campaign else "figure"
    if file_format == "pdf":
        return {"Title": title, "Subject": text, "Creator": "windtunnel", "CreationDate": None}
    if file_format == "svg":
        return {"Title": title, "Description": text, "Creator": "windtunnel", "Date": None}
    return {"Title": title, "Description": text, "Software": "windtunnel"}
