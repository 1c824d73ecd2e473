"""Text and tables for the command line. Plain text if the output is not a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Table
from rich.text import Text

_PLAIN_WIDTH = 200


def consoles() -> tuple[Console, Console]:
    """Consoles for stdout and stderr. Output to a file or pipe has a fixed, large width."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out = Console(highlight=False, width=_PLAIN_WIDTH, no_color=True)
    return out, Console(stderr=True, highlight=False, soft_wrap=True)


def duration(seconds: float) -> str:
    """Format a duration: ``1 min 10 s``, ``12 s``, ``2 h 5 min``."""
    rounded = max(0, round(seconds))
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60} s"
    return f"{rounded // 3600} h {rounded % 3600 // 60} min"


def number(value: float, resolution: float | None = None) -> str:
    """Format a number with its significant digits, given the half-width of its interval."""
    if not resolution and value == round(value):
        return f"{value:,.0f}"
    scale = abs(resolution) if resolution else abs(value)
    digits = 2 if resolution else 4
    decimals = digits - 1 - _exponent(scale)
    return f"{value:,.{max(0, decimals)}f}"


def amount(value: float) -> str:
    """Format a count: ``1.9 M``."""
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= factor:
            return f"{value / factor:.1f} {unit}"
    return f"{value:.0f}"


def estimate(metric: Mapping[str, Any], planned: int, short: bool = False) -> str:
    """Format mean and half-width of the 95 % interval: ``12.4 ± 0.6``.

    Adds ``(n = 2)`` if seeds are missing. A value that is the same for every seed becomes
    ``0 in all 3 seeds``, or ``0 in all 3`` if ``short``.
    """
    values = len(metric["values"])
    sample_size = f" (n = {values})" if 0 < values < planned else ""
    if metric["estimate"] is None:
        return "n = 0"
    mean, half = metric["estimate"]["mean"], metric["estimate"]["half_width"]
    if half is None:
        return number(mean) + sample_size
    if half == 0:
        seeds = f"all {values}" if values == planned else f"{values} of {planned}"
        return f"{number(mean)} in {seeds}" + ("" if short else " seeds")
    return f"{number(mean, half)} ± {number(half, half)}{sample_size}"


def difference(metric: Mapping[str, Any]) -> str:
    """Format the difference to the baseline: ``-60.1 % ± 3.0``, or absolute if not available."""
    change = metric["against_baseline"]
    if change is None:
        return ""
    if change["relative_mean"] is None:
        mean, half = change["mean"], change["half_width"]
        return f"{number(mean, half)} ± {number(half, half)}" if half else number(mean)
    text = f"{100 * change['relative_mean']:+.1f} %"
    half = change["relative_half_width"]
    return text if half is None else f"{text} ± {100 * half:.1f}"


def builds(simulators: Sequence[Mapping[str, Any]]) -> str:
    """Comma-separated simulator builds: ``ns3 2cbfa375 (built today 14:03)``."""
    return ", ".join(
        f"{build['name']} {build['digest'][:8]}{_build_time(build.get('built_at'))}"
        for build in simulators
    )


def _build_time(built_at: str | None) -> str:
    if not built_at:
        return ""
    time = datetime.fromisoformat(built_at).astimezone()
    day = "today" if time.date() == datetime.now().astimezone().date() else f"{time:%Y-%m-%d}"
    return f" (built {day} {time:%H:%M})"


def comparison_table(comparison: Mapping[str, Any], console: Console) -> Table:
    """A row per cell and a column per metric, plus differences to the baseline if they fit."""
    unbounded = console.options.update(max_width=10_000)
    layouts = [(bool(comparison["baseline"]), False), (False, False), (False, True)]
    for differences, short in layouts:
        table = _comparison_table(comparison, differences, short)
        if console.measure(table, options=unbounded).maximum <= console.width:
            break
    return table


def _comparison_table(comparison: Mapping[str, Any], differences: bool, short: bool) -> Table:
    metrics = comparison["metrics"]
    axes = comparison["axes"]
    baseline = " ".join(comparison["baseline"].values())
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="bold")
    for axis in axes:
        table.add_column(Text(axis.rsplit(".", 1)[-1]), no_wrap=True, vertical="bottom")
    for metric in metrics:
        table.add_column(_two_lines(title(metric)), justify="right", no_wrap=True)
        if differences:
            table.add_column(Text(f"vs\n{baseline}"), justify="right", style="dim", no_wrap=True)
    for cell in comparison["cells"]:
        row = [cell["coordinates"][axis] for axis in axes]
        for metric in metrics:
            value = cell["metrics"][metric["name"]]
            row.append(estimate(value, cell["planned"], short))
            if differences:
                row.append("baseline" if cell["is_baseline"] else difference(value))
        style = "bold" if cell["is_baseline"] else None
        table.add_row(*(Text(text) for text in row), style=style)
    return table


def _two_lines(text: str) -> str:
    """Break a title before its last word and unit, for narrow columns."""
    words = text.split(" ")
    last = 2 if words[-1].startswith("(") else 1
    return " ".join(words[:-last]) + "\n" + " ".join(words[-last:])


def title(metric: Mapping[str, Any]) -> str:
    """A metric's title with its unit: ``packet delay p99 (ms)``."""
    unit = f" ({metric['unit']})" if metric["unit"] not in ("", "packets") else ""
    return f"{metric['title']}{unit}"


def runs_text(campaign: Mapping[str, Any]) -> str:
    """Progress of a campaign: ``18/24 runs   176/240 s simulated``."""
    runs = campaign["runs"]
    ended = runs["succeeded"] + runs["failed"] + runs["cancelled"]
    simulated, planned = campaign["simulated_ns"] / 1e9, campaign["planned_ns"] / 1e9
    failed = f"   {runs['failed']} failed" if runs["failed"] else ""
    return (
        f"{ended}/{campaign['total_runs']} runs{failed}   {simulated:.0f}/{planned:.0f} s simulated"
    )


class _TimeLeft(ProgressColumn):
    def render(self, task: Task) -> Text:
        seconds = task.time_remaining
        return Text("" if seconds is None else f"{duration(seconds)} left", style="cyan")


def progress_bar(console: Console) -> Progress:
    """A progress bar over simulated time, with run count, events per second and time left."""
    return Progress(
        BarColumn(bar_width=40),
        TextColumn("{task.fields[runs]}"),
        TextColumn("{task.fields[speed]}"),
        _TimeLeft(),
        console=console,
        speed_estimate_period=30,
    )


def plain_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table without borders; the last column takes the remaining width."""
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="bold")
    for index, header in enumerate(headers):
        table.add_column(header, no_wrap=index < len(headers) - 1)
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    return table


def _exponent(value: float) -> int:
    return int(f"{value:e}".split("e")[1])
