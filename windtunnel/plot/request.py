"""What a figure shows and how large it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, get_args

from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.suggestions import nearest

Kind = Literal["line", "dots", "bars", "cdf", "series", "heatmap", "scatter", "sensitivity"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FORMATS = ("pdf", "svg", "png")
# One and two columns of a paper with two columns (ACM, USENIX), in inches.
WIDTHS = {"column": 3.33, "page": 7.0}
_INCHES = (1.0, 40.0)
_DPI = (50, 2400)


def invalid(path: str, message: str) -> NoReturn:
    """Raise an InvalidRequestError about one field of the request."""
    raise InvalidRequestError([Problem(path, message)])


@dataclass(frozen=True)
class PlotRequest:
    """A figure of a campaign. What is not given is chosen from the data.

    ``x``, ``by`` and ``facet`` name axes by their name or its unambiguous end; the ``x`` of a CDF
    is a field of flow records, that of a scatter a metric. ``y`` are metrics. ``where`` are filters
    such as ``servers=32``. ``log`` and ``linear`` have ``x`` and ``y``. ``run``, or ``cell`` (or
    ``where``) and ``seed``, choose the run whose ``series`` are shown, from ``start`` to ``end`` in
    seconds. ``height`` is in inches.
    """

    kind: Kind | None = None
    x: str | None = None
    y: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    facet: str | None = None
    where: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    linear: tuple[str, ...] = ()
    cell: int | None = None
    seed: int | None = None
    run: str | None = None
    series: tuple[str, ...] = ()
    start: float | None = None
    end: float | None = None
    width: str | float = "column"
    height: float | None = None
    title: str | None = None
    x_title: str | None = None
    y_title: str | None = None
    dpi: int = 300

    def __post_init__(self) -> None:
        """Raises InvalidRequestError for values that no figure can have."""
        if self.kind is not None and self.kind not in KINDS:
            hint = nearest(self.kind, KINDS) or f"; kinds: {', '.join(KINDS)}"
            invalid("kind", f"{quoted(self.kind)} is not a kind of figure{hint}")
        for name, values in (("log", self.log), ("linear", self.linear)):
            for value in values:
                if value not in ("x", "y"):
                    invalid(name, f"{quoted(value)} is not an axis of a figure; use x or y")
        both = sorted(set(self.log) & set(self.linear))
        if both:
            invalid("linear", f"the {both[0]} axis cannot be both log and linear")
        low, high = _DPI
        if not low <= self.dpi <= high:
            invalid("dpi", f"{self.dpi} is out of range; use {low} to {high}")
        if self.height is not None:
            _inches("height", self.height)
        if self.start is not None and self.end is not None and self.start >= self.end:
            invalid("start", f"{self.start:g} s is not before the end, {self.end:g} s")
        _ = self.width_inches

    @property
    def width_inches(self) -> float:
        """The figure's width. Raises InvalidRequestError."""
        if self.width in WIDTHS:
            return WIDTHS[str(self.width)]
        try:
            return _inches("width", float(self.width))
        except ValueError:
            message = f"{quoted(self.width)} is not a width; use column, page or inches such as 5.5"
            invalid("width", message)


def check_format(path: str | Path) -> str:
    """The format of a file by its suffix. Raises InvalidRequestError for one that is not drawn."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        name = quoted(f".{suffix}") if suffix else "a name without a suffix"
        invalid("output", f"{name} is not a format of figures; use .pdf, .svg or .png: {path}")
    return suffix


def _inches(path: str, value: float) -> float:
    low, high = _INCHES
    if not math.isfinite(value) or not low <= value <= high:
        invalid(path, f"{value:g} in is out of range; use {low:g} to {high:g} inches")
    return value
