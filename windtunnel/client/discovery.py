"""Finding a service: the one that is named, else the one on this machine.

Heavy modules are imported lazily: the light client is installed without them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.client.http import TOKEN_VARIABLE, HttpClient
from windtunnel.errors import UnavailableError

if TYPE_CHECKING:
    from windtunnel.embedded.folders import Folders


def find_service(
    server: str | None, data: Path | None, token: str | None = None
) -> HttpClient | None:
    """A client of ``server``, or of the service on this machine; None without either.

    Without ``token``, it is the one in the data folder on this machine's service, and
    WINDTUNNEL_TOKEN on a server that is named. Raises UnavailableError if neither can be read.
    """
    named = token
    token = token or os.environ.get(TOKEN_VARIABLE)
    options = repeated_options(server, data)
    local = running_service_address(data)
    if server is None:
        if local is None:
            return None
        try:
            return HttpClient(local, named or local_token(data), options)
        except UnavailableError:
            if not token:
                raise
            return HttpClient(local, token, options)
    if not token and server.rstrip("/") == local:
        token = local_token(data)
    return HttpClient(server, token, options)


def connect(server: str | None, data: Path | None) -> HttpClient:
    """A client as of `find_service`. Raises UnavailableError if no service is running."""
    client = find_service(server, data)
    if client is None:
        raise UnavailableError(
            "no service is running on this machine: start one with 'windtunnel serve', or give "
            "the address of another with --server"
        )
    return client


def repeated_options(server: str | None, data: Path | None) -> str:
    """The options that another command needs to reach the same service; with a blank before."""
    if server:
        return "" if server == os.environ.get("WINDTUNNEL_SERVER") else f" --server {server}"
    if data is None or str(data) == os.environ.get("WINDTUNNEL_DATA"):
        return ""
    return f" --data {data}"


def local_folders(data: Path | None) -> Folders:
    try:
        from windtunnel.embedded.folders import Folders, default_data
    except ImportError as error:
        raise not_installed(error) from error
    return Folders((data or default_data()).resolve())


def not_installed(error: ImportError) -> UnavailableError:
    return UnavailableError(
        f"this needs windtunnel[local] ({error.name} is missing): "
        "pip install 'windtunnel[local]', or name a server with --server"
    )


def running_service_address(data: Path | None) -> str | None:
    """Address of the service running on the data folder, or None."""
    try:
        from windtunnel.embedded.service import running_service
    except ImportError:
        return None
    return running_service(local_folders(data))


def local_token(data: Path | None) -> str | None:
    """The token of the data folder's owner; None if there is none. Raises UnavailableError."""
    try:
        from windtunnel.embedded.access import read_token
    except ImportError:
        return None
    try:
        return read_token(local_folders(data)) or None
    except FileNotFoundError:
        return None
