"""``windtunnel token``: create, list, rotate and revoke API tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from windtunnel import quantities
from windtunnel.cli import render
from windtunnel.cli.options import DataOption, ServerOption, TokenArgument, err, out
from windtunnel.client.discovery import connect
from windtunnel.errors import QuantityError
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
    max_open_runs: Annotated[
        int | None, typer.Option(min=0, help="Quota of queued and running runs; 0 is unlimited.")
    ] = None,
    cpu_hours_per_day: Annotated[
        float | None, typer.Option(min=0, help="Quota of CPU hours in 24 hours; 0 is unlimited.")
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Quota of stored results: 20GiB; 0B is unlimited."),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Create a token and print it once: the service stores only its digest.

    Without quotas of its own, the service's apply (WINDTUNNEL_QUOTA_...).
    """
    if days and never_expires:
        raise typer.BadParameter("--days and --never-expires exclude each other")
    body: dict[str, Any] = {"name": name, "scope": scope}
    if days or never_expires:
        body["days"] = days
    quotas = {"max_open_runs": max_open_runs, "cpu_hours_per_day": cpu_hours_per_day}
    body |= {field: value for field, value in quotas.items() if value is not None}
    if storage is not None:
        body["max_storage_bytes"] = _bytes(storage)
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
                _quotas(token),
            )
            for token in client.get("/tokens")["tokens"]
        ]
        columns = (
            "id",
            "name",
            "scope",
            "created (UTC)",
            "last used",
            "expires",
            "revoked",
            "quotas",
        )
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


def _bytes(text: str) -> int:
    try:
        return quantities.parse(text, "bytes").value
    except QuantityError as error:
        raise typer.BadParameter(f"--storage: {error}") from error


def _quotas(token: Mapping[str, Any]) -> str:
    """A token's own quotas: ``5000 open runs, 48 CPU hours a day``."""
    runs, hours = token["max_open_runs"], token["cpu_hours_per_day"]
    storage = token["max_storage_bytes"]
    texts = [
        (runs, f"{runs or 'unlimited'} open runs"),
        (hours, f"{hours or 'unlimited'} CPU hours a day"),
        (storage, f"{render.size(storage) if storage else 'unlimited'} of storage"),
    ]
    return ", ".join(text for value, text in texts if value is not None)


def _time(text: str | None) -> str:
    return (text or "")[:16].replace("T", " ")
