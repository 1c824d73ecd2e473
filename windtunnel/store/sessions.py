"""Browsers: sessions behind cookies, and links that sign a browser in once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from windtunnel.store.tables import BrowserSession, SignInLink, Token
from windtunnel.store.tokens import Bearer, is_valid, note_use
from windtunnel.tokens import Scope

SESSION_LIFETIME = timedelta(days=30)
LINK_LIFETIME = timedelta(hours=1)


def open_session(session: Session, token_id: str) -> str:
    """Sign a browser in as the token's bearer. Returns the secret for its cookie.

    The session ends with the token, at the latest after SESSION_LIFETIME. Removes expired ones.
    """
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at < func.now()))
    secret = secrets.token_urlsafe(32)
    lifetime = func.now() + SESSION_LIFETIME
    session.add(BrowserSession(digest=_digest(secret), token_id=token_id, expires_at=lifetime))
    return secret


def bearer_of_session(session: Session, secret: str) -> Bearer | None:
    """Whom a cookie stands for; None if its session, or the token behind it, has ended."""
    query = (
        select(Token)
        .join(BrowserSession, BrowserSession.token_id == Token.id)
        .where(
            BrowserSession.digest == _digest(secret),
            BrowserSession.expires_at > func.now(),
            is_valid(),
        )
    )
    row = session.scalars(query).first()
    if row is None:
        return None
    note_use(session, row.id)
    return Bearer(row.id, row.name, Scope(row.scope), by_session=True)


def close_session(session: Session, secret: str) -> None:
    """Sign a browser out. Idempotent."""
    session.execute(delete(BrowserSession).where(BrowserSession.digest == _digest(secret)))


def create_link(session: Session, token_id: str) -> str:
    """The code of a link that signs a browser in as the token's bearer. Removes expired ones."""
    session.execute(delete(SignInLink).where(SignInLink.expires_at < func.now()))
    code = secrets.token_urlsafe(32)
    lifetime = func.now() + LINK_LIFETIME
    session.add(SignInLink(digest=_digest(code), token_id=token_id, expires_at=lifetime))
    return code


def redeem_link(session: Session, code: str) -> str | None:
    """Use a link: the id of its token, or None if it was used before or has expired."""
    return session.scalar(
        delete(SignInLink)
        .where(SignInLink.digest == _digest(code), SignInLink.expires_at > func.now())
        .returning(SignInLink.token_id)
    )


def _digest(secret: str) -> bytes:
    """Plain SHA-256 suffices because the secrets are random."""
    return hashlib.sha256(secret.encode(errors="surrogateescape")).digest()
