"""Ownership: only its submitter and admins may change what was submitted."""

from __future__ import annotations

from windtunnel.errors import ForbiddenError
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tokens import Bearer
from windtunnel.tokens import Scope


def submitter_name(bearer: Bearer | None) -> str:
    """The name under which the bearer submits."""
    return bearer.name if bearer else ANONYMOUS


def check_owner(bearer: Bearer | None, owner: str, subject: str) -> None:
    """Raises ForbiddenError unless the bearer is ``owner`` or an admin.

    ``subject`` is named in the message ("campaign 7f3a01b2c4"). What was submitted without a token
    has no owner and belongs to admins. A request without a token (``bearer`` is None) is only
    possible while tokens are off; it may change everything.
    """
    if bearer is None or bearer.scope is Scope.ADMIN or owner == bearer.name:
        return
    raise ForbiddenError(
        f"{subject} was submitted by {owner or 'nobody with a token'}, not by {bearer.name}; "
        "changing it requires the submitter's token or scope 'admin'"
    )
