"""The command that draws figures for papers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from windtunnel.cli import report
from windtunnel.cli.options import (
    CampaignArgument,
    DataOption,
    ServerOption,
    print_err,
    print_out,
    report_problems,
)
from windtunnel.client.discovery import connect
from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.plot import KINDS, PlotRequest, check_format, check_installed, draw, notes_of, save

app = typer.Typer()

_OPTIONS = {"start": "--from", "end": "--to"}


@app.command()
def plot(
    campaign: CampaignArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", help="File to write: .pdf, .svg or .png.")
    ],
    kind: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(KINDS)}; chosen from the data by default."),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(help="Axis along x; the field of a CDF; the metric along x of a scatter."),
    ] = None,
    y: Annotated[
        list[str] | None, typer.Option(help="Metric; repeat for panels, or two of a scatter.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Axis whose labels are lines, bars or rows.")
    ] = None,
    facet: Annotated[
        str | None, typer.Option(help="Axis with one panel a label; 'none' for one panel.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="AXIS=LABEL", help="Only these cells; repeat for several labels."),
    ] = None,
    log: Annotated[list[str] | None, typer.Option(metavar="x|y", help="Log axis.")] = None,
    linear: Annotated[list[str] | None, typer.Option(metavar="x|y", help="Linear axis.")] = None,
    width: Annotated[
        str, typer.Option(help="column (3.33 in), page (7 in), or inches.")
    ] = "column",
    height: Annotated[float | None, typer.Option(help="Inches.")] = None,
    cell: Annotated[
        int | None, typer.Option(min=0, help="Cell whose run's series are shown, from 0.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of that run; the first by default.")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Run whose series are shown.")] = None,
    series: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Series, or all of a probe such as cwnd; repeatable."),
    ] = None,
    start: Annotated[
        float | None, typer.Option("--from", help="Series from this simulated second on.")
    ] = None,
    end: Annotated[
        float | None, typer.Option("--to", help="Series up to this simulated second.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title above the figure.")] = None,
    x_title: Annotated[str | None, typer.Option("--x-title", help="Title of the x axis.")] = None,
    y_title: Annotated[str | None, typer.Option("--y-title", help="Title of the y axis.")] = None,
    dpi: Annotated[int, typer.Option(help="Resolution of a PNG.")] = 300,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Draw a figure of a campaign for a paper, as PDF, SVG or PNG.

    Only the file has to be named; docs/figures.md shows each kind of figure.

    An axis is named by the end of its name, such as servers for workload.servers.
    """
    with report_problems(None), _options_named():
        check_format(output)
        check_installed()
        report.check_target(output, "--output")
        request = PlotRequest(
            kind=kind,  # type: ignore[arg-type]  # the request checks it
            x=x,
            y=tuple(y or ()),
            by=tuple(by or ()),
            facet=facet,
            where=tuple(where or ()),
            log=tuple(log or ()),
            linear=tuple(linear or ()),
            cell=cell,
            seed=seed,
            run=run,
            series=tuple(series or ()),
            start=start,
            end=end,
            width=width,
            height=height,
            title=title,
            x_title=x_title,
            y_title=y_title,
            dpi=dpi,
        )
        with connect(server, data) as client:
            figure = draw(client.get, campaign, request)
    save(figure, output)
    for note in notes_of(figure):
        print_err(note)
    inches = " x ".join(f"{side:.4g}" for side in figure.get_size_inches())
    print_out(f"wrote {output} ({inches} in)")


@contextmanager
def _options_named() -> Iterator[None]:
    """Problems of fields whose option has another name are those of the option."""
    try:
        yield
    except InvalidRequestError as error:
        problems = [
            Problem(_OPTIONS.get(problem.path, problem.path), problem.message)
            for problem in error.problems
        ]
        raise InvalidRequestError(problems) from error
