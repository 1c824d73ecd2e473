"""Dependencies of the routes, and pagination cursors."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Depends, Query, Request
from fastapi.dependencies.models import Dependant
from pydantic import AwareDatetime, Field, TypeAdapter
from sqlalchemy.orm import Session

from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.settings import Settings
from windtunnel.store.database import Database
from windtunnel.suggestions import nearest
from windtunnel_api.authentication import Authenticator
from windtunnel_api.comparisons import Comparisons
from windtunnel_api.export_slots import ExportSlots
from windtunnel_api.recent_queue import RecentQueue
from windtunnel_api.wakeup import Wakeup

API_PREFIX = "/api/v1"


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


def _export_slots(request: Request) -> ExportSlots:
    slots: ExportSlots = request.app.state.export_slots
    return slots


def _queue(request: Request) -> RecentQueue:
    queue: RecentQueue = request.app.state.queue
    return queue


def _session(request: Request) -> Iterator[Session]:
    """A read transaction. Routes that write open their own, to commit before responding."""
    with _database(request).transaction() as session:
        yield session


def _authenticator(request: Request) -> Authenticator:
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


def known_parameters(request: Request) -> None:
    """Raises InvalidRequestError for query parameters that the route does not have."""
    known = _query_parameters(request.scope["route"].dependant)
    problems = []
    for name in dict.fromkeys(request.query_params):
        if name not in known:
            hint = nearest(name, known) or f"; known: {', '.join(known) or 'none'}"
            problems.append(Problem(f"query.{name}", f"unknown query parameter{hint}"))
    if problems:
        raise InvalidRequestError(problems)


def _query_parameters(dependant: Dependant) -> list[str]:
    names = [field.alias for field in dependant.query_params]
    return names + [name for part in dependant.dependencies for name in _query_parameters(part)]


CurrentSettings = Annotated[Settings, Depends(_settings)]
CurrentDatabase = Annotated[Database, Depends(_database)]
CurrentWakeup = Annotated[Wakeup, Depends(_wakeup)]
CurrentExportSlots = Annotated[ExportSlots, Depends(_export_slots)]
CurrentComparisons = Annotated[Comparisons, Depends(_comparisons)]
CurrentQueue = Annotated[RecentQueue, Depends(_queue)]
CurrentAuthenticator = Annotated[Authenticator, Depends(_authenticator)]
ReadSession = Annotated[Session, Depends(_session)]
Limit = Annotated[int, Query(ge=1, le=500)]


def encode_cursor(values: list[Any]) -> str:
    """Encode the end of a page as an opaque text."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


Values = TypeVar("Values")


def decode_cursor(cursor: str, form: TypeAdapter[Values]) -> Values:
    """Decode a cursor of this form. Raises InvalidRequestError if encode_cursor did not make it."""
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return form.validate_json(text, strict=True)
    except (ValueError, binascii.Error) as error:
        message = "invalid cursor; use next_cursor of the previous page of the same list"
        raise InvalidRequestError([Problem("query.cursor", message)]) from error


_CREATED = TypeAdapter(tuple[AwareDatetime, Annotated[str, Field(pattern="^[0-9a-f]{1,64}$")]])


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
    """(created_at, id) of a creation_cursor. Raises InvalidRequestError."""
    return decode_cursor(cursor, _CREATED) if cursor else None
