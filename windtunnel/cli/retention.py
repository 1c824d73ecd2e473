"""``windtunnel prune`` and ``windtunnel keep``: what retention removes, and what it never does."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from windtunnel.cli import render
from windtunnel.cli.options import (
    CampaignArgument,
    DataOption,
    ServerOption,
    out,
    print_err,
    print_out,
)
from windtunnel.client.discovery import connect
from windtunnel.client.http import HttpClient
from windtunnel.errors import UnavailableError

app = typer.Typer()

_UNITS_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}
_WHAT = {
    "runs": "runs that no campaign contains",
    "cancelled": "runs of cancelled campaigns only",
    "series": "time series of runs",
    "logs": "simulator logs of runs",
    "audit": "entries of the audit log",
}
# Answers in a row that removed nothing because runs were being added.
_MAX_BUSY = 12


def _age(text: str) -> float:
    """An age in days. Raises BadParameter."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(h|d|w)", text)
    if match is None:
        raise typer.BadParameter(f"{text!r} is not an age such as 90d, 12h or 8w")
    return float(match[1]) * _UNITS_DAYS[match[2]]


def _after(policy: str) -> Any:
    help_text = f"Prune {_WHAT[policy]}, older than this."
    return typer.Option(f"--{policy}-after", metavar="AGE", parser=_age, help=help_text)


@app.command()
def prune(
    dry_run: Annotated[bool, typer.Option(help="Show what would be removed.")] = False,
    yes: Annotated[bool, typer.Option(help="Do not ask for confirmation.")] = False,
    runs: Annotated[Any, _after("runs")] = None,
    cancelled: Annotated[Any, _after("cancelled")] = None,
    series: Annotated[Any, _after("series")] = None,
    logs: Annotated[Any, _after("logs")] = None,
    audit: Annotated[Any, _after("audit")] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Remove old data now; requires scope admin.

    Without an age, the service's policies apply (WINDTUNNEL_RETENTION_...). Campaigns that are kept
    and runs in execution are never touched. An age is like 90d, 12h or 8w.
    """
    ages = {"runs": runs, "cancelled": cancelled, "series": series, "logs": logs, "audit": audit}
    policies = {name: age for name, age in ages.items() if age is not None}
    with connect(server, data) as client:
        preview = client.post("/prune", {"dry_run": True, **policies})["pruned"]
        if not preview:
            print_out("no policy is set; give one, such as --series-after 90d")
            return
        _print_table(preview)
        if dry_run:
            out.print("nothing was removed (dry run)")
        elif not any(row["count"] for row in preview):
            out.print("nothing to remove")
        else:
            _confirm(yes)
            _print_removed(_prune(client, policies))


@app.command()
def keep(
    campaign: CampaignArgument,
    keep_: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Whether retention spares the campaign.")
    ] = True,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Exempt a campaign from retention: nothing of its runs is ever pruned."""
    with connect(server, data) as client:
        state = client.patch(f"/campaigns/{campaign}", {"keep": keep_})
        outcome = "is kept" if state["keep"] else "is no longer kept"
        out.print(f"{state['id']} ({state['name']}) {outcome}", markup=False)


def _confirm(yes: bool) -> None:
    """Ask on a terminal. Raises BadParameter without one, unless ``yes``; Abort if declined."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("not on a terminal: give --yes to remove this, or --dry-run")
    typer.confirm("Remove this for good?", abort=True)


def _prune(client: HttpClient, policies: Mapping[str, float]) -> dict[str, list[int]]:
    """Repeat the request until nothing is left. Count and bytes removed, by policy.

    Raises UnavailableError if runs are being added all the time.
    """
    removed: dict[str, list[int]] = {}
    busy = 0
    while True:
        answer = client.post("/prune", dict(policies))
        for row in answer["pruned"]:
            sums = removed.setdefault(row["policy"], [0, 0])
            sums[0] += row["count"]
            sums[1] += row["bytes"]
        if not answer["more"]:
            return removed
        busy = 0 if any(row["count"] for row in answer["pruned"]) else busy + 1
        if busy == _MAX_BUSY:
            raise UnavailableError("runs are being added all the time; prune again later")
        print_err(f"removed {_sum(removed)} so far")


def _print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    cells = [
        (
            row["policy"],
            _days(row["older_than_days"]),
            f"{row['count']:,}",
            render.size(row["bytes"]),
            _WHAT[row["policy"]],
        )
        for row in rows
    ]
    out.print(render.plain_table(("policy", "older than", "count", "size", "what"), cells))


def _print_removed(removed: Mapping[str, Sequence[int]]) -> None:
    for policy, (count, size) in removed.items():
        if count:
            out.print(f"removed {render.size(size)}: {_WHAT[policy]} ({count:,})")


def _sum(removed: Mapping[str, Sequence[int]]) -> str:
    return render.size(sum(size for _, size in removed.values()))


def _days(days: float) -> str:
    """``90 days``, ``12 h``."""
    return f"{days * 24:.3g} h" if days < 2 else f"{days:g} days"
