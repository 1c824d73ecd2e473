"""Which cells of a comparison a figure shows, and how they are grouped into panels and lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import quoted
from windtunnel.plot.axes import Axis, axes_of, find_axis, shortened, shown_title
from windtunnel.plot.request import PlotRequest, invalid
from windtunnel.plot.scales import Estimate
from windtunnel.suggestions import nearest

Cell = Mapping[str, Any]
NONE = "none"
_MOST_FACETS = 6
_WIDE = 8  # ratio of largest to least from which an axis is logarithmic


@dataclass(frozen=True)
class Group:
    """Cells of one line. ``name`` gives its hue and marker."""

    label: str
    name: str
    baseline: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Panel:
    """The cells of one label of the facet axis, or all of them. ``chosen`` are labels by axis."""

    title: str
    cells: tuple[Cell, ...]
    chosen: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Selection:
    """``axes`` are the campaign's with the labels of these cells; ``by`` tell lines apart."""

    axes: Sequence[Axis]
    cells: tuple[Cell, ...]
    chosen: Mapping[str, Sequence[str]]
    x: Axis | None
    facet: Axis | None
    by: Sequence[Axis]

    def panels(self) -> list[Panel]:
        """One for each label of the facet axis that has cells."""
        facet = self.facet
        if facet is None:
            return [Panel("", self.cells, self.chosen)]
        panels = []
        for label in facet.labels:
            cells = tuple(cell for cell in self.cells if cell["coordinates"][facet.name] == label)
            text = shortened(facet.labels)[label]
            title = text if facet.is_algorithm else f"{shown_title(facet.title)} {text}"
            if cells:
                panels.append(Panel(title, cells, {**self.chosen, facet.name: [label]}))
        return panels

    def groups(self, cells: Iterable[Cell]) -> list[Group]:
        """Cells with the same labels on the ``by`` axes, in order of appearance."""
        grouped: dict[str, list[Cell]] = {}
        for cell in cells:
            grouped.setdefault(joined_labels(cell, self.by), []).append(cell)
        return [
            Group(
                self._shown(members[0]) if label else self._only_name(),
                self._name_of(members[0], label),
                any(cell["is_baseline"] for cell in members),
                tuple(members),
            )
            for label, members in grouped.items()
        ]

    def place(self, cell: Cell) -> float:
        """The cell's number on the x axis."""
        assert self.x is not None
        assert self.x.numbers is not None
        return self.x.numbers[cell["coordinates"][self.x.name]]

    def _shown(self, cell: Cell) -> str:
        parts = [(axis, cell["coordinates"][axis.name]) for axis in self.by]
        return " / ".join(shortened(axis.labels).get(label, label) for axis, label in parts)

    def _only_name(self) -> str:
        """Of a line that nothing tells from others: the algorithm, if all cells have the same."""
        names = {self._name_of(cell, "") for cell in self.cells}
        return names.pop() if len(names) == 1 else "all cells"

    def _name_of(self, cell: Cell, label: str) -> str:
        """The algorithm, where there is one axis of algorithms that lines or panels differ in."""
        algorithms = [axis for axis in self.axes if axis.is_algorithm]
        if len(algorithms) == 1 and (algorithms[0] in self.by or not label):
            return str(cell["coordinates"][algorithms[0].name])
        return label or "all cells"


def select(
    comparison: Mapping[str, Any],
    request: PlotRequest,
    x: Axis | None,
    mixed: bool = False,
    paths: bool = False,
) -> Selection:
    """The cells asked for. Raises InvalidRequestError for unknown axes or labels.

    Also where cells that differ in another axis would share a line, unless ``mixed``. With
    ``paths`` the cells of a line may differ in the default x axis.
    """
    chosen = chosen_labels(comparison, request)
    cells = tuple(cell for cell in comparison["cells"] if _fits(cell, chosen))
    if not cells:
        invalid("where", f"no cell has {' and '.join(request.where)}")
    axes = axes_of(comparison["axes"], cells)
    varying = [axis for axis in axes if axis != x and len(_labels(cells, axis)) > 1]
    by = [find_axis("by", name, axes) for name in request.by]
    along = default_x(axes) if paths else None
    free = [] if mixed else [axis for axis in varying if axis != along]
    facet = _facet(request, axes, free, by)
    for name, axis in (("by", x), ("facet", x), ("by", facet)):
        if axis in by if name == "by" else axis is not None and axis == facet:
            assert axis is not None
            invalid(name, f"{axis.title} has two places in the figure; name another axis")
    if not request.by:
        by = [axis for axis in varying if axis not in (facet, along)]
    others = [axis for axis in varying if axis not in by and axis not in (facet, along)]
    if others and not mixed:
        axis = others[0]
        labels = _labels(cells, axis)
        message = f"{axis.title} has {len(labels)} values in the chosen cells ({_some(labels)})"
        invalid(
            "by",
            f"{message}: choose one with --where {axis.title}={labels[0]}, or add --by "
            f"{axis.title} or --facet {axis.title}",
        )
    return Selection(axes, cells, chosen, x, facet, by)


