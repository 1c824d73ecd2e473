"""Files given on the command line; ``-`` is stdin."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import RefusedError

STDIN = Path("-")


@dataclass(frozen=True)
class InputFile:
    """A file's content, the name that messages use, and whether it is JSON (otherwise YAML)."""

    name: str
    content: bytes
    is_json: bool

    @property
    def media_type(self) -> str:
        return "application/json" if self.is_json else "application/yaml"


def read_file(path: Path) -> InputFile:
    """Read a file or stdin. Raises RefusedError if there is no such file."""
    if path == STDIN:
        content = sys.stdin.buffer.read()
        return InputFile("stdin", content, _is_json(content))
    if path.is_dir():
        raise RefusedError("no_such_file", f"{path}: is a directory, not a file")
    if not path.exists():
        raise RefusedError("no_such_file", f"{path}: no such file")
    return InputFile(str(path), path.read_bytes(), path.suffix == ".json")


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True
