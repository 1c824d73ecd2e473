"""Token format and scopes."""

from __future__ import annotations

import hashlib
import re
import secrets
from enum import StrEnum

PREFIX = "wt"
_FORM = re.compile(rf"{PREFIX}_[0-9a-f]{{8}}_[A-Za-z0-9_-]{{43}}")
NAME_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,62}")


class Scope(StrEnum):
    """What a token allows. Each scope includes the scopes before it."""

    READ = "read"
    SUBMIT = "submit"
    ADMIN = "admin"

    def includes(self, other: Scope) -> bool:
        """Whether this scope allows what ``other`` does."""
        order = list(Scope)
        return order.index(self) >= order.index(other)


def new_token() -> str:
    """Generate a token ``wt_ID_SECRET``: a public id and a secret of 256 random bits."""
    return f"{PREFIX}_{secrets.token_hex(4)}_{secrets.token_urlsafe(32)}"


def is_token(text: str) -> bool:
    """Whether a text has the format of a token."""
    return _FORM.fullmatch(text) is not None


def token_id(token: str) -> str:
    """The public id, used to list and revoke a token."""
    return token.split("_", 2)[1]


def token_digest(token: str) -> bytes:
    """The stored digest. Plain SHA-256 suffices because the secret is random."""
    return hashlib.sha256(token.encode()).digest()
