"""What the labels of a campaign's axes are: names, or numbers with a unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from windtunnel.errors import quoted
from windtunnel.plot.algorithms import split_name, table
from windtunnel.plot.request import invalid
from windtunnel.quantities import BDPS, BYTES, PACKETS, RATE, TIME
from windtunnel.suggestions import nearest

_UNITS: Mapping[str, tuple[str, float]] = {
    "": ("", 1),
    "%": ("%", 1),
    **{
        unit: (dimension.name, factor)
        for dimension in (RATE, TIME, BYTES, PACKETS, BDPS)
        for unit, factor in dimension.units.items()
    },
}
_SHOWN = {
    "p": "packets",
    "Mbps": "Mb/s",
    "Gbps": "Gb/s",
    "Tbps": "Tb/s",
    "kbps": "kb/s",
    "bps": "b/s",
    "us": "µs",
    "bdp": "BDP",
}
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z%]*)", re.ASCII)


_LONGEST = 28  # characters of a label that is shown as it is


@dataclass(frozen=True)
class Axis:
    """An axis of a campaign.

    ``title`` is the shortest end of the name that tells it from the others, ``labels`` are in order
    of appearance, ``numbers`` are those of the labels in ``unit``, or None if they are names.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    numbers: Mapping[str, float] | None
    unit: str

    @property
    def is_algorithm(self) -> bool:
        """Whether the labels are algorithms: by the axis' name, or because all are known."""
        if self.name == "algorithm" or self.name.endswith(".algorithm"):
            return True
        return bool(self.labels) and all(
            split_name(label)[0] in table()["kinds"] for label in self.labels
        )

    def label_of(self, text: str) -> str | None:
        """The label that a text means: ``1.0`` is the label ``1`` of an axis of numbers."""
        if text in self.labels:
            return text
        asked = parse_quantity(text)
        known = {label: parse_quantity(label) for label in self.labels}
        return next((label for label, one in known.items() if one and one == asked), None)


def parse_quantity(text: str) -> tuple[float, str] | None:
    """``128KiB`` as a number and its unit; None for anything else."""
    match = _QUANTITY.fullmatch(text.strip())
    return (float(match[1]), match[2]) if match and match[2] in _UNITS else None


def axes_of(names: Sequence[str], cells: Iterable[Mapping[str, Any]]) -> list[Axis]:
    """The axes of cells of a comparison."""
    places = [cell["coordinates"] for cell in cells]
    titles = _titles(names)
    axes = []
    for name, title in zip(names, titles, strict=True):
        labels = tuple(dict.fromkeys(place[name] for place in places if name in place))
        numbers, unit = _numbers_of(labels) or (None, "")
        axes.append(Axis(name, title, labels, numbers, unit))
    return axes


def find_axis(field: str, name: str, axes: Sequence[Axis]) -> Axis:
    """The axis of this name, or whose name ends with it; ``algorithm`` is the axis of algorithms.

    Raises InvalidRequestError with the axes that there are.
    """
    exact = [axis for axis in axes if axis.name == name]
    ending = exact or [axis for axis in axes if axis.name.endswith(f".{name}")]
    matching = ending or [axis for axis in axes if name == "algorithm" and axis.is_algorithm]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(axis.title for axis in matching)
        invalid(field, f"{quoted(name)} is ambiguous: {names}")
    known = [axis.title for axis in axes]
    listed = f"its axes: {', '.join(axis.name for axis in axes)}" if axes else "it has no sweep"
    hint = nearest(name, known) or nearest(name, [axis.name for axis in axes])
    return invalid(field, f"{quoted(name)} is not an axis of this campaign{hint or f'; {listed}'}")


@cache
def shortened(labels: tuple[str, ...]) -> dict[str, str]:
    """Labels as a figure shows them: long ones without their middle, different ones distinct."""
    shown: dict[str, str] = {}
    for label in labels:
        text = label
        if len(label) > _LONGEST:
            text = f"{label[: _LONGEST // 2]}…{label[1 - _LONGEST // 2 :]}"
        number = 2
        base = text
        while text in shown.values():
            text = f"{base} ({number})"
            number += 1
        shown[label] = text
    return shown


def shown_title(name: str) -> str:
    """A name as a figure shows it: ``queue limit`` of ``queue_limit``."""
    return name.replace("_", " ")


def shown_unit(unit: str) -> str:
    """A unit as a figure shows it; none for shares."""
    return "" if unit == "1" else _SHOWN.get(unit, unit)


def with_unit(title: str, unit: str) -> str:
    """``Goodput (Mb/s)``: an axis' title, which begins with a capital where that is no symbol."""
    first = title.split(" ", 1)[0]
    is_word = first.isalpha() and first.islower() and any(vowel in first for vowel in "aeiou")
    text = title[:1].upper() + title[1:] if is_word else title
    return f"{text} ({shown_unit(unit)})" if shown_unit(unit) else text


def _numbers_of(labels: Sequence[str]) -> tuple[dict[str, float], str] | None:
    """The labels' numbers in one unit, the first one's. None unless all are of one dimension."""
    parsed = [parse_quantity(label) for label in labels]
    first = next((one for one in parsed if one and one[0] != 0 and one[1]), None)
    first = first or (parsed[0] if parsed else None)
    if first is None:
        return None
    dimension, factor = _UNITS[first[1]]
    numbers = {}
    for label, quantity in zip(labels, parsed, strict=True):
        if quantity is None:
            return None
        value, unit = quantity
        its_dimension, its_factor = _UNITS[unit]
        if its_dimension != dimension and (value != 0 or unit):
            return None
        same = unit == first[1]
        numbers[label] = value if same else float(f"{value * its_factor / factor:.12g}")
    return numbers, first[1]


def _titles(names: Sequence[str]) -> list[str]:
    """The shortest ends of names that tell them apart."""
    titles = []
    for name in names:
        parts = name.split(".")
        ends = [".".join(parts[-count:]) for count in range(1, len(parts) + 1)]
        others = [other for other in names if other != name]
        unique = (
            end
            for end in ends
            if not any(other == end or other.endswith(f".{end}") for other in others)
        )
        titles.append(next(unique, name))
    return titles
