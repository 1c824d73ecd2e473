"""Schemas of tokens, their quotas, sessions and sign-in links."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field

from windtunnel.tokens import Scope
from windtunnel_api.schemas import Wire


class QuotasOut(Wire):
    """Quotas; 0 is unlimited. Those of a token are null where the service's default applies."""

    max_open_runs: int | None = Field(
        default=None, ge=0, lt=2**31, description="Queued and running runs and verifications."
    )
    cpu_hours_per_day: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="In the last 24 hours."
    )
    max_storage_bytes: int | None = Field(
        default=None, ge=0, lt=2**63, description="Of results and logs."
    )


class UsageOut(Wire):
    """What a submitter uses, and its quotas (0: unlimited)."""

    name: Annotated[str | None, BeforeValidator(lambda name: name or None)]
    open_runs: int
    cpu_hours: float
    storage_bytes: int
    quotas: QuotasOut


class UsagesOut(Wire):
    submitters: list[UsageOut]
    stored_bytes: int | None = Field(
        description="Of all runs, each counted once; null unless the scope is admin."
    )


class NewTokenIn(QuotasOut):
    name: str = Field(description="Owner name, shown on the campaigns they submit.", max_length=63)
    scope: Scope
    days: int | None = Field(
        default=365, ge=1, le=3650, description="Days until it expires; null: never."
    )


class TokenOut(QuotasOut):
    id: str
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None = Field(description="null: never.")
    last_used_at: datetime | None = Field(description="To the minute.")
    revoked_at: datetime | None


class NewTokenOut(TokenOut):
    token: str


class TokensOut(Wire):
    tokens: list[TokenOut]


class SessionIn(Wire):
    token: str = Field(max_length=200)


class SessionOut(Wire):
    """``name`` and ``scope`` of the request's token; null without a valid one."""

    name: str | None
    scope: Scope | None


class LinkIn(Wire):
    next: str = Field(
        default="/",
        max_length=200,
        pattern="^/[A-Za-z0-9/_-]*$",
        description="Path of the page to show.",
    )


class LinkOut(Wire):
    path: str = Field(description="Path of the link on this service. It holds once.")
    expires_in_seconds: int
