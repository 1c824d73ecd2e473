"""Commands on campaigns: from the plan over the comparison to the end of one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from windtunnel.cli import across, exit_codes, following, offline, planning, render, report
from windtunnel.cli.gating import (
    GateOption,
    GatesFileOption,
    Gating,
    JunitOption,
    MarkdownOption,
)
from windtunnel.cli.options import (
    AgainstOption,
    BaselineOption,
    CampaignArgument,
    DataOption,
    FileArgument,
    JsonOption,
    KeepOption,
    LabelOption,
    MetricOption,
    ServerOption,
    WithLabelOption,
    check_id,
    err,
    out,
    print_err,
    print_out,
    report_problems,
)
from windtunnel.cli.running import RunJob, interrupted_text
from windtunnel.cli.submitting import (
    DetachOption,
    IdempotencyKeyOption,
    Submission,
    SupersedeOption,
    cancelled_text,
    check_detached,
    superseded_text,
)
from windtunnel.client.discovery import connect, find_service, repeated_options
from windtunnel.client.files import InputFile, read_file
from windtunnel.errors import RefusedError, UnavailableError

app = typer.Typer()


@app.command()
def run(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
    metric: MetricOption = None,
    keep: KeepOption = False,
    label: LabelOption = None,
    against: AgainstOption = None,
    supersede: SupersedeOption = None,
    idempotency_key: IdempotencyKeyOption = None,
    detach: DetachOption = False,
    gate: GateOption = False,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
) -> None:
    """Submit a campaign, follow it and print the comparison.

    Without --server, uses the service on this machine, or starts one for the duration.
    """
    if detach:
        check_detached(
            {"--json": json_file, "--metric": metric, "--gate": gate, "--against": against}
        )
    source = read_file(file)
    report.check_target(json_file)
    gating = Gating(gate, junit=junit, markdown=markdown, against=against)
    gating.check()
    job = RunJob(
        submission=Submission(source, keep, label or (), supersede or (), idempotency_key),
        metrics=metric,
        json_file=json_file,
        out=err if json_file == report.STDOUT else out,
        options=repeated_options(server, data),
        gating=gating,
    )
    client = find_service(server, data)
    if detach and not client:
        raise UnavailableError(
            "--detach needs a service that continues, and none is running on this machine: start "
            "one with 'windtunnel serve', or give the address of another with --server"
        )
    if client:
        with client:
            sys.exit(job.detach(client) if detach else job.run_on(client))
    print_err("starting the service")  # which takes seconds
    with offline.service(data, job.print_message) as service:
        code = job.run_within(service)
    if job.campaign_id and code != exit_codes.INTERRUPTED:
        job.print_message(
            f"Look at it (all runs are kept):\n  windtunnel open {job.campaign_id}{job.options}"
        )
    sys.exit(code)


@app.command()
def plan(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    json_file: JsonOption = None,
) -> None:
    """Show a campaign's cells, runs and predicted cost. Needs no service."""
    source = read_file(file)
    report.check_target(json_file)
    content = _plan(source, server, data)
    if json_file:
        report.write(json_file, content)
    if json_file != report.STDOUT:
        planning.print_plan(out, content)


@app.command()
def submit(
    file: FileArgument,
    server: ServerOption = None,
    data: DataOption = None,
    dry_run: Annotated[
        bool, typer.Option(help="Show the plan and its cost like 'plan'; submit nothing.")
    ] = False,
    keep: KeepOption = False,
    label: LabelOption = None,
    supersede: SupersedeOption = None,
    idempotency_key: IdempotencyKeyOption = None,
) -> None:
    """Submit a campaign and print its id."""
    source = read_file(file)
    if dry_run:
        planning.print_plan(out, _plan(source, server, data))
        out.print("nothing was submitted")
        return
    with connect(server, data) as client, report_problems(source.name):
        submission = Submission(source, keep, label or (), supersede or (), idempotency_key)
        with client.retrying(print_err):
            submitted = submission.send(client)
        if submitted["superseded"]:
            print_err(superseded_text(submitted))
        if submitted["note"]:
            err.print(submitted["note"], markup=False)
        out.print(submitted["id"])
        if submission.was_cancelled(submitted):
            print_err(cancelled_text(submitted, repeated_options(server, data)))
            raise typer.Exit(exit_codes.RUNS_MISSING)


