"""Dependencies of the routes, and pagination cursors."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Protocol

from fastapi import Depends, Query, Request
from fastapi.dependencies.models import Dependant
from sqlalchemy.orm import Session

from windtunnel.errors import Problem, SpecError
from windtunnel.settings import Settings
from windtunnel.spec.suggestions import nearest
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
    """A read transaction. Routes that write open their own, to commit before responding."""
    with _database(request).transaction() as session:
        yield session


def known_parameters(request: Request) -> None:
    """Raises SpecError for query parameters that the route does not have."""
    known = _query_parameters(request.scope["route"].dependant)
    problems = []
    for name in dict.fromkeys(request.query_params):
        if name not in known:
            hint = nearest(name, known) or f"; known: {', '.join(known) or 'none'}"
            problems.append(Problem(f"query.{name}", f"unknown query parameter{hint}"))
    if problems:
        raise SpecError(problems)


def _query_parameters(dependant: Dependant) -> list[str]:
    names = [field.alias for field in dependant.query_params]
    return names + [name for part in dependant.dependencies for name in _query_parameters(part)]


CurrentSettings = Annotated[Settings, Depends(_settings)]
CurrentDatabase = Annotated[Database, Depends(_database)]
CurrentWakeup = Annotated[Wakeup, Depends(_wakeup)]
CurrentComparisons = Annotated[Comparisons, Depends(_comparisons)]
ReadSession = Annotated[Session, Depends(_session)]
Limit = Annotated[int, Query(ge=1, le=500)]


class Created(Protocol):
    """An entry of a list that is ordered by creation, newest first."""

    @property
    def id(self) -> str: ...

    @property
    def created_at(self) -> datetime: ...


def creation_cursor(page: Sequence[Created]) -> str:
    """The cursor after the last entry of a page that is ordered by creation."""
    return encode_cursor([page[-1].created_at.isoformat(), page[-1].id])


def decode_creation_cursor(cursor: str | None) -> tuple[datetime, str] | None:
    """(created_at, id) of a creation_cursor. Raises SpecError."""
    if not cursor:
        return None
    created_at, id_ = decode_cursor(cursor, 2)
    try:
        int(id_, 16)
        return datetime.fromisoformat(created_at), id_
    except (TypeError, ValueError) as error:
        raise invalid_cursor() from error


def encode_cursor(values: list[Any]) -> str:
    """Encode the end of a page as an opaque text."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, length: int) -> list[Any]:
    """Decode a cursor. Raises SpecError if it was not created by encode_cursor."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise invalid_cursor() from error
    if not isinstance(values, list) or len(values) != length:
        raise invalid_cursor()
    return values


def invalid_cursor() -> SpecError:
    """The error for a malformed cursor."""
    return SpecError([Problem("cursor", "invalid cursor; use next_cursor of the previous page")])
