"""Commands, and the one map from errors to exit codes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel import __version__
from windtunnel.cli import exit_codes, following, offline, render, report, simulators, tokens
from windtunnel.cli.client import Client, RefusedError
from windtunnel.cli.options import (
    CampaignArgument,
    DataOption,
    FileArgument,
    JsonOption,
    MetricOption,
    ServerOption,
    check_file,
    connect,
    err,
    lines_of,
    out,
    say,
    say_aside,
)
from windtunnel.errors import UnavailableError, WindtunnelError

if TYPE_CHECKING:
    from windtunnel.embedded.service import EmbeddedService


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A wind tunnel for TCP congestion control.",
)
app.add_typer(simulators.app)
app.add_typer(tokens.app, name="token")


def main() -> None:
    """Entry point: every error becomes a message and an exit code."""
    try:
        sys.exit(app(standalone_mode=False))  # the code of typer.Exit
    except (KeyboardInterrupt, typer.Abort):
        err.print("interrupted")
        sys.exit(exit_codes.INTERRUPTED)
    except UnavailableError as error:
        err.print(str(error), markup=False)
        sys.exit(exit_codes.INFRASTRUCTURE)
    except WindtunnelError as error:
        err.print(str(error), markup=False)
        sys.exit(exit_codes.USAGE)
    except OSError as error:
        err.print(str(error), markup=False)
        sys.exit(exit_codes.INFRASTRUCTURE)
    except typer.TyperException as error:
        _usage(error)
        sys.exit(exit_codes.USAGE)


def _usage(error: Any) -> None:
    err.print(error.format_message(), markup=False)


@app.command()
def serve(
    data: DataOption = None,
    slots: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Runs at a time; one a core by default.")
    ] = None,
    bind: Annotated[
        str, typer.Option(help="Address to answer on; tokens are asked for on all but this one.")
    ] = "127.0.0.1",
) -> None:
    """Run the whole service on this machine until Ctrl-C."""
    with offline.service(data, say, slots, bind) as service:
        out.print(f"Windtunnel is at {service.url}   (Ctrl-C ends it; results are kept)")
        builds = [
            {
                "name": one.description.name,
                "digest": one.description.digest,
                "built_at": one.built_at.isoformat(),
            }
            for one in service.builds()
        ]
        out.print(f"simulators: {render.builds(builds)}")
        try:
            service.watch()
        except KeyboardInterrupt:
            out.print("stopping")
    out.print("stopped; nothing is left running")


@app.command()
def run(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
    metric: MetricOption = None,
) -> None:
    """Submit a campaign, follow it and print the comparison.

    Without --server it joins the service on this machine, or starts one for as long as it takes.
    """
    check_file(file)
    _check_target(json_file)
    address = server or offline.running(data)
    if address:
        with Client(address) as client:
            ids: list[str] = []
            code = _run_campaign(client, file, metric, json_file, ids.append)
            out.print(f"Look at it: {address}/campaigns/{ids[0]}")
        raise typer.Exit(code)
    with offline.service(data, say) as service:
        code, campaign_id = _while_serving(service, file, metric, json_file)
    if campaign_id:
        again = f"windtunnel serve{f' --data {data}' if data else ''}"
        page = f"http://127.0.0.1:8000/campaigns/{campaign_id}"
        out.print(f"Look at it: {again}, then {page}   (all runs are kept)")
    raise typer.Exit(code)


@app.command()
def submit(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    dry_run: Annotated[bool, typer.Option(help="Only show the plan and its cost.")] = False,
) -> None:
    """Submit a campaign and print its id."""
    check_file(file)
    with connect(server, data) as client, lines_of(file):
        if dry_run:
            plan = client.submit(file, dry_run=True)
            out.print(
                f"{plan['name']}: {len(plan['cells'])} cells x {plan['replications']} seeds = "
                f"{plan['total_runs']} runs on {render.builds(plan['simulators'])}, "
                f"{plan['reused_runs']} reused, about "
                f"{render.duration(plan['predicted_cpu_seconds'])} of CPU "
                f"({render.amount(plan['predicted_events'])} events); nothing was submitted"
            )
            return
        submitted = client.submit(file)
        if submitted["note"]:
            err.print(submitted["note"], markup=False)
        out.print(submitted["id"])


@app.command()
def watch(campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None) -> None:
    """Follow a campaign to its end and print the comparison."""
    with connect(server, data) as client:
        following.announce(out, client.get(f"/campaigns/{campaign}"))
        ended = following.follow(client, campaign, err)
        raise typer.Exit(following.conclude(client, ended, out, err))


@app.command()
def status(
    campaign: Annotated[str | None, typer.Argument(help="Campaign id; all if left out.")] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Show how far campaigns are."""
    with connect(server, data) as client:
        if campaign:
            found = [client.get(f"/campaigns/{campaign}")]
        else:
            found = client.get("/campaigns")["campaigns"]
        named = any(one["submitted_by"] for one in found)  # nobody is where no token is asked for
        rows = [
            (
                one["id"],
                one["name"],
                one["state"],
                render.runs_text(one),
                one["created_at"][5:16].replace("T", " "),
                *([one["submitted_by"] or ""] if named else []),
            )
            for one in found
        ]
        heads = ("id", "name", "state", "progress", "UTC", *(["by"] if named else []))
        out.print(render.table_of(heads, rows))
        for one in found:
            if one.get("note"):
                out.print(f"{one['id']}: {one['note']}", markup=False)


