"""``windtunnel token``: create, list and revoke API tokens."""

from __future__ import annotations

from typing import Annotated

import typer

from windtunnel.cli import render
from windtunnel.cli.options import DataOption, ServerOption, connect, err, out
from windtunnel.tokens import Scope

app = typer.Typer(no_args_is_help=True, help="Create, list and revoke tokens.")


@app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(help="Owner name, shown on the campaigns they submit.")],
    scope: Annotated[
        Scope, typer.Option(help="read, submit (includes read) or admin (includes all).")
    ],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Create a token and print it once: the service stores only its digest."""
    with connect(server, data) as client:
        token = client.post("/tokens", {"name": name, "scope": scope})
        err.print(f"token {token['id']} for {name}, scope {scope}; it is not shown again:")
        typer.echo(token["token"])


@app.command("list")
def list_tokens(server: ServerOption = None, data: DataOption = None) -> None:
    """List all tokens, including revoked ones, without their secrets."""
    with connect(server, data) as client:
        rows = [
            (
                token["id"],
                token["name"],
                token["scope"],
                token["created_at"][:16].replace("T", " "),
                (token["revoked_at"] or "")[:16].replace("T", " "),
            )
            for token in client.get("/tokens")["tokens"]
        ]
        out.print(render.plain_table(("id", "name", "scope", "created (UTC)", "revoked"), rows))


@app.command("revoke")
def revoke_token(
    token_id: Annotated[
        str, typer.Argument(metavar="ID", help="Token id, as shown by 'token list'.")
    ],
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Revoke a token immediately."""
    with connect(server, data) as client:
        token = client.delete(f"/tokens/{token_id}")
        out.print(f"revoked token {token['id']} of {token['name']}", markup=False)
