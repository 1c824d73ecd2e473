"""Quotas: how much one submitter may have at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quotas:
    """Limits of one submitter. 0 is unlimited; None stands for the service's default.

    ``max_open_runs`` counts queued and running runs and verifications. ``cpu_hours_per_day`` is
    over the last 24 hours, an execution counting as one CPU for as long as it takes.
    """

    max_open_runs: int | None = None
    cpu_hours_per_day: float | None = None
    max_storage_bytes: int | None = None

    def completed(self, defaults: Quotas) -> Quotas:
        """These quotas with the defaults where none is given."""
        return Quotas(
            *(
                getattr(defaults, name) if getattr(self, name) is None else getattr(self, name)
                for name in NAMES
            )
        )


NAMES = ("max_open_runs", "cpu_hours_per_day", "max_storage_bytes")
UNLIMITED = Quotas(0, 0, 0)
