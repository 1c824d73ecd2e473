"""``windtunnel serve`` and ``open``: the service on this machine, and its pages."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli import offline, render
from windtunnel.cli.options import DataOption, ServerOption, check_id, out, print_err, print_out
from windtunnel.client.discovery import find_service
from windtunnel.client.http import HttpClient

app = typer.Typer()


@app.command()
def serve(
    data: DataOption = None,
    slots: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Concurrent runs; one per core by default.")
    ] = None,
    bind: Annotated[
        str,
        typer.Option(help="Address to listen on; put a TLS proxy before any that others reach."),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            envvar="WINDTUNNEL_PORT",
            help="Port to listen on; the first free one from 8000 by default.",
        ),
    ] = None,
) -> None:
    """Run the whole service on this machine until Ctrl-C."""
    _serve(data, slots, bind, port)


def _serve(
    data: Path | None,
    slots: int | None = None,
    bind: str = "127.0.0.1",
    port: int | None = None,
    page: str = "/",
) -> None:
    """Run the service until Ctrl-C; print a link to one of its pages."""
    print_err("starting the service")  # which takes seconds
    with offline.service(data, print_out, slots, bind, port) as service:
        print_out(f"Windtunnel is at {service.url}   (Ctrl-C to stop; results are kept)")
        builds = [
            {
                "name": build.description.name,
                "digest": build.description.digest,
                "built_at": build.built_at.isoformat(),
            }
            for build in service.builds()
        ]
        out.print(f"simulators: {render.builds(builds)}")
        with HttpClient(service.url, service.token) as client:
            _print_link(client.sign_in_link(page))
        try:
            service.watch()
        except KeyboardInterrupt:
            out.print("stopping")
    out.print("stopped")


def _print_link(link: str) -> None:
    out.print(
        "To sign a browser in (the link holds once, for an hour; a new one: windtunnel open):"
    )
    out.print(f"  {link}", markup=False, soft_wrap=True, highlight=False)


@app.command("open")
def open_page(
    campaign: Annotated[
        str | None,
        typer.Argument(help="Campaign id; the list of campaigns if omitted.", callback=check_id),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Open the web pages in a browser, signed in; starts the service if none is running."""
    client = find_service(server, data)
    if client is None:
        _serve(data, page=f"/campaigns/{campaign}" if campaign else "/")
        return
    with client:
        page = f"/campaigns/{client.get(f'/campaigns/{campaign}')['id']}" if campaign else "/"
        link = client.sign_in_link(page)
    _print_link(link)
    if sys.stdout.isatty():
        webbrowser.open(link)
