"""What a run leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class MetricValue:
    name: str
    value: float
    unit: str


@dataclass(frozen=True)
class Series:
    """A time series; value i belongs to ``first_ns + i * step_ns``. Shape (n,), float32."""

    name: str
    unit: str
    first_ns: int
    step_ns: int
    values: NDArray[np.float32]


@dataclass(frozen=True)
class Check:
    """An invariant of the simulation, and whether it held."""

    name: str
    held: bool
    detail: str


@dataclass(frozen=True)
class RunResult:
    """Everything that a finished record stream says.

    ``record_digests`` holds 32 bytes a deterministic record, in order; ``digest`` is SHA-256 over
    them, in hex.
    """

    started: Mapping[str, Any]
    metrics: tuple[MetricValue, ...]
    series: tuple[Series, ...]
    flows: tuple[Mapping[str, Any], ...]
    ports: tuple[Mapping[str, Any], ...]
    checks: tuple[Check, ...]
    events: int
    digest: str
    record_digests: bytes
    record_labels: tuple[str, ...]
    metadata: Mapping[str, Any]

    @property
    def schedule(self) -> str | None:
        """Digest of all random choices about traffic, as ``started`` carries it."""
        digest = self.started.get("schedule")
        return digest if isinstance(digest, str) else None

    @property
    def broken_checks(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.held)


def first_difference(kept: bytes, fresh: RunResult) -> str | None:
    """Name of the first record in which an execution differs from the kept digests, or None."""
    for index, label in enumerate(fresh.record_labels):
        place = slice(32 * index, 32 * index + 32)
        if kept[place] != fresh.record_digests[place]:
            return f"record {index + 1}: {label}"
    if len(kept) > len(fresh.record_digests):
        return f"record {len(fresh.record_labels) + 1}: missing"
    return None
