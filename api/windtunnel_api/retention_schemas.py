"""Schemas of retention and of the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from windtunnel.retention import MAX_DAYS, MIN_AUDIT_DAYS
from windtunnel_api.schemas import Wire

_Days = Annotated[float | None, Field(ge=0, le=MAX_DAYS, allow_inf_nan=False)]


class PruneIn(Wire):
    """Policies by age in days; without any, the service's own."""

    dry_run: bool = Field(default=False, strict=True, description="Only count.")
    runs: _Days = Field(default=None, description="Runs that no campaign contains.")
    cancelled: _Days = Field(
        default=None, description="Runs that only cancelled campaigns contain."
    )
    series: _Days = Field(default=None, description="Time series of runs.")
    logs: _Days = Field(default=None, description="Simulator logs of runs.")
    audit: Annotated[float | None, Field(ge=MIN_AUDIT_DAYS, le=MAX_DAYS)] = Field(
        default=None, description="Entries of the audit log."
    )


class PrunedOut(Wire):
    policy: Literal["runs", "cancelled", "series", "logs", "audit"]
    older_than_days: float
    count: int = Field(description="Runs; for audit: entries.")
    bytes: int


class PruneOut(Wire):
    """What was removed, or would be; ``more``: the time was up, repeat the request."""

    dry_run: bool
    pruned: list[PrunedOut]
    more: bool


class AuditEntryOut(Wire):
    id: int
    at: datetime
    actor: str | None = Field(description="Name of the token; null for the service itself.")
    token_id: str | None
    address: str | None = Field(description="Of the client.")
    action: str = Field(description="campaign.submit, token.revoke, ...")
    object: str = Field(description="Id of the campaign, run or token.")
    detail: dict[str, Any]


class AuditPage(Wire):
    entries: list[AuditEntryOut]
    next_cursor: str | None
