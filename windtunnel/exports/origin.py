"""Where an exported file comes from, and whether it is complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from windtunnel import __version__


@dataclass(frozen=True)
class Origin:
    """A campaign and its numbers of runs when the export began.

    ``without_series``: finished runs whose series were pruned, or lack what the file is made of.
    """

    campaign: str
    name: str
    what: str
    planned: int
    finished: int
    failed: int = 0
    cancelled: int = 0
    without_series: int = 0

    @property
    def complete(self) -> bool:
        return self.finished == self.planned and not self.without_series

    @property
    def note(self) -> str:
        """``incomplete: 28 of 40 runs have finished, 2 failed``; nothing if complete."""
        if self.complete:
            return ""
        parts = [f"incomplete: {self.finished} of {self.planned} runs have finished"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.cancelled} cancelled"] if self.cancelled else []
        if self.without_series:
            parts.append(f"{self.without_series} of them without series")
        return ", ".join(parts)

    def record(self) -> dict[str, Any]:
        """As JSON: what Parquet files have as metadata and JSON files before their rows."""
        return {
            "campaign": self.campaign,
            "name": self.name,
            "what": self.what,
            "complete": self.complete,
            "planned": self.planned,
            "finished": self.finished,
            "failed": self.failed,
            "cancelled": self.cancelled,
            "note": self.note,
            "windtunnel": __version__,
        }
