"""The field ``notify``: a URL that is told when the campaign ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windtunnel.errors import Problem
from windtunnel.webhooks import MAX_URL_LENGTH, parse_url

NOTIFY_FIELD: Mapping[str, Any] = {
    "type": "object",
    "description": "Whom to tell when the campaign has ended or was cancelled.",
    "default": {},
    "additionalProperties": False,
    "properties": {
        "url": {
            "type": "string",
            "maxLength": MAX_URL_LENGTH,
            "description": "Receives a signed POST; https:// or http://, without credentials.",
        },
    },
}


def read_notify(value: Any, problems: list[Problem]) -> str | None:
    """The URL of a campaign file's ``notify``, if it has one. Adds to ``problems``."""
    url = value.get("url") if isinstance(value, dict) else None
    if not isinstance(url, str):
        return None
    try:
        parse_url(url)
    except ValueError as error:
        problems.append(Problem("notify.url", str(error)))
    return url
