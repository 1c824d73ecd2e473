"""``windtunnel flows``: percentiles over flows, pooled and by seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel import texts
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
from windtunnel.numbers import number

app = typer.Typer()


@app.command()
def flows(
    campaign: CampaignArgument,
    field: Annotated[
        str | None,
        typer.Option(
            help="Numeric field of the flow records; completion times or else goodput by default."
        ),
    ] = None,
    percentile: Annotated[
        list[float] | None,
        typer.Option(help="Percent, such as 99.9; repeat for several. Default: 50, 95 and 99."),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
) -> None:
    """Show percentiles over a campaign's flows, pooled over the seeds and seed by seed."""
    report.check_target(json_file)
    asked = {"field": field, "percentile": percentile}
    given = {name: value for name, value in asked.items() if value}
    with connect(server, data) as client, report_problems(None):
        content = client.get(f"/campaigns/{campaign}/flow-percentiles", **given)
    if json_file:
        report.write(json_file, content)
    print_percentiles(content, err if json_file == report.STDOUT else out)


def print_percentiles(content: Mapping[str, Any], console: Console) -> None:
    """Print a line per cell and percentile, then the notes."""
    unit = f" in {content['unit']}" if content["unit"] else ""
    if content["field"]:
        console.print(f"{content['title']}{unit}, over flows", markup=False)
        console.print(_table(content))
        console.print()
    for note in content["notes"]:
        render.print_message(console, note)
    if len(content["available"]) > 1:
        others = [field["name"] for field in content["available"]]
        render.print_message(console, f"fields: {', '.join(others)}")


def _table(content: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    axes = list(content["cells"][0]["coordinates"]) if content["cells"] else []
    for axis in texts.axis_titles(axes):
        table.add_column(Text(axis))
    for name in ("flows", "seeds"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in ("pooled", "by seed ± 95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in content["cells"]:
        labels = [Text(label) for label in cell["coordinates"].values()]
        counts = [str(cell["n_values"]), str(cell["n_seeds"])]
        if not cell["percentiles"]:
            table.add_row(*labels, *counts, "", "-", "-")
        for place, each in enumerate(cell["percentiles"]):
            first = [*labels, *counts] if place == 0 else [""] * (len(labels) + 2)
            values = {"values": range(each["by_seed"]["n"]), "estimate": each["by_seed"]}
            by_seed = texts.estimate(values, cell["n_seeds"], short=True)
            table.add_row(*first, f"p{each['percent']:g}", number(each["pooled"]), Text(by_seed))
    return table
