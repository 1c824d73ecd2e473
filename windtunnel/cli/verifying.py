"""``windtunnel verify``: the same bytes again."""

from __future__ import annotations

import time

import typer

from windtunnel.cli import exit_codes
from windtunnel.cli.options import DataOption, RunArgument, ServerOption, err, out, print_err
from windtunnel.client.discovery import connect

app = typer.Typer()


@app.command()
def verify(
    run_id: RunArgument,
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
        exit_codes.ANSWER_IS_NO if verification["state"] == "different" else exit_codes.RUNS_MISSING
    )
