"""Text and tables for the command line. Plain text if the output is not a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Table
from rich.text import Text

from windtunnel.axis_titles import axis_titles as axis_titles
from windtunnel.numbers import number

_PLAIN_WIDTH = 200
_WIDE_BAR = 115  # columns for the bar with all its figures


def consoles() -> tuple[Console, Console]:
    """Consoles for stdout and stderr. Output to a file or pipe has a fixed, large width."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out = Console(highlight=False, width=_PLAIN_WIDTH, no_color=True)
    err = Console(stderr=True, highlight=False)
    if not err.is_terminal:
        err = Console(stderr=True, highlight=False, soft_wrap=True)
    return out, err


def duration(seconds: float) -> str:
    """Format a duration: ``1 min 10 s``, ``12 s``, ``2 h 5 min``."""
    rounded = max(0, round(seconds))
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60} s"
    return f"{rounded // 3600} h {rounded % 3600 // 60} min"


def cpu_time(seconds: float) -> str:
    """As `duration`, in milliseconds below a second."""
    return duration(seconds) if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def counted(count: int, noun: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def grid_size(cells: int, seeds: int, runs: int) -> str:
    """``8 cells x 3 seeds = 24 runs``."""
    return f"{counted(cells, 'cell')} x {counted(seeds, 'seed')} = {counted(runs, 'run')}"


def print_message(console: Console, message: str) -> None:
    """Print a message, on a terminal broken between words.

    An indented line is to be copied, such as a command: it is left to the terminal.
    """
    for line in message.splitlines():
        as_it_is = line.startswith("  ") or not console.is_terminal
        console.print(line, markup=False, soft_wrap=as_it_is)


def amount(value: float) -> str:
    """Format a count: ``1.9 M``."""
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= factor:
            return f"{value / factor:.1f} {unit}"
    return f"{value:.0f}"


def size(value: float) -> str:
    """Format a number of bytes: ``1.9 GiB``."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.0f} B"


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


def fits(table: Table, console: Console) -> bool:
    """Whether a table can be printed without cutting or wrapping anything."""
    unbounded = console.options.update(max_width=10_000)
    return console.measure(table, options=unbounded).maximum <= console.width


def title(metric: Mapping[str, Any]) -> str:
    """A metric's title with its unit: ``packet delay p99 (ms)``."""
    unit = f" ({metric['unit']})" if metric["unit"] not in ("", "packets") else ""
    return f"{metric['title']}{unit}"


def runs_text(campaign: Mapping[str, Any], short: bool = False) -> str:
    """Progress of a campaign: ``18/24 runs   4 cancelled   176/240 s simulated``.

    Cancelled runs are not done. ``short`` omits the simulated time.
    """
    runs = campaign["runs"]
    parts = [f"{runs['succeeded'] + runs['failed']}/{campaign['total_runs']} runs"]
    parts += [f"{runs[state]} {state}" for state in ("failed", "cancelled") if runs[state]]
    if campaign["pruned_runs"]:
        parts.append(f"{campaign['pruned_runs']} pruned")
    if not short:
        simulated, planned = campaign["simulated_ns"] / 1e9, campaign["planned_ns"] / 1e9
        parts.append(f"{simulated:.0f}/{planned:.0f} s simulated")
    return "   ".join(parts)


class ProgressBar:
    """A bar over simulated time, with run count, events per second and time left.

    A narrow terminal gets a shorter bar with fewer figures.
    """

    def __init__(self, console: Console) -> None:
        self._wide = console.width >= _WIDE_BAR
        self._progress = Progress(
            BarColumn(bar_width=_bar_width(console.width)),
            TextColumn("{task.fields[runs]}"),
            *([TextColumn("{task.fields[speed]}")] if self._wide else []),
            _TimeLeft(),
            console=console,
            speed_estimate_period=30,
        )
        self._task = self._progress.add_task("", total=None, runs="", speed="")

    def start(self) -> None:
        self._progress.start()

    def stop(self) -> None:
        """Stop updating and move the cursor below the bar. Idempotent."""
        self._progress.stop()

    def update(self, campaign: Mapping[str, Any], events_per_second: float | None) -> None:
        speed = "" if events_per_second is None else f"{amount(events_per_second)} events/s"
        planned = max(1, campaign["planned_ns"])
        self._progress.update(
            self._task,
            total=planned,
            # Failed and cancelled runs leave simulated time that will never pass.
            completed=planned if campaign["ended"] else campaign["simulated_ns"],
            runs=runs_text(campaign, short=not self._wide),
            speed=speed,
        )


def _bar_width(columns: int) -> int:
    if columns >= _WIDE_BAR:
        return 40
    return 20 if columns >= 80 else 8


class _TimeLeft(ProgressColumn):
    def render(self, task: Task) -> Text:
        seconds = task.time_remaining
        if seconds is None or task.finished:
            return Text()
        return Text(f"{duration(seconds)} left", style="cyan")


def print_status(campaigns: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print a table of campaigns with as many columns as fit, and name those that do not."""
    for columns, short, name_length in _STATUS_LAYOUTS:
        # Without tokens campaigns have no submitter.
        shown = [
            column
            for column in columns
            if column != "by" or any(campaign["submitted_by"] for campaign in campaigns)
        ]
        rows = [_status_row(campaign, shown, short, name_length) for campaign in campaigns]
        table = plain_table(shown, rows)
        if fits(table, console):
            console.print(table)
            missing = [column for column in _ALL_COLUMNS if column not in columns]
            if missing:
                console.print(
                    f"{' and '.join(missing)} left out: the terminal has {console.width} columns",
                    style="dim",
                )
            return
    for campaign in campaigns:  # too narrow for any table
        row = _status_row(campaign, _ALL_COLUMNS, short=False, name_length=100)
        console.print(Text(", ".join(filter(None, row))))


def print_storage(campaign: Mapping[str, Any], console: Console) -> None:
    """Print how much a campaign stores, and what retention removed of it or never will."""
    stored, storage = campaign["stored_bytes"], campaign["storage"]
    text = f"{size(stored)} stored"
    if storage["shared_bytes"]:
        text += f", {size(storage['shared_bytes'])} of it shared with other campaigns"
    if campaign["keep"]:
        text += "; kept: retention removes nothing of it"
    print_message(console, text)
    if campaign["pruned_runs"]:
        pruned = counted(campaign["pruned_runs"], "run")
        print_message(
            console,
            f"{pruned} pruned since it was cancelled; to compute them again:\n"
            f"  windtunnel resume {campaign['id']}",
        )
    for what in ("series", "logs"):
        if count := storage[f"runs_without_{what}"]:
            print_message(console, f"{what} of {counted(count, 'run')} pruned; the metrics stay")


_ALL_COLUMNS = ("id", "name", "state", "progress", "size", "UTC", "by")
# Columns, whether the progress is short, and the length of names, from wide to narrow.
_STATUS_LAYOUTS: tuple[tuple[tuple[str, ...], bool, int], ...] = (
    (_ALL_COLUMNS, False, 100),
    (_ALL_COLUMNS, True, 100),
    (_ALL_COLUMNS, True, 24),
    (("id", "name", "state", "progress", "size", "UTC"), True, 24),
    (("id", "name", "state", "progress", "UTC"), True, 24),
    (("id", "name", "state", "progress"), True, 16),
)


def _status_row(
    campaign: Mapping[str, Any], columns: Sequence[str], short: bool, name_length: int
) -> list[str]:
    name = campaign["name"]
    cells = {
        "id": campaign["id"],
        "name": name if len(name) <= name_length else f"{name[: name_length - 1]}…",
        "state": campaign["state"] + (", kept" if campaign["keep"] else ""),
        "progress": runs_text(campaign, short),
        "size": size(campaign["stored_bytes"]),
        "UTC": campaign["created_at"][5:16].replace("T", " "),
        "by": campaign["submitted_by"] or "",
    }
    return [cells[column] for column in columns]


def plain_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table without borders; the last column takes the remaining width."""
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="bold")
    for index, header in enumerate(headers):
        table.add_column(header, no_wrap=index < len(headers) - 1)
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    return table
