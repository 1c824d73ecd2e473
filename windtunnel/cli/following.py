"""Follow a campaign to its end, then print its results."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from windtunnel.cli import exit_codes, render, report
from windtunnel.cli.client import Client

PLAIN_INTERVAL_SECONDS = 10.0
_MAX_FAILURES_SHOWN = 5


def print_summary(out: Console, campaign: Mapping[str, Any]) -> None:
    """Print a campaign's size, simulator builds and predicted cost on one line."""
    cells, seeds = campaign["cells"], campaign["replications"]
    computed = campaign["total_runs"] - campaign["reused_runs"]
    line = (
        f"{campaign['name']}: {cells} cells x {seeds} seeds = {campaign['total_runs']} runs on "
        f"{render.builds(campaign['simulators'])}, {campaign['reused_runs']} reused"
    )
    if computed:
        share = computed / campaign["total_runs"]
        cpu = render.duration(campaign["predicted_cpu_seconds"] * share)
        events = render.amount(campaign["predicted_events"] * share)
        line += f", about {cpu} of CPU ({events} events)"
    out.print(line, markup=False)
    print_lints(out, campaign["lints"])
    if campaign.get("note"):
        out.print(campaign["note"])


def print_lints(out: Console, lints: Sequence[Mapping[str, Any]]) -> None:
    """Print what is valid in a campaign file but likely a mistake, one line each."""
    for lint in lints:
        place = f"line {lint['line']}, " if lint["line"] else ""
        out.print(f"note: {place}{lint['path']}: {lint['message']}", markup=False, style="yellow")


def follow(client: Client, campaign_id: str, err: Console) -> dict[str, Any]:
    """Show progress until the campaign has ended and return its final state. Retries requests."""
    with client.retrying(lambda message: err.print(message, markup=False)):
        if err.is_terminal:
            return _follow_with_bar(client, campaign_id, err)
        return _follow_in_lines(client, campaign_id, err)


def _follow_in_lines(client: Client, campaign_id: str, err: Console) -> dict[str, Any]:
    campaign: dict[str, Any] = {}
    last = time.monotonic()
    for campaign in client.follow(campaign_id):
        if time.monotonic() - last >= PLAIN_INTERVAL_SECONDS:
            last = time.monotonic()
            err.print(render.runs_text(campaign))
    return campaign


def _follow_with_bar(client: Client, campaign_id: str, err: Console) -> dict[str, Any]:
    campaign: dict[str, Any] = {}
    first: tuple[float, int] | None = None
    with render.progress_bar(err) as progress:
        task = progress.add_task("", total=None, runs="", speed="")
        for campaign in client.follow(campaign_id):
            now = time.monotonic()
            first = first or (now, campaign["events"])
            speed = (campaign["events"] - first[1]) / max(1e-9, now - first[0])
            progress.update(
                task,
                total=campaign["planned_ns"],
                completed=campaign["simulated_ns"],
                runs=render.runs_text(campaign),
                speed=f"{render.amount(speed)} events/s" if now - first[0] > 1 else "",
            )
    return campaign


def print_results(
    client: Client,
    campaign: Mapping[str, Any],
    out: Console,
    err: Console,
    metrics: list[str] | None = None,
    json_file: Path | None = None,
) -> int:
    """Print comparison, cost and failed runs. Returns the exit code. Retries like `follow`."""
    with client.retrying(lambda message: err.print(message, markup=False)):
        return _print_results(client, campaign, out, err, metrics, json_file)


def _print_results(
    client: Client,
    campaign: Mapping[str, Any],
    out: Console,
    err: Console,
    metrics: list[str] | None,
    json_file: Path | None,
) -> int:
    show_comparison(client, campaign["id"], out, metrics)
    predicted, actual = campaign["predicted_events"], campaign["actual_events"]
    out.print(
        f"events: {render.amount(predicted)} predicted, {render.amount(actual)} actual; CPU: "
        f"{render.duration(campaign['predicted_cpu_seconds'])} predicted, "
        f"{render.duration(campaign['actual_cpu_seconds'])} actual (all runs, including reused)"
    )
    if json_file:
        full = client.get(f"/campaigns/{campaign['id']}/comparison")
        report.write(json_file, report.document(campaign, full))
    missing = campaign["runs"]["failed"] + campaign["runs"]["cancelled"]
    if not missing:
        return 0
    _show_failures(client, campaign, err)
    return exit_codes.RUNS_MISSING


def show_comparison(
    client: Client, campaign_id: str, out: Console, metrics: list[str] | None = None
) -> None:
    """Print the comparison table and its notes, for ``metrics`` or the default metrics."""
    path = f"/campaigns/{campaign_id}/comparison"
    comparison = client.get(path, metric=metrics) if metrics else client.get(path, default=True)
    out.print(render.comparison_table(comparison, out))
    for note in comparison["notes"]:
        out.print(note, style="dim", markup=False)
    out.print()


def _show_failures(client: Client, campaign: Mapping[str, Any], err: Console) -> None:
    runs = campaign["runs"]
    for state in ("failed", "cancelled"):
        if not runs[state]:
            continue
        err.print(f"{runs[state]} of {campaign['total_runs']} runs {state}", style="red")
        page = client.get(
            f"/campaigns/{campaign['id']}/runs", state=state, limit=_MAX_FAILURES_SHOWN
        )
        for run in page["runs"]:
            cell = " ".join(run["coordinates"].values())
            reason = f"{run['failure']}: " if run["failure"] else ""
            line = f"  {run['id'][:12]}  {cell}  seed {run['seed_index']}: {reason}{run['message']}"
            err.print(line, markup=False)
