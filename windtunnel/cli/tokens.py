"""``windtunnel token``: create, list, rotate and revoke API tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from windtunnel.cli import render
from windtunnel.cli.options import DataOption, ServerOption, TokenArgument, connect, err, out
from windtunnel.tokens import Scope

app = typer.Typer(no_args_is_help=True, help="Create, list, rotate and revoke tokens.")


@app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(help="Owner name, shown on the campaigns they submit.")],
    scope: Annotated[
        Scope, typer.Option(help="read, submit (includes read) or admin (includes all).")
    ],
    days: Annotated[
        int | None, typer.Option(min=1, max=3650, help="Days until it expires; 365 by default.")
    ] = None,
    never_expires: Annotated[bool, typer.Option(help="It stays valid until revoked.")] = False,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Create a token and print it once: the service stores only its digest."""
    if days and never_expires:
        raise typer.BadParameter("--days and --never-expires exclude each other")
    body: dict[str, Any] = {"name": name, "scope": scope}
    if days or never_expires:
        body["days"] = days
    with connect(server, data) as client:
        _print_once(client.post("/tokens", body))


@app.command("list")
def list_tokens(server: ServerOption = None, data: DataOption = None) -> None:
    """List all tokens, including revoked ones, without their secrets."""
    with connect(server, data) as client:
        rows = [
            (
                token["id"],
                token["name"],
                token["scope"],
                *(_time(token[f"{name}_at"]) for name in ("created", "last_used")),
                _time(token["expires_at"]) or "never",
                _time(token["revoked_at"]),
            )
            for token in client.get("/tokens")["tokens"]
        ]
        columns = ("id", "name", "scope", "created (UTC)", "last used", "expires", "revoked")
        out.print(render.plain_table(columns, rows))


@app.command("rotate")
def rotate_token(
    token_id: TokenArgument,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Replace a token by a new one, printed once; the old one is revoked immediately."""
    with connect(server, data) as client:
        _print_once(client.post(f"/tokens/{token_id}/rotate"))


@app.command("revoke")
def revoke_token(
    token_id: TokenArgument,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Revoke a token immediately."""
    with connect(server, data) as client:
        token = client.delete(f"/tokens/{token_id}")
        out.print(f"revoked token {token['id']} of {token['name']}", markup=False)


def _print_once(token: Mapping[str, Any]) -> None:
    expires = _time(token["expires_at"])
    until = f"until {expires} UTC" if expires else "without expiry"
    err.print(
        f"token {token['id']} for {token['name']}, scope {token['scope']}, {until}; it is not "
        "shown again:",
        markup=False,
    )
    typer.echo(token["token"])


def _time(text: str | None) -> str:
    return (text or "")[:16].replace("T", " ")
