"""Options, output and error reporting that the commands share."""

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
    Path | None, typer.Option("--json", help="Write the results to this file as JSON.")
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Show this metric; repeat the option for several."),
]
SimulatorOption = Annotated[str | None, typer.Option("--simulator", help="Only this simulator.")]
FileArgument = Annotated[Path, typer.Argument(help="Campaign file, YAML or JSON.")]
CampaignArgument = Annotated[str, typer.Argument(help="Campaign id or unique prefix.")]


def connect(server: str | None, data: Path | None) -> Client:
    """Connect to ``server``, or to the service on this machine. Raises UnavailableError."""
    address = server or offline.running_service_address(data)
    if address is None:
        raise UnavailableError(
            "no service is running on this machine: start one with 'windtunnel serve', or give "
            "the address of another with --server"
        )
    return Client(address)


@contextmanager
def report_problems(file: Path | None) -> Iterator[None]:
    """Print a SpecError's problems as ``file:line: field: message`` and exit."""
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
    """Raise RefusedError if ``file`` does not exist."""
    if not file.is_file():
        raise RefusedError("no_such_file", f"{file}: no such file")


def print_out(message: str) -> None:
    """Print a message to stdout."""
    out.print(message, markup=False)


def print_err(message: str) -> None:
    """Print a message to stderr."""
    err.print(message, markup=False)
