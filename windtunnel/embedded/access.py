"""The token of the data folder's owner: who can read the file may do everything."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from windtunnel.embedded.folders import Folders
from windtunnel.errors import UnavailableError
from windtunnel.store.database import Database
from windtunnel.store.tokens import replace_owner_token
from windtunnel.tokens import is_token, new_token


def ensure_token(folders: Folders, database: Database) -> str:
    """The admin token of the data folder; created if it is missing, revoked or malformed."""
    try:
        token = read_token(folders)
    except FileNotFoundError:
        token = ""
    with database.transaction() as session:
        if is_token(token) and replace_owner_token(session, token):
            return token
        token = new_token()
        replace_owner_token(session, token)
    _write(folders, token)
    return token


def read_token(folders: Folders) -> str:
    """The token in the file. Raises FileNotFoundError, or UnavailableError if it is private."""
    try:
        return folders.token.read_text(encoding="ascii", errors="replace").strip()
    except PermissionError as error:
        raise UnavailableError(
            f"the service on {folders.data} belongs to another user: ask for a token "
            "(windtunnel token create NAME --scope submit) and set WINDTUNNEL_TOKEN and "
            "WINDTUNNEL_SERVER"
        ) from error


def _write(folders: Folders, token: str) -> None:
    """Readable by its owner only from the beginning, and never half-written."""
    descriptor, path = tempfile.mkstemp(dir=folders.data, prefix="token-")  # mode 0600
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{token}\n")
    Path(path).replace(folders.token)