@app.command()
def watch(campaign: CampaignArgument, server: ServerOption = None, data: DataOption = None) -> None:
    """Follow a campaign to its end and print the comparison."""
    with connect(server, data) as client:
        state = client.get(f"/campaigns/{campaign}")
        following.print_summary(out, state)
        try:
            ended = following.follow(client, campaign, err)
            code = following.print_results(client, ended, out, err)
            with client.retrying(print_err):
                following.print_webhook(client.get(f"/campaigns/{campaign}"), out)
        except KeyboardInterrupt:
            print_err(interrupted_text(state["id"], repeated_options(server, data)))
            code = exit_codes.INTERRUPTED
        sys.exit(code)


@app.command()
def status(
    campaign: Annotated[
        str | None, typer.Argument(help="Campaign id; all if omitted.", callback=check_id)
    ] = None,
    label: WithLabelOption = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Show campaign progress; for one campaign also its failed and cancelled runs."""
    with connect(server, data) as client:
        if campaign:
            campaigns = [client.get(f"/campaigns/{campaign}")]
        else:
            campaigns = client.get("/campaigns", **({"label": label} if label else {}))["campaigns"]
        render.print_status(campaigns, out)
        for shown in campaigns:
            if shown.get("note"):
                out.print(f"{shown['id']}: {shown['note']}", markup=False)
        if campaign:
            across.print_labels(campaigns[0]["labels"], out)
            render.print_storage(campaigns[0], out)
            following.print_webhook(campaigns[0], out)
            following.print_superseded(campaigns[0], out, repeated_options(server, data))
            following.show_failures(client, campaigns[0], out, following.MAX_FAILURES_LISTED)


@app.command()
def compare(
    campaign: CampaignArgument,
    server: ServerOption = None,
    data: DataOption = None,
    metric: MetricOption = None,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Verdicts also where planned runs are missing.")
    ] = False,
    against: AgainstOption = None,
    baseline: BaselineOption = None,
    json_file: JsonOption = None,
    gate: GateOption = False,
    gates: GatesFileOption = None,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
) -> None:
    """Print the comparison so far, or with --against that with another campaign.

    Gates then compare with that campaign too, in place of the baseline. They, like verdicts, do not
    follow --baseline.
    """
    report.check_target(json_file)
    if baseline and against is not None:
        message = "with --against another campaign is the baseline; use it or --baseline"
        raise RefusedError("invalid_request", message)
    gates_file = read_file(gates) if gates else None
    gating = Gating(gate or gates_file is not None, gates_file, junit, markdown, against)
    gating.check()
    asked: dict[str, Any] = {
        "incomplete": incomplete,
        **({} if against is None else {"against": against}),
        **({"baseline": baseline} if baseline else {}),
    }
    with connect(server, data) as client, report_problems(None):
        table = err if json_file == report.STDOUT else out
        evaluated = gating.evaluate(client, campaign) if gating.enabled or json_file else None
        following.show_comparison(client, campaign, table, metric, asked)
        state = client.get(f"/campaigns/{campaign}")
        if json_file and evaluated:
            full = client.get(f"/campaigns/{campaign}/comparison", **asked)
            report.write(json_file, report.document(state, full, evaluated))
        if gating.enabled and evaluated:
            sys.exit(gating.report(evaluated, state, table, repeated_options(server, data)))


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
        state = client.extend(campaign, replications)
        print_out(
            f"{state['id']}: {render.counted(state['cells'], 'cell')} x "
            f"{render.counted(state['replications'], 'seed')} = {render.runs_text(state)}; "
            f"to follow it:\n  windtunnel watch {state['id']}{repeated_options(server, data)}"
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


def _plan(file: InputFile, server: str | None, data: Path | None) -> dict[str, Any]:
    """The plan, from a service if one is named or running, else for the installed simulators."""
    client = find_service(server, data)
    with report_problems(file.name, outcome=None):
        if client is None:
            return planning.offline_plan(file, data, print_err)
        with client:
            return planning.service_plan(client, file)
