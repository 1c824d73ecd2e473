"""Simulator commands: simulate, catalogue, schema and build."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from windtunnel.cli import exit_codes, offline
from windtunnel.cli.catalogue import print_catalogue
from windtunnel.cli.options import (
    DataOption,
    ServerOption,
    SimulatorOption,
    check_id,
    err,
    out,
    print_err,
    print_out,
    report_problems,
)
from windtunnel.client.discovery import connect, running_service_address
from windtunnel.client.files import read_file
from windtunnel.errors import RefusedError, UnavailableError
from windtunnel.variants import RELEASES, STANDARD, build_hint, is_stock

app = typer.Typer()


@app.command()
def simulate(
    file: Annotated[
        Path | None, typer.Argument(help="Run spec: simulator, seed_index, scenario.")
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run", help="Fetch the run spec of this run from a service.", callback=check_id
        ),
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
    digest, name = None, None
    if run_id:
        spec, digest = _fetch_run_spec(run_id, server, data)
    else:
        assert file is not None
        content = read_file(file)
        name = content.name
        with report_problems(name, outcome=None):
            spec = offline.read_run_spec(content)
    with report_problems(name, outcome=None):
        message = offline.simulate(spec, data, print_err, pcap, digest)
    if message:
        err.print(message, markup=False)
        raise typer.Exit(exit_codes.RUNS_MISSING)


@app.command()
def catalogue(
    part: Annotated[
        str | None,
        typer.Argument(
            help="algorithms, topologies, queues, workloads, transport, scenario, series, metrics."
        ),
    ] = None,
    simulator: SimulatorOption = None,
    server: ServerOption = None,
    data: DataOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List what a campaign can use, with every parameter and its default. Needs no service."""
    simulators = _simulators(server, data)
    if not simulators:
        raise UnavailableError(f"no simulator is installed{build_hint(STANDARD)}")
    if simulator is not None:
        simulators = [_select(simulators, simulator)]
    if as_json:
        typer.echo(json.dumps({"simulators": simulators}, indent=2))
        return
    try:
        print_catalogue(out, simulators, part)
    except LookupError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def schema(
    simulator: SimulatorOption = None, server: ServerOption = None, data: DataOption = None
) -> None:
    """Print the JSON Schema of a campaign file, for editors. Needs no service."""
    name = simulator or STANDARD
    if server:
        with connect(server, None) as client, report_problems(None):
            content = client.get("/schema", simulator=name)
    else:
        with report_problems(None):
            content = offline.schema(data, print_err, name)
    typer.echo(json.dumps(content, indent=2))


@app.command()
def build(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="Folder with your own algorithms, topologies and workloads (.h, .cc and .json).",
        ),
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


def _fetch_run_spec(
    run_id: str, server: str | None, data: Path | None
) -> tuple[dict[str, Any], str]:
    """A run's spec and the digest of its simulator, from a service."""
    if not (server or running_service_address(data)):
        raise UnavailableError(
            "--run fetches the run spec from a service, but none is running on this machine: start "
            "one with 'windtunnel serve', name another with --server, or give a run spec file"
        )
    with connect(server, data) as client:
        run = client.get(f"/runs/{run_id}")
        return run["spec"], run["simulator_digest"]


def _select(simulators: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The simulator of a name. Raises RefusedError."""
    by_name = {candidate["name"]: candidate for candidate in simulators}
    if name in by_name:
        return by_name[name]
    close = [] if is_stock(name) else difflib.get_close_matches(name, by_name, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else build_hint(name)
    installed = ", ".join(by_name)
    raise RefusedError(
        "not_found", f"--simulator: {name!r} is not installed (installed: {installed}){hint}"
    )


def _simulators(server: str | None, data: Path | None) -> list[dict[str, Any]]:
    if server:
        with connect(server, None) as client:
            simulators: list[dict[str, Any]] = client.get("/catalogue")["simulators"]
            return simulators
    return offline.descriptions(data, print_err)
