"""``windtunnel audit``: who did what to what."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from windtunnel.cli import render
from windtunnel.cli.options import DataOption, ServerOption, out
from windtunnel.client.discovery import connect

app = typer.Typer()


@app.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=500, help="Number of entries.")] = 50,
    actor: Annotated[str | None, typer.Option(help="Only of this token's owner.")] = None,
    object_: Annotated[
        str | None, typer.Option("--object", help="Only on this campaign, run or token (full id).")
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Show the newest entries of the audit log; requires scope admin."""
    filters: dict[str, Any] = {"limit": limit, "actor": actor, "object": object_}
    with connect(server, data) as client:
        given = {name: value for name, value in filters.items() if value is not None}
        entries = client.get("/audit", **given)["entries"]
    rows = [
        (
            entry["at"][:19].replace("T", " "),
            entry["actor"] or "",
            entry["action"],
            entry["object"][:12],
            " ".join(f"{name}={value}" for name, value in entry["detail"].items()),
            entry["address"] or "",
        )
        for entry in entries
    ]
    columns = ("time (UTC)", "who", "action", "on", "detail", "from")
    out.print(render.plain_table(columns, rows))
