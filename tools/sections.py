"""Sections of documentation pages that a command writes."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
_END = "<!-- to here -->\n"


def write_section(page: str, command: str, text: str) -> None:
    """Replace what ``command`` wrote in docs/``page`` between its markers."""
    path = DOCS / page
    begin = f"<!-- {command} writes from here -->\n"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    after = rest.split(_END, 1)[1]
    path.write_text(f"{before}{begin}{text}\n{_END}{after}", encoding="utf-8")
