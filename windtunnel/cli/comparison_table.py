"""A comparison as text that fits the terminal. No number and no axis is ever cut off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.cli.render import axis_titles, difference, estimate, fits, title


@dataclass(frozen=True)
class _Layout:
    """``stacked``: one table per metric. ``short``: ``0 in all 3`` for ``0 in all 3 seeds``."""

    differences: bool
    short: bool
    stacked: bool


# The first that fits is used; differences are left out before the metrics are separated.
_LAYOUTS = (
    _Layout(differences=True, short=False, stacked=False),
    _Layout(differences=False, short=False, stacked=False),
    _Layout(differences=False, short=True, stacked=False),
    _Layout(differences=True, short=False, stacked=True),
    _Layout(differences=False, short=True, stacked=True),
)


def print_comparison(comparison: Mapping[str, Any], console: Console) -> None:
    """Print the figures, the notes below them, and what the layout leaves out."""
    notes = list(comparison["notes"])
    if not any(cell["finished"] for cell in comparison["cells"]):
        console.print("no run has succeeded, so there is nothing to compare")
        _print_notes(notes, console)
        return
    notes += _family(comparison)
    for layout in _layouts(comparison):
        tables = _tables(comparison, layout)
        if all(fits(table, console) for table in tables):
            for index, table in enumerate(tables):
                if index:
                    console.print()
                console.print(table)
            if comparison["baseline"] and not layout.differences:
                notes.append(_left_out(comparison, console))
            break
    else:
        for text in _records(comparison):
            console.print(text)
    _print_notes(notes, console)


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for note in notes:
        console.print(note, style="dim", markup=False)


def _layouts(comparison: Mapping[str, Any]) -> list[_Layout]:
    has_baseline = bool(comparison["baseline"])
    return [layout for layout in _LAYOUTS if has_baseline or not layout.differences]


def _left_out(comparison: Mapping[str, Any], console: Console) -> str:
    place = "terminal" if console.is_terminal else "output"
    return (
        f"differences to {_baseline(comparison)} left out: the {place} has {console.width} "
        "columns; --json or a wider terminal shows them"
    )


def _family(comparison: Mapping[str, Any]) -> Iterator[str]:
    family = comparison.get("family") or {"size": 0}
    if family["size"]:
        comparisons, metrics = family["comparisons"], len(family["metrics"])
        yield (
            f"family: {comparisons} comparison{'s' if comparisons != 1 else ''} x "
            f"{metrics} metric{'s' if metrics != 1 else ''} = {family['size']}"
        )


def _tables(comparison: Mapping[str, Any], layout: _Layout) -> list[Table]:
    metrics = comparison["metrics"]
    groups = [[metric] for metric in metrics] if layout.stacked else [metrics]
    return [_table(comparison, group, layout) for group in groups]


def _table(
    comparison: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]], layout: _Layout
) -> Table:
    axes = comparison["axes"]
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="bold")
    for axis in axis_titles(axes):
        table.add_column(Text(axis), no_wrap=True, vertical="bottom")
    for metric in metrics:
        table.add_column(Text(_two_lines(title(metric))), justify="right", no_wrap=True)
        if layout.differences:
            heading = Text(f"vs\n{_baseline(comparison)}")
            table.add_column(heading, justify="right", style="dim", no_wrap=True)
    for cell in comparison["cells"]:
        row = [cell["coordinates"][axis] for axis in axes]
        for metric in metrics:
            value = cell["metrics"][metric["name"]]
            row.append(estimate(value, cell["planned"], layout.short))
            if layout.differences:
                row.append("baseline" if cell["is_baseline"] else difference(value))
        style = "bold" if cell["is_baseline"] else None
        table.add_row(*(Text(text) for text in row), style=style)
    return table


def _records(comparison: Mapping[str, Any]) -> Iterator[Text]:
    """A cell per paragraph, for terminals that are too narrow for any table."""
    titles = dict(zip(comparison["axes"], axis_titles(comparison["axes"]), strict=True))
    for cell in comparison["cells"]:
        labels = (f"{titles[axis]} {label}" for axis, label in cell["coordinates"].items())
        yield Text(", ".join(labels), style="bold", overflow="fold")
        for metric in comparison["metrics"]:
            value = cell["metrics"][metric["name"]]
            line = f"  {title(metric)}: {estimate(value, cell['planned'])}"
            if cell["is_baseline"]:
                line += ", baseline"
            elif change := difference(value):
                line += f", {change} vs {_baseline(comparison)}"
            yield Text(line, overflow="fold")


def _baseline(comparison: Mapping[str, Any]) -> str:
    """The baseline's labels in the order of the axes: ``cubic, 100p``.

    With their axes if they leave open which is meant: ``groups[0].algorithm cubic`` where
    another axis has that label too.
    """
    axes, baseline = comparison["axes"], comparison["baseline"]
    others = {
        cell["coordinates"][axis]
        for cell in comparison["cells"]
        for axis in axes
        if axis not in baseline
    }
    return ", ".join(
        f"{name} {baseline[axis]}" if baseline[axis] in others else baseline[axis]
        for axis, name in zip(axes, axis_titles(axes), strict=True)
        if axis in baseline
    )


def _two_lines(text: str) -> str:
    """Break a title before its last word and unit, for narrow columns."""
    words = text.split(" ")
    last = 2 if words[-1].startswith("(") else 1
    return " ".join(words[:-last]) + "\n" + " ".join(words[-last:])
