"""Ownership: only its submitter and admins may change what was submitted."""

from __future__ import annotations

from windtunnel.errors import ForbiddenError
from windtunnel.store.tokens import Bearer
from windtunnel.tokens import Scope


def check_owner(bearer: Bearer, owner: str, subject: str) -> None:
    """Raises ForbiddenError unless the bearer is ``owner`` or an admin.

    ``subject`` is named in the message ("campaign 7f3a01b2c4"). What was submitted without a token,
    by an earlier version, has no owner and belongs to admins.
    """
    if bearer.scope is Scope.ADMIN or owner == bearer.name:
        return
    raise ForbiddenError(
        f"{subject} was submitted by {owner or 'nobody with a token'}, not by {bearer.name}; "
        "changing it requires the submitter's token or scope 'admin'"
    )
