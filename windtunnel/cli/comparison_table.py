"""A comparison as text that fits the terminal. No number and no axis is ever cut off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.cli.coexistence_table import print_coexistence
from windtunnel.cli.render import fits, print_message
from windtunnel.texts import axis_titles, difference, estimate, title


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

_STYLES = defaultdict(
    lambda: "dim", better="green", worse="red", higher="cyan", lower="cyan", equivalent="blue"
)


def print_comparison(comparison: Mapping[str, Any], console: Console) -> None:
    """Print the figures, the notes below them, and what the layout leaves out."""
    notes = list(comparison["notes"])
    if not any(cell["finished"] for cell in comparison["cells"]):
        console.print("no run has succeeded, so there is nothing to compare")
        _print_notes(notes, console)
        return
    for layout in _layouts(comparison):
        tables = _tables(comparison, layout)
        if all(fits(table, console) for table in tables):
            for index, table in enumerate(tables):
                if index:
                    console.print()
                console.print(table)
            if _has_reference(comparison) and not layout.differences:
                notes.append(_left_out(comparison, console))
            break
    else:
        for text in _records(comparison):
            console.print(text)
    _print_notes(notes, console)
    for coexistence in comparison["coexistence"]:
        print_coexistence(coexistence, console)
    for sentence in comparison["summary"]:
        print_message(console, sentence)


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for note in notes:
        console.print(note, style="dim", markup=False)


def _layouts(comparison: Mapping[str, Any]) -> list[_Layout]:
    if comparison.get("against"):  # differences are all that it is about
        return sorted(_LAYOUTS, key=lambda layout: not layout.differences)
    has_baseline = _has_reference(comparison)
    return [layout for layout in _LAYOUTS if has_baseline or not layout.differences]


def _has_reference(comparison: Mapping[str, Any]) -> bool:
    """Whether cells are compared with others: their baselines, or another campaign's cells."""
    return bool(comparison["baseline"] or comparison.get("against"))


def _left_out(comparison: Mapping[str, Any], console: Console) -> str:
    place = "terminal" if console.is_terminal else "output"
    return (
        f"differences to {_baseline(comparison)} left out: the {place} has {console.width} "
        "columns; --json or a wider terminal shows them"
    )


def _tables(comparison: Mapping[str, Any], layout: _Layout) -> list[Table]:
    metrics = comparison["metrics"]
    groups = [[metric] for metric in metrics] if layout.stacked else [metrics]
    return [_table(comparison, group, layout) for group in groups]


def _table(
    comparison: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]], layout: _Layout
) -> Table:
    axes = comparison["axes"]
    ranks = _ranks(comparison, metrics[0]["name"])
    labels = {metric["name"]: _label_width(comparison, metric["name"]) for metric in metrics}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 1), header_style="bold")
    if ranks:
        table.add_column("", justify="right", style="dim", no_wrap=True)
    for axis in axis_titles(axes):
        table.add_column(Text(axis), no_wrap=True, vertical="bottom")
    for metric in metrics:
        table.add_column(Text(_two_lines(title(metric))), justify="right", no_wrap=True)
        if layout.differences:
            heading = Text(f"vs\n{_baseline(comparison)}")
            table.add_column(heading, justify="right", style="dim", no_wrap=True)
    for cell in _by_rank(comparison, ranks):
        row = [Text(ranks.get(cell["index"], ""))] if ranks else []
        row += [Text(cell["coordinates"][axis]) for axis in axes]
        for metric in metrics:
            value = cell["metrics"][metric["name"]]
            texts = [Text(estimate(value, cell["planned"], layout.short))]
            if layout.differences:
                texts.append(Text("" if cell["is_baseline"] else difference(value)))
            if labels.get(metric["name"]):
                texts[-1].append(_padded(_verdict(cell, value), labels[metric["name"]]))
            row += texts
        table.add_row(*row, style="bold" if cell["is_baseline"] else None)
    return table


def _ranks(comparison: Mapping[str, Any], metric: str) -> dict[int, str]:
    """Ranks in a metric by cell, best first, setting by setting: ``2=`` is shared."""
    ranks: dict[int, str] = {}
    for ranking in comparison["rankings"]:
        if ranking["metric"] == metric:
            for place in ranking["places"]:
                ranks[place["cell"]] = f"{place['rank']}{'=' if place['tied'] else ' '}"
            ranks |= dict.fromkeys(ranking["unranked"], "")
    return ranks


def _by_rank(
    comparison: Mapping[str, Any], ranks: Mapping[int, str]
) -> Sequence[Mapping[str, Any]]:
    order = {index: position for position, index in enumerate(ranks)}
    return sorted(comparison["cells"], key=lambda cell: order.get(cell["index"], len(order)))


def _label_width(comparison: Mapping[str, Any], metric: str) -> int:
    """Characters of the longest verdict on a metric; 0 if it is outside the family."""
    if not comparison["family"]["size"] or metric not in comparison["family"]["metrics"]:
        return 0
    return max(len(_verdict(cell, cell["metrics"][metric])) for cell in comparison["cells"])


def _padded(label: Text, width: int) -> Text:
    return Text("  ").append(label).append(" " * (width - len(label)))


def _verdict(cell: Mapping[str, Any], value: Mapping[str, Any]) -> Text:
    if cell["is_baseline"]:
        return Text("baseline")
    verdict = value["verdict"]
    return Text("") if verdict is None else Text(verdict["label"], style=_STYLES[verdict["label"]])


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
                line += f": {value['verdict']['label']}" if value["verdict"] else ""
            yield Text(line, overflow="fold")


def _baseline(comparison: Mapping[str, Any]) -> str:
    """The baseline's labels in the order of the axes: ``cubic, 100p``.

    With their axes if they leave open which is meant: ``groups[0].algorithm cubic`` where
    another axis has that label too. The id of the campaign that takes the baseline's place.
    """
    if against := comparison.get("against"):
        campaign: str = against["campaign"]
        return campaign
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
