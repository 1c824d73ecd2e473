"""Retention policies: after how long what is pruned."""

from __future__ import annotations

from dataclasses import asdict, dataclass

MAX_DAYS = 36_500.0
# Younger entries of the audit log can't be pruned on request: nobody removes their own traces.
MIN_AUDIT_DAYS = 30.0


@dataclass(frozen=True)
class Policies:
    """Ages in days after which something is pruned; None: never.

    ``runs``: runs that no campaign contains, since their end. ``cancelled``: runs that only
    cancelled campaigns contain, since the last of these was cancelled. ``series`` and ``logs``: the
    time series and simulator logs of runs, since their end; all other results stay. ``audit``:
    entries of the audit log.
    """

    runs: float | None = None
    cancelled: float | None = None
    series: float | None = None
    logs: float | None = None
    audit: float | None = None

    @property
    def days(self) -> dict[str, float]:
        """Age by name of the policies that are on, in the order in which they are applied."""
        return {name: value for name, value in asdict(self).items() if value is not None}
