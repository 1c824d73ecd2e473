"""Commands about simulators: executing one, listing what they offer, building one."""

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
    lines_of,
    out,
    say,
    say_aside,
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
        str | None, typer.Option("--run", help="Fetch the spec of this run from a service.")
    ] = None,
    pcap: Annotated[
        tuple[str, Path] | None,
        typer.Option(
            metavar="PORT FILE",
            help="Capture what a port sends (bottleneck, core0.port2, host5.nic) as pcap.",
        ),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Execute one run spec with no service at all; prints its record stream."""
    if (file is None) == (run_id is None):
        raise typer.BadParameter("give either a file or --run")
    digest = None
    if run_id:
        with connect(server, data) as client:
            run = client.get(f"/runs/{run_id}")
            spec, digest = run["spec"], run["simulator_digest"]
    else:
        assert file is not None
        check_file(file)
        with lines_of(file):
            spec = offline.read_run_spec(file)
    with lines_of(file):
        message = offline.simulate(spec, data, say_aside, pcap, digest)
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
    """List what can be simulated and measured. Needs no service."""
    simulators = _simulators(server, data)
    if simulator is not None:
        simulators = [one for one in simulators if one["name"] == simulator]
    if not simulators:
        which = f"{simulator!r} is not among them" if simulator else "there are none"
        raise UnavailableError(f"no simulator to list: {which}{build_hint(simulator or 'ns3')}")
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
        content = offline.schema(data, say_aside, name)
    typer.echo(json.dumps(content, indent=2))


@app.command()
def build(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="Folder with C++ pairs of algorithms to compile in."),
    ] = None,
    release: Annotated[
        str | None, typer.Option(help=f"Release of ns-3: {' or '.join(RELEASES)}.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name for campaign files; ns3, ns3-RELEASE or ns3-DIR if left out."),
    ] = None,
    data: DataOption = None,
) -> None:
    """Compile the ns-3 simulator under a name; a running service offers it at once."""
    with lines_of(None):
        built = offline.build(data, say, folder, release, name)
    out.print(f"simulator: {built.name} in a campaign file means {built.digest[:8]} from now on")


def _simulators(server: str | None, data: Path | None) -> list[dict[str, Any]]:
    if server:
        with Client(server) as client:
            found: list[dict[str, Any]] = client.get("/catalogue")["simulators"]
            return found
    return offline.descriptions(data, say_aside)
