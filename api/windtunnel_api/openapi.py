"""``python -m windtunnel_api.openapi``: print the OpenAPI document without a running service."""

from __future__ import annotations

import json
import sys

from windtunnel.settings import Settings
from windtunnel_api.app import create_app


def document() -> str:
    """The document as JSON text. Opens no connections."""
    settings = Settings(database_url="postgresql+psycopg:///none", redis_url="redis:///0")
    return json.dumps(create_app(settings).openapi(), indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
