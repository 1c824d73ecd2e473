"""``windtunnel usage``: what submitters use of their quotas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from windtunnel.cli import render
from windtunnel.cli.options import DataOption, ServerOption, out
from windtunnel.client.discovery import connect

app = typer.Typer()


@app.command()
def usage(server: ServerOption = None, data: DataOption = None) -> None:
    """Show your open runs, CPU hours of the last day and storage; for admins, everybody's."""
    with connect(server, data) as client:
        answer = client.get("/usage")
    rows = [
        (
            row["name"] or "(without a token)",
            _of(row["open_runs"], row["quotas"]["max_open_runs"], str),
            _of(row["cpu_hours"], row["quotas"]["cpu_hours_per_day"], "{:.3g}".format),
            _of(row["storage_bytes"], row["quotas"]["max_storage_bytes"], render.size),
        )
        for row in answer["submitters"]
    ]
    columns = ("submitter", "open runs", "CPU hours in 24 h", "storage")
    out.print(render.plain_table(columns, rows))
    if answer["stored_bytes"] is not None:
        out.print(f"all runs, each counted once: {render.size(answer['stored_bytes'])}")


def _of(used: float, limit: float, text: Callable[[Any], str]) -> str:
    """``120 of 5000``, or without a limit ``120``."""
    return f"{text(used)} of {text(limit)}" if limit else text(used)
