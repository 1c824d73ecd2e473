"""Results of a run."""

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
class PacketDelay:
    """How many data packets had a one-way delay in a range that ends at ``delay_ns``.

    A packet belongs to the first range whose end is at least its delay.
    """

    delay_ns: int
    packets: int


@dataclass(frozen=True)
class RunResult:
    """The contents of a complete record stream.

    ``record_digests`` holds 32 bytes per deterministic record, in order; ``digest`` is the SHA-256
    of it, in hex. ``packet_delays`` ascend; without any if the simulator does not report them.
    """

    started: Mapping[str, Any]
    metrics: tuple[MetricValue, ...]
    series: tuple[Series, ...]
    packet_delays: tuple[PacketDelay, ...]
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
        """Digest of all random traffic choices, from the ``started`` record."""
        digest = self.started.get("schedule")
        return digest if isinstance(digest, str) else None

    @property
    def broken_checks(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.held)


def first_difference(expected_digests: bytes, actual: RunResult) -> str | None:
    """Name of the first record that differs from the expected digests, or None."""
    for index, label in enumerate(actual.record_labels):
        record = slice(32 * index, 32 * index + 32)
        if expected_digests[record] != actual.record_digests[record]:
            return f"record {index + 1}: {label}"
    if len(expected_digests) > len(actual.record_digests):
        return f"record {len(actual.record_labels) + 1}: missing"
    return None
