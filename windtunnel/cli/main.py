"""Commands, and the mapping from errors to exit codes."""

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
    out,
    print_err,
    print_out,
    report_problems,
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
        int | None, typer.Option(min=1, max=1024, help="Concurrent runs; one per core by default.")
    ] = None,
    bind: Annotated[
        str,
        typer.Option(help="Address to listen on; any other than the default requires tokens."),
    ] = "127.0.0.1",
) -> None:
    """Run the whole service on this machine until Ctrl-C."""
    with offline.service(data, print_out, slots, bind) as service:
        out.print(f"Windtunnel is at {service.url}   (Ctrl-C to stop; results are kept)")
        builds = [
            {
                "name": build.description.name,
                "digest": build.description.digest,
                "built_at": build.built_at.isoformat(),
            }
            for build in service.builds()
        ]
        out.print(f"simulators: {render.builds(builds)}")
        try:
            service.watch()
        except KeyboardInterrupt:
            out.print("stopping")
    out.print("stopped")


@app.command()
def run(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
    metric: MetricOption = None,
) -> None:
    """Submit a campaign, follow it and print the comparison.

    Without --server, uses the service on this machine, or starts one for the duration.
    """
    check_file(file)
    _check_json_file(json_file)
    address = server or offline.running_service_address(data)
    if address:
        with Client(address) as client:
            ids: list[str] = []
            code = _run_campaign(client, file, metric, json_file, ids.append)
            out.print(f"Look at it: {address}/campaigns/{ids[0]}")
        raise typer.Exit(code)
    with offline.service(data, print_out) as service:
        code, campaign_id = _while_serving(service, file, metric, json_file)
    if campaign_id:
        serve_command = f"windtunnel serve{f' --data {data}' if data else ''}"
        page = f"http://127.0.0.1:8000/campaigns/{campaign_id}"
        out.print(f"Look at it: {serve_command}, then {page}   (all runs are kept)")
    raise typer.Exit(code)


@app.command()
def submit(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    dry_run: Annotated[
        bool, typer.Option(help="Show the plan and its cost; submit nothing.")
    ] = False,
) -> None:
    """Submit a campaign and print its id."""
    check_file(file)
    with connect(server, data) as client, report_problems(file):
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
        following.print_summary(out, client.get(f"/campaigns/{campaign}"))
        ended = following.follow(client, campaign, err)
        raise typer.Exit(following.print_results(client, ended, out, err))


@app.command()
def status(
    campaign: Annotated[str | None, typer.Argument(help="Campaign id; all if omitted.")] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Show campaign progress."""
    with connect(server, data) as client:
        if campaign:
            campaigns = [client.get(f"/campaigns/{campaign}")]
        else:
            campaigns = client.get("/campaigns")["campaigns"]
        # Without tokens campaigns have no submitter.
        show_submitter = any(shown["submitted_by"] for shown in campaigns)
        rows = [
            (
                shown["id"],
                shown["name"],
                shown["state"],
                render.runs_text(shown),
                shown["created_at"][5:16].replace("T", " "),
                *([shown["submitted_by"] or ""] if show_submitter else []),
            )
            for shown in campaigns
        ]
        heads = ("id", "name", "state", "progress", "UTC", *(["by"] if show_submitter else []))
        out.print(render.plain_table(heads, rows))
        for shown in campaigns:
            if shown.get("note"):
                out.print(f"{shown['id']}: {shown['note']}", markup=False)


@app.command()
def compare(
    campaign: CampaignArgument,
    server: ServerOption = None,
    data: DataOption = None,
    metric: MetricOption = None,
    json_file: JsonOption = None,
) -> None:
    """Print the comparison so far."""
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
    """Cancel a campaign; runs shared with another campaign continue."""
    with connect(server, data) as client:
        state = client.post(f"/campaigns/{campaign}/cancel")
        outcome = "had already ended" if state["state"] == "ended" else "cancelled"
        out.print(f"{state['id']} {outcome}: {render.runs_text(state)}")


@app.command()
def resume(
    campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None
) -> None:
    """Requeue a campaign's failed and cancelled runs."""
    with connect(server, data) as client:
        state = client.post(f"/campaigns/{campaign}/resume")
        outcome = "has nothing to resume" if state["ended"] else "resumed"
        out.print(f"{state['id']} {outcome}: {render.runs_text(state)}")


@app.command()
def extend(
    campaign: CampaignArgument,
    replications: Annotated[int, typer.Option(min=1, help="Total number of seeds per cell.")],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Add replications to a campaign; only the new runs are computed."""
    with connect(server, data) as client:
        body = {"replications": replications}
        state = client.post(f"/campaigns/{campaign}/replications", body)
        out.print(
            f"{state['id']}: {state['cells']} cells x {state['replications']} seeds = "
            f"{render.runs_text(state)}; to follow it: windtunnel watch {state['id']}"
        )


@app.command()
def delete(
    campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None
) -> None:
    """Delete a campaign, with the runs and results that no other campaign uses."""
    with connect(server, data) as client:
        state = client.get(f"/campaigns/{campaign}")
        client.delete(f"/campaigns/{state['id']}")
        out.print(f"deleted {state['id']} ({state['name']})", markup=False)


@app.command()
def verify(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id or unique prefix.")],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Execute a run again and compare its records byte for byte with the stored ones."""
    with connect(server, data) as client:
        verification = client.post(f"/runs/{run_id}/verify")
        with client.retrying(print_err):
            while verification["state"] in ("queued", "running"):
                time.sleep(0.3)
                verification = client.get(f"/verifications/{verification['id']}")
    short = verification["run_id"][:12]
    if verification["state"] == "identical":
        out.print(f"{short}: identical, digest {verification['digest']}", soft_wrap=True)
        return
    err.print(f"{short}: {verification['state']}: {verification['message']}", markup=False)
    raise typer.Exit(
        exit_codes.DIFFERENT if verification["state"] == "different" else exit_codes.RUNS_MISSING
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
    with report_problems(file):
        campaign = client.submit(file)
    submitted(campaign["id"])
    following.print_summary(out, campaign)
    ended = following.follow(client, campaign["id"], err)
    return following.print_results(client, ended, out, err, metrics, json_file)


def _while_serving(
    service: EmbeddedService, file: Path, metrics: list[str] | None, json_file: Path | None
) -> tuple[int, str | None]:
    """Run the campaign in a thread while the main thread supervises the service's processes."""
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
        err.print("interrupted; the campaign is kept and continues when a service runs again")
        return exit_codes.INTERRUPTED, outcome["id"]
    if outcome["error"]:
        raise outcome["error"]
    return outcome["code"], outcome["id"]


def _check_json_file(json_file: Path | None) -> None:
    """Fail before any work is done if the folder for the results is missing."""
    if json_file and not json_file.absolute().parent.is_dir():
        raise RefusedError("no_such_folder", f"--json {json_file}: no such folder")
