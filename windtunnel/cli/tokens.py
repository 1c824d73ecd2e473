"""``windtunnel token``: who may do what."""

from __future__ import annotations

from typing import Annotated

import typer

from windtunnel.cli import render
from windtunnel.cli.options import DataOption, ServerOption, connect, err, out
from windtunnel.tokens import Scope

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke tokens.")


@app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(help="Whose it is; campaigns show it.")],
    scope: Annotated[Scope, typer.Option(help="read, submit (and read) or admin (all).")],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Make a token and print it, this once: only a digest of it is kept."""
    with connect(server, data) as client:
        made = client.post("/tokens", {"name": name, "scope": scope})
        err.print(f"token {made['id']} for {name}, scope {scope}; it is not shown again:")
        typer.echo(made["token"])


@app.command("list")
def list_tokens(server: ServerOption = None, data: DataOption = None) -> None:
    """Show all tokens, revoked ones too; never the tokens themselves."""
    with connect(server, data) as client:
        rows = [
            (
                one["id"],
                one["name"],
                one["scope"],
                one["created_at"][:16].replace("T", " "),
                (one["revoked_at"] or "")[:16].replace("T", " "),
            )
            for one in client.get("/tokens")["tokens"]
        ]
        out.print(render.table_of(("id", "name", "scope", "created (UTC)", "revoked"), rows))


@app.command("revoke")
def revoke_token(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="As 'token list' shows it.")],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Make a token worthless at once."""
    with connect(server, data) as client:
        gone = client.delete(f"/tokens/{token_id}")
        out.print(f"token {gone['id']} of {gone['name']} is revoked", markup=False)
