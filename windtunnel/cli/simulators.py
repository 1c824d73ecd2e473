"""Simulator commands: simulate, catalogue, schema and build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from windtunnel.cli import exit_codes, offline
from windtunnel.cli.client import Client
from windtunnel.cli.options import (
    DataOption,
    ServerOption,
    SimulatorOption,
    check_file,
    connect,
    err,
    out,
    print_err,
    print_out,
    report_problems,
)
from windtunnel.errors import UnavailableError
from windtunnel.variants import RELEASES, STANDARD, build_hint

app = typer.Typer()


@app.command()
def simulate(
    file: Annotated[
        Path | None, typer.Argument(help="Run spec: simulator, seed_index, scenario.")
    ] = None,
    run_id: Annotated[
        str | None, typer.Option("--run", help="Fetch the run spec of this run from a service.")
    ] = None,
    pcap: Annotated[
        tuple[str, Path] | None,
        typer.Option(
            metavar="PORT FILE",
            help="Capture the packets sent by a port (bottleneck, core0.port2, host5.nic) as pcap.",
        ),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Execute one run spec without a service and print its record stream."""
    if (file is None) == (run_id is None):
        raise typer.BadParameter("give either a run spec file or --run")
    digest = None
    if run_id:
        with connect(server, data) as client:
            run = client.get(f"/runs/{run_id}")
            spec, digest = run["spec"], run["simulator_digest"]
    else:
        assert file is not None
        check_file(file)
        with report_problems(file):
            spec = offline.read_run_spec(file)
    with report_problems(file):
        message = offline.simulate(spec, data, print_err, pcap, digest)
    if message:
        err.print(message, markup=False)
        raise typer.Exit(exit_codes.RUNS_MISSING)


@app.command()
def catalogue(
    part: Annotated[
        str | None, typer.Argument(help="algorithms, topologies, queues, workloads or metrics.")
    ] = None,
    simulator: SimulatorOption = None,
    server: ServerOption = None,
    data: DataOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List algorithms, topologies, queues, workloads and metrics. Needs no service."""
    simulators = _simulators(server, data)
    if simulator is not None:
        simulators = [candidate for candidate in simulators if candidate["name"] == simulator]
    if not simulators:
        reason = f"{simulator!r} is not installed" if simulator else "none is installed"
        raise UnavailableError(f"no simulator to list: {reason}{build_hint(simulator or 'ns3')}")
    if as_json:
        typer.echo(json.dumps({"simulators": simulators}, indent=2))
        return
    try:
        offline.print_catalogue(out, simulators, part)
    except LookupError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def schema(
    simulator: SimulatorOption = None, server: ServerOption = None, data: DataOption = None
) -> None:
    """Print the JSON Schema of a campaign file, for editors. Needs no service."""
    name = simulator or STANDARD
    if server:
        with Client(server) as client:
            content = client.get("/schema", simulator=name)
    else:
        content = offline.schema(data, print_err, name)
    typer.echo(json.dumps(content, indent=2))


@app.command()
def build(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="Folder with additional algorithms (.h and .cc files)."),
    ] = None,
    release: Annotated[
        str | None, typer.Option(help=f"Release of ns-3: {' or '.join(RELEASES)}.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name to use in campaign files; default: ns3, ns3-RELEASE or ns3-DIR."),
    ] = None,
    data: DataOption = None,
) -> None:
    """Compile and install the ns-3 simulator; a running service offers it immediately."""
    with report_problems(None):
        built = offline.build(data, print_out, folder, release, name)
    out.print(f"simulator: {built.name} in a campaign file now means {built.digest[:8]}")


def _simulators(server: str | None, data: Path | None) -> list[dict[str, Any]]:
    if server:
        with Client(server) as client:
            simulators: list[dict[str, Any]] = client.get("/catalogue")["simulators"]
            return simulators
    return offline.descriptions(data, print_err)
