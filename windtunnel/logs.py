"""Log lines of API and workers: text, or one JSON object a line, with the fields of a context."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

TEXT_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"
FORMATS = ("text", "json")
# What every record has; other attributes come from `extra`.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_context: ContextVar[dict[str, Any]] = ContextVar("log fields")


@contextmanager
def fields(**values: Any) -> Iterator[None]:
    """Add these fields to all lines logged meanwhile in this context, such as a run's id."""
    token = _context.set({**_context.get({}), **values})
    try:
        yield
    finally:
        _context.reset(token)


def configure(level: str, form: str) -> None:
    """Log to stderr from ``level`` on. Raises ValueError for an unknown form."""
    if form not in FORMATS:
        raise ValueError(f"WINDTUNNEL_LOG_FORMAT is {form!r}; must be {' or '.join(FORMATS)}")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter(TEXT_FORMAT))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    """Fields of the context and of ``extra``, which wins."""
    extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    return {**_context.get({}), **extra}


class TextFormatter(logging.Formatter):
    """One line a record, however many lines its message has: no text can forge a record."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in _extra(record).items())
        return (super().format(record) + fields).replace("\n", "\\n").replace("\r", "\\r")


class JsonFormatter(logging.Formatter):
    """Time (UTC), level, logger, message, and the fields of the context and of ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_extra(record),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)
