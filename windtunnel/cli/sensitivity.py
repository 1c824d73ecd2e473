"""``windtunnel sensitivity``: which axes of a sweep a metric depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.cli import render, report
from windtunnel.cli.options import (
    CampaignArgument,
    DataOption,
    JsonOption,
    ServerOption,
    err,
    out,
    report_problems,
)
from windtunnel.client.discovery import connect
from windtunnel.errors import ConflictError, RefusedError
from windtunnel.numbers import number
from windtunnel.texts import axis_titles, title

app = typer.Typer()

_BAR = 20  # characters of a full bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MAX_SHOWN = 20  # effects of a table
# Columns of each method: the figure, its heading, and whether it is a share. ``noise`` is how much
# of the total index or mu* replication noise makes; one seed has none.
_COLUMNS: Mapping[str, Sequence[tuple[str, str, bool]]] = {
    "anova": (("share", "share", True),),
    "sobol": (("first", "first", True), ("total", "total", True), ("noise", "noise", True)),
    "morris": (
        ("mu_star", "mu*", False),
        ("mu", "mu", False),
        ("sigma", "sigma", False),
        ("noise", "noise", False),
    ),
    "srrc": (("coefficient", "SRRC", False),),
}
# What effects are sorted by, and bars show.
_LEADING = {"anova": "share", "sobol": "total", "morris": "mu_star", "srrc": "coefficient"}
_TITLES = {
    "anova": "analysis of variance",
    "sobol": "Sobol' indices",
    "morris": "elementary effects",
    "srrc": "rank regression",
}


@app.command()
def sensitivity(
    campaign: CampaignArgument,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            help="Analyze this metric; repeat for several. Default: those of its workload.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="AXIS=LABEL",
            help="Only cells with this label, such as algorithm=vegas; repeat for several.",
        ),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
) -> None:
    """Show which axes of the sweep a metric depends on."""
    report.check_target(json_file)
    with connect(server, data) as client, report_problems(None):
        shown = client.get(f"/campaigns/{campaign}")
        filters = {"where": where} if where else {}
        analyses, conflicts = [], []
        for name in metric or shown["default_metrics"]:
            try:
                path = f"/campaigns/{shown['id']}/sensitivity"
                analyses.append(client.get(path, metric=name, **filters))
            except RefusedError as error:
                if metric or error.code != ConflictError.code:
                    raise
                conflicts.append((name, error))
    if conflicts and not analyses:
        for name, conflict in conflicts[:-1]:
            err.print(f"{name}: {conflict}", markup=False)
        name, conflict = conflicts[-1]
        raise RefusedError(conflict.code, f"{name}: {conflict}")
    if json_file:
        document = {"id": shown["id"], "name": shown["name"], "design": shown["design"]}
        report.write(json_file, {"campaign": document, "analyses": analyses})
    console = err if json_file == report.STDOUT else out
    for index, content in enumerate(analyses):
        if index:
            console.print()
        print_sensitivity(content, shown["name"], console)
    for name, conflict in conflicts:
        err.print(f"{name}: {conflict}", markup=False)


def print_sensitivity(content: Mapping[str, Any], name: str, console: Console) -> None:
    """Print a table for each setting with what it concludes, then the notes for all."""
    metric = title(content["metric"])
    console.print(Text(f"{metric} of {name}: {_TITLES[content['method']]}", style="bold"))
    for analysis in content["settings"]:
        console.print()
        if analysis["setting"]:
            pairs = (f"{axis} {label}" for axis, label in analysis["setting"].items())
            console.print(Text(", ".join(pairs), style="bold"))
        if analysis["effects"]:
            table = _table(content, analysis)
            console.print(
                table if render.fits(table, console) else _table(content, analysis, bars=False)
            )
        render.print_message(console, analysis["conclusion"])
        for note in (*_facts(analysis), *analysis["notes"]):
            render.print_message(console, f"note: {note}")
    console.print()
    for note in content["notes"]:
        render.print_message(console, note)


def _facts(analysis: Mapping[str, Any]) -> list[str]:
    """How many values the figures are from, and their noise if a design does not list it."""
    if analysis["mean"] is None:
        return []
    seeds = render.counted(len(analysis["seeds"]), "seed")
    if analysis["blocks"] == "seeds":
        return []
    fact = f"{analysis['used']} {analysis['blocks']}, {seeds}"
    if analysis["noise"] is not None:
        fact += f"; replication noise {100 * analysis['noise']:.1f} % of the variance"
    return [fact]


def _table(content: Mapping[str, Any], analysis: Mapping[str, Any], bars: bool = True) -> Table:
    effects = analysis["effects"]
    columns = [
        column for column in _COLUMNS[content["method"]] if column[0] in effects[0]["figures"]
    ]
    leading = _LEADING[content["method"]]
    effects = sorted(effects, key=lambda effect: _rank(effect, leading))
    titles = dict(zip(content["axes"], axis_titles(content["axes"]), strict=True))
    tested = any(effect["p"] is not None for effect in effects)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("axis", no_wrap=True)
    for heading in (*(heading for _, heading, _ in columns), *(["p"] if tested else [])):
        table.add_column(heading, justify="right", no_wrap=True)
    if bars:
        table.add_column("", no_wrap=True)
    largest = max(abs(effect["figures"][leading]["value"]) for effect in effects)
    scale = 1.0 if columns[0][2] else largest or 1.0
    for effect in effects[:_MAX_SHOWN]:
        figures = [_figure(effect["figures"][key], share) for key, _, share in columns]
        p = ["" if effect["p"] is None else _p_value(effect["p"])] if tested else []
        bar = [Text(_bar(abs(effect["figures"][leading]["value"]) / scale))] if bars else []
        table.add_row(_name(effect, titles), *figures, *p, *bar)
    if len(effects) > _MAX_SHOWN:
        table.add_row(Text(f"... and {len(effects) - _MAX_SHOWN} more (--json - lists all)"))
    return table


def _rank(effect: Mapping[str, Any], figure: str) -> tuple[bool, float]:
    """Axes and interactions by size, then seeds and noise."""
    return effect["kind"] in ("seed", "noise"), -abs(effect["figures"][figure]["value"])


def _name(effect: Mapping[str, Any], titles: Mapping[str, str]) -> Text:
    other = {"interactions": "3 axes and more", "seed": "seed", "noise": "replication noise"}
    name = other.get(effect["kind"]) or " x ".join(titles[axis] for axis in effect["axes"])
    return Text(name, style="dim" if effect["kind"] in ("seed", "noise") else "")


def _figure(figure: Mapping[str, Any], share: bool) -> Text:
    """``71 % [65, 76]`` of a share, else ``3.1 [2.8, 3.4]``."""
    value, low, high = figure["value"], figure["low"], figure["high"]
    if share:
        if low is None:
            return Text(f"{100 * value:.1f} %")
        return Text(f"{100 * value:.0f} % [{100 * low:.0f}, {100 * high:.0f}]")
    if low is None:
        return Text(number(value))
    half = (high - low) / 2
    return Text(f"{number(value, half)} [{number(low, half)}, {number(high, half)}]")


def _p_value(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def _bar(share: float) -> str:
    """A bar of text: 20 characters for 1."""
    eighths = round(8 * _BAR * min(1.0, max(0.0, share)))
    whole, part = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")
