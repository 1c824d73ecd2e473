"""Figures for papers, drawn by matplotlib from the REST API's JSON."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.errors import UnavailableError
from windtunnel.plot.command import command
from windtunnel.plot.request import FORMATS, KINDS, Kind, PlotRequest, check_format
from windtunnel.plot.source import Get

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "FORMATS",
    "KINDS",
    "Kind",
    "PlotRequest",
    "check_format",
    "check_installed",
    "command",
    "draw",
    "notes_of",
    "save",
]


def draw(get: Get, campaign_id: str, request: PlotRequest | None = None) -> Figure:
    """Draw a figure of a campaign; ``get`` sends a GET request and returns its JSON.

    Raises InvalidRequestError for names that the campaign does not have, ConflictError before any
    run has finished, UnavailableError without matplotlib, and what ``get`` raises.
    """
    check_installed()
    from windtunnel.plot.drawing import draw_figure

    return draw_figure(get, campaign_id, request or PlotRequest())


def save(figure: Figure, path: str | Path) -> None:
    """Save a figure as PDF, SVG or PNG, by the suffix; equal figures give equal bytes.

    Raises InvalidRequestError for another suffix, OSError if the file can't be written.
    """
    check_format(path)
    from windtunnel.plot.canvas import write

    write(figure, path)


def notes_of(figure: Figure) -> list[str]:
    """What a reader has to know: runs that are missing, cells without a value."""
    return list(getattr(figure, "notes", []))


def check_installed() -> None:
    """Raise UnavailableError unless matplotlib is installed."""
    if importlib.util.find_spec("matplotlib") is None:
        message = "figures need matplotlib, which is not installed"
        raise UnavailableError(f"{message}; install it with: pip install 'windtunnel[plot]'")
