"""Follow a campaign to its end, then print its results."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from windtunnel.cli import exit_codes, render, report
from windtunnel.cli.across import print_reference
from windtunnel.cli.comparison_table import print_comparison
from windtunnel.client.http import HttpClient

PLAIN_INTERVAL_SECONDS = 10.0
_MAX_FAILURES_SHOWN = 5
MAX_FAILURES_LISTED = 500  # the API's largest page


def print_summary(out: Console, campaign: Mapping[str, Any]) -> None:
    """Print a campaign's size, simulator builds and predicted cost on one line."""
    computed = campaign["total_runs"] - campaign["reused_runs"]
    size = render.grid_size(campaign["cells"], campaign["replications"], campaign["total_runs"])
    line = (
        f"{campaign['name']}: {size} on {render.builds(campaign['simulators'])}, "
        f"{campaign['reused_runs']} reused"
    )
    if computed:
        share = computed / campaign["total_runs"]
        cpu = render.cpu_time(campaign["predicted_cpu_seconds"] * share)
        events = render.amount(campaign["predicted_events"] * share)
        line += f", about {cpu} of CPU ({events} events)"
    out.print(line, markup=False)
    print_lints(out, campaign["lints"])
    if campaign.get("note"):
        out.print(campaign["note"], markup=False)


def print_lints(out: Console, lints: Sequence[Mapping[str, Any]]) -> None:
    """Print what is valid in a campaign file but likely a mistake, one line each."""
    for lint in lints:
        place = f"line {lint['line']}, " if lint["line"] else ""
        out.print(f"note: {place}{lint['path']}: {lint['message']}", markup=False, style="yellow")


class ProgressDisplay:
    """Progress on stderr: a bar on a terminal, otherwise a line now and then."""

    def __init__(self, err: Console) -> None:
        self._err = err
        self._lock = threading.Lock()
        self._closed = False
        self._bar = render.ProgressBar(err) if err.is_terminal else None
        self._first: tuple[float, Mapping[str, Any]] | None = None
        self._last_line = 0.0

    def message(self, text: str) -> None:
        """Print a message above the bar."""
        with self._lock:
            if not self._closed:
                render.print_message(self._err, text)

    def update(self, campaign: Mapping[str, Any]) -> None:
        with self._lock:
            if self._closed:
                return
            if self._first is None:
                self._first = (time.monotonic(), campaign)
                self._last_line = time.monotonic()
                if self._bar:
                    self._bar.start()
            since, first = self._first
            elapsed = time.monotonic() - since
            if self._bar:
                speed = (campaign["events"] - first["events"]) / elapsed if elapsed > 1 else None
                self._bar.update(campaign, speed)
            elif time.monotonic() - self._last_line >= PLAIN_INTERVAL_SECONDS:
                self._last_line = time.monotonic()
                self._err.print(render.runs_text(campaign) + time_left(first, campaign, elapsed))

    def close(self) -> None:
        """End the display; later updates are ignored. Idempotent, and callable by any thread."""
        with self._lock:
            self._closed = True
            if self._bar:
                self._bar.stop()


def time_left(first: Mapping[str, Any], campaign: Mapping[str, Any], elapsed: float) -> str:
    """``   about 1 min 10 s left`` at the speed since ``first``; empty if nothing happened yet."""
    simulated = campaign["simulated_ns"] - first["simulated_ns"]
    remaining = campaign["planned_ns"] - campaign["simulated_ns"]
    if simulated <= 0 or remaining <= 0:
        return ""
    return f"   about {render.duration(elapsed * remaining / simulated)} left"


def follow(
    client: HttpClient, campaign_id: str, err: Console, display: ProgressDisplay | None = None
) -> dict[str, Any]:
    """Show progress until the campaign has ended and return its final state. Retries requests.

    Does not wait for a superseded campaign, whose runs may go on in the newer one.
    """
    display = display or ProgressDisplay(err)
    campaign: dict[str, Any] = {}
    try:
        with client.retrying(display.message):
            for campaign in client.follow(campaign_id):
                display.update(campaign)
                if campaign["superseded_by"]:
                    break
    finally:
        display.close()
    return campaign


def print_results(
    client: HttpClient,
    campaign: Mapping[str, Any],
    out: Console,
    err: Console,
    metrics: list[str] | None = None,
    json_file: str | None = None,
    gates: Mapping[str, Any] | None = None,
    asked: Mapping[str, Any] | None = None,
) -> int:
    """Print comparison, cost and failed runs. Returns the exit code. Retries like `follow`.

    ``gates`` are for the JSON file; by default the campaign's own. ``asked`` are further query
    parameters of the comparison.
    """
    with client.retrying(lambda message: render.print_message(err, message)):
        return _print_results(client, campaign, out, err, metrics, json_file, gates, asked or {})


