"""Campaign files to start from: reproductions of papers, and examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from windtunnel.resources import resource
from windtunnel.spec import read_yaml


@dataclass(frozen=True)
class Template:
    """A campaign file; ``name`` is its path below its folder, ``title`` the campaign's name."""

    name: str
    kind: Literal["paper", "example"]
    title: str
    description: str
    file: str


@cache
def templates() -> tuple[Template, ...]:
    """The examples, then the papers, each sorted by name."""
    return (*_read("example", "examples", "*.yaml"), *_read("paper", "papers", "*/*.yaml"))


def _read(kind: Literal["paper", "example"], folder: str, pattern: str) -> Iterator[Template]:
    root: Path = resource(folder)
    for path in sorted(root.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        campaign = read_yaml(text).value
        name = path.relative_to(root).with_suffix("").as_posix()
        yield Template(name, kind, campaign["name"], campaign.get("description", "").strip(), text)
