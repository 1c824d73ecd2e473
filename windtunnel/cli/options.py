"""What commands share: where they print, their options, and the service that they speak to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli import offline, render
from windtunnel.cli.client import Client
from windtunnel.errors import UnavailableError

out, err = render.consoles()

ServerOption = Annotated[
    str | None,
    typer.Option("--server", envvar="WINDTUNNEL_SERVER", help="Address of a running service."),
]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="Data folder of the service on this machine.")
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