def _print_results(
    client: HttpClient,
    campaign: Mapping[str, Any],
    out: Console,
    err: Console,
    metrics: list[str] | None,
    json_file: str | None,
    gates: Mapping[str, Any] | None,
    asked: Mapping[str, Any],
) -> int:
    if campaign["runs"]["succeeded"]:
        show_comparison(client, campaign["id"], out, metrics, asked)
        _print_cost(campaign, out)
    else:
        out.print("no run has succeeded, so there is nothing to compare")
    if json_file:
        full = client.get(f"/campaigns/{campaign['id']}/comparison", **asked)
        gates = gates or client.get(f"/campaigns/{campaign['id']}/gates", **asked)
        report.write(json_file, report.document(campaign, full, gates))
    missing = campaign["runs"]["failed"] + campaign["runs"]["cancelled"]
    if missing:
        show_failures(client, campaign, err)
    print_superseded(campaign, err, client.options)
    return exit_codes.RUNS_MISSING if missing or campaign["superseded_by"] else 0


def print_superseded(campaign: Mapping[str, Any], console: Console, options: str) -> None:
    """Say which newer campaign this one was cancelled for, if any."""
    if newer := campaign["superseded_by"]:
        render.print_message(
            console,
            f"{campaign['id']} was cancelled, superseded by {newer}; to follow that one:\n"
            f"  windtunnel watch {newer}{options}",
        )


def print_webhook(campaign: Mapping[str, Any], console: Console) -> None:
    """Print what came of the last delivery to the campaign's webhook, if it has one."""
    last = campaign["webhook"]
    if last is None:
        return
    attempts = render.counted(last["attempts"], "attempt")
    text = {
        "waiting": "not sent yet",
        "retrying": f"retrying after {attempts}: {last['last_error']}",
        "delivered": f"delivered {(last['delivered_at'] or '')[:16].replace('T', ' ')} UTC",
        "given_up": f"given up after {attempts}: {last['last_error']}",
    }[last["state"]]
    console.print(f"webhook {last['url']}: {text}", markup=False)


def _print_cost(campaign: Mapping[str, Any], out: Console) -> None:
    """Print predicted and actual cost; the CPU time of failed attempts is not known."""
    predicted, actual = campaign["predicted_events"], campaign["actual_events"]
    succeeded, total = campaign["runs"]["succeeded"], campaign["total_runs"]
    which = "all" if succeeded == total else f"{succeeded} succeeded"
    out.print(
        f"events: {render.amount(predicted)} predicted, {render.amount(actual)} actual; CPU: "
        f"{render.cpu_time(campaign['predicted_cpu_seconds'])} predicted, "
        f"{render.cpu_time(campaign['actual_cpu_seconds'])} actual (of {which} runs, including "
        "reused)"
    )


def show_comparison(
    client: HttpClient,
    campaign_id: str,
    out: Console,
    metrics: list[str] | None = None,
    asked: Mapping[str, Any] | None = None,
) -> None:
    """Print the comparison table and its notes, for ``metrics`` or the default metrics.

    ``asked`` are further query parameters: ``incomplete``, ``against``.
    """
    shown: dict[str, Any] = {"metric": metrics} if metrics else {"default": True}
    comparison = client.get(f"/campaigns/{campaign_id}/comparison", **shown, **(asked or {}))
    if comparison["against"]:
        print_reference(comparison["against"], out)
    print_comparison(comparison, out)
    out.print()


def show_failures(
    client: HttpClient, campaign: Mapping[str, Any], err: Console, limit: int = _MAX_FAILURES_SHOWN
) -> None:
    """List up to ``limit`` failed and as many cancelled runs, and say how to see the others."""
    runs = campaign["runs"]
    for state in ("failed", "cancelled"):
        if not runs[state]:
            continue
        total = render.counted(campaign["total_runs"], "run")
        err.print(f"{runs[state]} of {total} {state}", style="red")
        page = client.get(f"/campaigns/{campaign['id']}/runs", state=state, limit=limit)
        for run in page["runs"]:
            cell = " ".join(run["coordinates"].values())
            reason = ": ".join(filter(None, (run["failure"], run["message"]))) or state
            line = f"  {run['id'][:12]}  {cell}  seed {run['seed_index']}: {reason}"
            err.print(line, markup=False)
        more = runs[state] - len(page["runs"])
        if more > 0:
            err.print(f"  ... and {more} more")
            if limit < MAX_FAILURES_LISTED:
                render.print_message(
                    err, f"all of them:\n  windtunnel status {campaign['id']}{client.options}"
                )