@app.command()
def compare(
    campaign: CampaignArgument,
    server: ServerOption = None,
    data: DataOption = None,
    metric: MetricOption = None,
    json_file: JsonOption = None,
) -> None:
    """Print a campaign's comparison so far."""
    with connect(server, data) as client:
        following.show_comparison(client, campaign, out, metric)
        if json_file:
            state = client.get(f"/campaigns/{campaign}")
            full = client.get(f"/campaigns/{campaign}/comparison")
            report.write(json_file, report.document(state, full))


@app.command()
def cancel(
    campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None
) -> None:
    """Cancel a campaign; runs that another campaign wants continue."""
    with connect(server, data) as client:
        state = client.post(f"/campaigns/{campaign}/cancel")
        had_ended = "had ended already" if state["state"] == "ended" else "is cancelled"
        out.print(f"{state['id']} {had_ended}: {render.runs_text(state)}")


@app.command()
def resume(
    campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None
) -> None:
    """Queue a campaign's failed and cancelled runs again."""
    with connect(server, data) as client:
        state = client.post(f"/campaigns/{campaign}/resume")
        resumed = "had nothing to resume" if state["ended"] else "resumed"
        out.print(f"{state['id']} {resumed}: {render.runs_text(state)}")


@app.command()
def extend(
    campaign: CampaignArgument,
    replications: Annotated[
        int, typer.Option(min=1, help="Seeds that every cell is to have in the end.")
    ],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Add replications to a campaign; only the new runs are computed."""
    with connect(server, data) as client:
        body = {"replications": replications}
        state = client.post(f"/campaigns/{campaign}/replications", body)
        out.print(
            f"{state['id']}: {state['cells']} cells x {state['replications']} seeds = "
            f"{render.runs_text(state)}; windtunnel watch {state['id']} follows it"
        )


@app.command()
def delete(
    campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None
) -> None:
    """Delete a campaign, with all runs and results that no other campaign has."""
    with connect(server, data) as client:
        found = client.get(f"/campaigns/{campaign}")
        client.delete(f"/campaigns/{found['id']}")
        out.print(f"{found['id']} ({found['name']}) is deleted", markup=False)


@app.command()
def verify(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning.")],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Execute a run again and compare its records, byte for byte, with what was kept."""
    with connect(server, data) as client:
        asked = client.post(f"/runs/{run_id}/verify")
        with client.patient(say_aside):
            while asked["state"] in ("queued", "running"):
                time.sleep(0.3)
                asked = client.get(f"/verifications/{asked['id']}")
    short = asked["run_id"][:12]
    if asked["state"] == "identical":
        out.print(f"{short}: identical, digest {asked['digest']}", soft_wrap=True)
        return
    err.print(f"{short}: {asked['state']}: {asked['message']}", markup=False)
    raise typer.Exit(
        exit_codes.DIFFERENT if asked["state"] == "different" else exit_codes.RUNS_MISSING
    )


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def _run_campaign(
    client: Client,
    file: Path,
    metrics: list[str] | None,
    json_file: Path | None,
    submitted: Callable[[str], None],
) -> int:
    with lines_of(file):
        campaign = client.submit(file)
    submitted(campaign["id"])
    following.announce(out, campaign)
    ended = following.follow(client, campaign["id"], err)
    return following.conclude(client, ended, out, err, metrics, json_file)


def _while_serving(
    service: EmbeddedService, file: Path, metrics: list[str] | None, json_file: Path | None
) -> tuple[int, str | None]:
    """The campaign in a thread; the main thread keeps the service's processes alive."""
    outcome: dict[str, Any] = {"code": exit_codes.INFRASTRUCTURE, "id": None, "error": None}

    def work() -> None:
        try:
            with Client(service.url) as client:
                outcome["code"] = _run_campaign(
                    client, file, metrics, json_file, lambda id_: outcome.update(id=id_)
                )
        except (WindtunnelError, typer.Exit, OSError) as error:
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        service.watch(until=lambda: not thread.is_alive())
    except KeyboardInterrupt:
        err.print("interrupted; the campaign is kept and goes on when a service runs again")
        return exit_codes.INTERRUPTED, outcome["id"]
    if outcome["error"]:
        raise outcome["error"]
    return outcome["code"], outcome["id"]


def _check_target(json_file: Path | None) -> None:
    """Before the work: a campaign's results are not to be lost for a missing folder."""
    if json_file and not json_file.absolute().parent.is_dir():
        raise RefusedError("no_such_folder", f"--json {json_file}: there is no such folder")
