"""What routes are given."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from windtunnel.errors import Problem, SpecError
from windtunnel.settings import Settings
from windtunnel.store.database import Database
from windtunnel_api.comparisons import Comparisons
from windtunnel_api.wakeup import Wakeup


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def _wakeup(request: Request) -> Wakeup:
    wakeup: Wakeup = request.app.state.wakeup
    return wakeup


def _comparisons(request: Request) -> Comparisons:
    comparisons: Comparisons = request.app.state.comparisons
    return comparisons


def _session(request: Request) -> Iterator[Session]:
    """A transaction for reading; what writes opens its own, to commit before it answers."""
    with _database(request).transaction() as session:
        yield session


CurrentSettings = Annotated[Settings, Depends(_settings)]
CurrentDatabase = Annotated[Database, Depends(_database)]
CurrentWakeup = Annotated[Wakeup, Depends(_wakeup)]
CurrentComparisons = Annotated[Comparisons, Depends(_comparisons)]
Reading = Annotated[Session, Depends(_session)]


def encode_cursor(values: list[Any]) -> str:
    """A page's end as text that means nothing to clients."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, length: int) -> list[Any]:
    """Raises SpecError for a text that encode_cursor did not make."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise SpecError([Problem("cursor", "is not one that this service gave")]) from error
    if not isinstance(values, list) or len(values) != length:
        raise SpecError([Problem("cursor", "is not one that this service gave")])
    return values
