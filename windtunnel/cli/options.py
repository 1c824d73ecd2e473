"""What commands share: where they print, their options, exit codes, and how files are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli import exit_codes, offline, render
from windtunnel.cli.client import Client, RefusedError
from windtunnel.errors import SpecError, UnavailableError

out, err = render.consoles()


ServerOption = Annotated[
    str | None,
    typer.Option("--server", envvar="WINDTUNNEL_SERVER", help="Address of a running service."),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", envvar="WINDTUNNEL_DATA", help="Data folder of the service on this machine."
    ),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", help="Write results to this file as JSON.")
]
MetricOption = Annotated[
    list[str] | None, typer.Option("--metric", help="Show this metric; may be given again.")
]
SimulatorOption = Annotated[str | None, typer.Option("--simulator", help="Only this simulator.")]
FileArgument = Annotated[Path, typer.Argument(help="Campaign file, YAML or JSON.")]
CampaignArgument = Annotated[str, typer.Argument(help="Campaign id, or its beginning.")]


def connect(server: str | None, data: Path | None) -> Client:
    """The service named, or the one that runs on this machine. Raises UnavailableError."""
    address = server or offline.running(data)
    if address is None:
        raise UnavailableError(
            "no service is running here: windtunnel serve starts one, --server names one"
        )
    return Client(address)


@contextmanager
def lines_of(file: Path | None) -> Iterator[None]:
    """Show what is wrong with a file as ``file:line: field: what would be right``."""
    try:
        yield
    except SpecError as error:
        for problem in error.problems:
            line = f":{problem.line}" if problem.line else ""
            err.print(f"{file}{line}: {problem}" if file else str(problem), markup=False)
        count = len(error.problems)
        if file:
            err.print(f"{count} problem{'s' if count > 1 else ''}, nothing was submitted")
        raise typer.Exit(exit_codes.USAGE) from error


def check_file(file: Path) -> None:
    if not file.is_file():
        raise RefusedError("no_such_file", f"{file}: there is no such file")


def say(message: str) -> None:
    out.print(message, markup=False)


def say_aside(message: str) -> None:
    err.print(message, markup=False)
