"""The tables. migrations/ makes them; a test asks Alembic whether both agree."""

from __future__ import annotations

from windtunnel.store.tables.access import (
    AuditEntry,
    BrowserSession,
    SignInLink,
    Token,
)
from windtunnel.store.tables.base import (
    Base,
)
from windtunnel.store.tables.campaigns import (
    CLAIM_TURN,
    Campaign,
    Cell,
    Scenario,
    WebhookDelivery,
)
from windtunnel.store.tables.installation import (
    CpuUse,
    Installation,
    Simulator,
    Submitter,
    Worker,
)
from windtunnel.store.tables.runs import (
    OPEN_VERIFICATION,
    Attempt,
    CampaignRun,
    CheckRow,
    Leased,
    MetricRow,
    RecordColumn,
    Run,
    SeriesRow,
    Verification,
)

__all__ = [
    "CLAIM_TURN",
    "OPEN_VERIFICATION",
    "Attempt",
    "AuditEntry",
    "Base",
    "BrowserSession",
    "Campaign",
    "CampaignRun",
    "Cell",
    "CheckRow",
    "CpuUse",
    "Installation",
    "Leased",
    "MetricRow",
    "RecordColumn",
    "Run",
    "Scenario",
    "SeriesRow",
    "SignInLink",
    "Simulator",
    "Submitter",
    "Token",
    "Verification",
    "WebhookDelivery",
    "Worker",
]