def chosen_labels(comparison: Mapping[str, Any], request: PlotRequest) -> dict[str, list[str]]:
    """The labels that the filters leave, by axis. Raises InvalidRequestError for unknown ones."""
    return _chosen(request.where, axes_of(comparison["axes"], comparison["cells"]))


def default_x(axes: Iterable[Axis]) -> Axis | None:
    """The numeric axis with most labels, if it has three or more."""
    numeric = [
        axis for axis in axes if axis.numbers and len(axis.labels) > 2 and not axis.is_algorithm
    ]
    return max(numeric, key=lambda axis: len(axis.labels), default=None)


def remaining_axes(comparison: Mapping[str, Any], request: PlotRequest) -> list[Axis]:
    """The axes with their labels in the cells that the request's filters leave."""
    chosen = chosen_labels(comparison, request)
    cells = [cell for cell in comparison["cells"] if _fits(cell, chosen)]
    return axes_of(comparison["axes"], cells)


def is_log(axis: Axis, request: PlotRequest) -> bool:
    """Whether an x axis of numbers is logarithmic: asked for, or spread over a factor of 8.

    Raises InvalidRequestError if it is asked for and a value has no logarithm.
    """
    values = list((axis.numbers or {}).values())
    if "x" in request.log:
        bad = next((label for label, value in (axis.numbers or {}).items() if value <= 0), None)
        if bad is not None:
            message = f"{axis.title} has the value {bad}, which a log axis cannot show"
            invalid("log", f"{message}: leave it out with --where, or use --linear x")
        return True
    wide = len(values) > 2 and min(values) > 0 and max(values) / min(values) >= _WIDE
    return wide and "x" not in request.linear


def check_log_y(estimates: Iterable[Estimate], metric: str) -> None:
    """Raise InvalidRequestError if a mean has no logarithm."""
    known = list(estimates)
    bad = [one.mean for one in known if one.mean <= 0]
    if bad:
        message = f"{metric} is {min(bad):g} in {len(bad)} of {len(known)} cells"
        invalid("log", f"{message}, which a log axis cannot show: use a linear y axis, or --where")


def estimate(cell: Cell, metric: str) -> Estimate | None:
    """The mean and the 95 % interval of a cell's metric, as the server gives them."""
    known = cell["metrics"].get(metric)
    if known is None or known["estimate"] is None:
        return None
    content = known["estimate"]
    low, high = content["ci95"] or (content["mean"], content["mean"])
    return Estimate(content["mean"], low, high, content["n"])


def is_non_negative(cells: Iterable[Cell], metric: str) -> bool:
    """Whether no seed has a negative value: then the value axis begins at 0."""
    return all(
        value >= 0
        for cell in cells
        for value in cell["metrics"].get(metric, {"values": {}})["values"].values()
    )


def joined_labels(cell: Cell, axes: Iterable[Axis]) -> str:
    """``vegas / 0.3``."""
    return " / ".join(cell["coordinates"][axis.name] for axis in axes)


def _chosen(where: Iterable[str], axes: Sequence[Axis]) -> dict[str, list[str]]:
    """Labels by axis; several of one axis are alternatives."""
    chosen: dict[str, list[str]] = {}
    for entry in where:
        name, equals, text = entry.partition("=")
        if not equals:
            invalid("where", f"{quoted(entry)} is not a filter; use AXIS=LABEL, such as servers=32")
        axis = find_axis("where", name, axes)
        label = axis.label_of(text)
        if label is None:
            close = "" if axis.numbers else nearest(text, axis.labels)
            hint = close or f"; labels: {_some(axis.labels)}"
            invalid("where", f"{quoted(text)} is not a label of {axis.title}{hint}")
        chosen.setdefault(axis.name, []).append(label)
    return chosen


def _fits(cell: Cell, chosen: Mapping[str, Sequence[str]]) -> bool:
    return all(cell["coordinates"].get(axis) in labels for axis, labels in chosen.items())


def _labels(cells: Iterable[Cell], axis: Axis) -> list[str]:
    return list(dict.fromkeys(cell["coordinates"][axis.name] for cell in cells))


def _facet(
    request: PlotRequest, axes: Sequence[Axis], varying: Sequence[Axis], by: Sequence[Axis]
) -> Axis | None:
    """The axis asked for; by default one with few labels, where two would remain beside x."""
    if request.facet == NONE:
        return None
    if request.facet is not None:
        return find_axis("facet", request.facet, axes)
    rest = [axis for axis in varying if axis not in by]
    if len(varying) < 2 or (by and not rest):
        return None
    few = (axis for axis in rest if not axis.is_algorithm and len(axis.labels) <= _MOST_FACETS)
    return next(few, None)


def _some(labels: Sequence[str], most: int = 12) -> str:
    more = ", ..." if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
