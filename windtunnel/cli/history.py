"""``windtunnel history``: a metric over campaigns, and where it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel import texts
from windtunnel.cli import render, report
from windtunnel.cli.across import label_text
from windtunnel.cli.options import (
    DataOption,
    JsonOption,
    ServerOption,
    WithLabelOption,
    err,
    out,
    report_problems,
)
from windtunnel.client.discovery import connect

app = typer.Typer()

_STYLES = {"better": "green", "worse": "red"}
_MAX_VALUE = 12  # characters of a label's value, such as a commit


@app.command()
def history(
    metric: Annotated[str, typer.Argument(help="Name of the metric.")],
    label: WithLabelOption = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the campaigns.")] = None,
    cell: Annotated[
        list[str] | None,
        typer.Option(
            "--cell", metavar="AXIS=LABEL", help="Only these cells, such as algorithm=vegas."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Label that tells the campaigns apart; default: commit."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Newest campaigns to show.")] = 50,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
) -> None:
    """Show a metric over the campaigns with a label, oldest first, and where it changed."""
    report.check_target(json_file)
    asked = {"label": label, "name": name, "cell": cell, "by": by}
    given = {key: value for key, value in asked.items() if value}
    with connect(server, data) as client, report_problems(None):
        content = client.get("/history", metric=metric, limit=limit, **given)
    if json_file:
        report.write(json_file, content)
    print_history(content, err if json_file == report.STDOUT else out)


def print_history(content: Mapping[str, Any], console: Console) -> None:
    """Print a line per campaign for each cell, changes marked, then the changes in sentences."""
    labels = f" with {label_text(content['labels'])}" if content["labels"] else ""
    campaigns = render.counted(len(content["campaigns"]), "campaign")
    title = texts.title(content["metric"])
    render.print_message(console, f"{title} over {campaigns} named {content['name']}{labels}")
    for cell in content["cells"]:
        console.print()
        if cell["coordinates"]:
            console.print(Text(_name(cell), style="bold"))
        console.print(_table(content, cell))
    console.print()
    for text in (*_sentences(content), *_notes(content)):
        render.print_message(console, text)


def _table(content: Mapping[str, Any], cell: Mapping[str, Any]) -> Table:
    campaigns = {campaign["id"]: campaign for campaign in content["campaigns"]}
    changes = {change["campaign"]: change for change in cell["changes"]}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("UTC", no_wrap=True)
    table.add_column(content["by"] or "campaign", no_wrap=True)
    table.add_column("mean ± 95 %", justify="right", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for point in cell["points"]:
        campaign = campaigns[point["campaign"]]
        change = changes.get(point["campaign"])
        table.add_row(
            datetime.fromisoformat(campaign["created_at"]).strftime("%Y-%m-%d %H:%M"),
            Text(_value(campaign)),
            Text(texts.estimate(point, point["planned"], short=True)),
            _change(change) if change else "",
        )
    return table


def _change(change: Mapping[str, Any]) -> Text:
    """``<- +8.2 % ± 1.1, worse``."""
    size = texts.difference({"against_baseline": change["difference"]})
    return Text(f"<- {size}, {change['outcome']}", style=_STYLES.get(change["outcome"], "cyan"))


def _sentences(content: Mapping[str, Any]) -> Iterator[str]:
    campaigns = {campaign["id"]: campaign for campaign in content["campaigns"]}
    changed = [(cell, change) for cell in content["cells"] for change in cell["changes"]]
    if not changed:
        yield "no significant change"
    for cell, change in changed:
        size = texts.difference({"against_baseline": change["difference"]})
        place = f"{content['by'] or 'campaign'} {_value(campaigns[change['campaign']])}"
        p = "exact" if change["p"] is None else f"adjusted p = {change['p']:.2g}"
        yield f"{_name(cell)} changed at {place}: {size}, {change['outcome']} ({p})"


def _notes(content: Mapping[str, Any]) -> Iterator[str]:
    positions = render.counted(content["tests"], "position")
    yield (
        "intervals are 95 %, unadjusted; changes by paired t tests over seeds, corrected for "
        f"{positions} where values differ from the campaign before"
    )
    yield from content["notes"]


def _name(cell: Mapping[str, Any]) -> str:
    return " ".join(cell["coordinates"].values()) or "the only cell"


def _value(campaign: Mapping[str, Any]) -> str:
    """The label's value, shortened; without one the campaign's id."""
    value: str = campaign["value"] or campaign["id"]
    return value if len(value) <= _MAX_VALUE else f"{value[: _MAX_VALUE - 1]}…"
