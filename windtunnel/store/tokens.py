"""Tokens that are in use, and those that were revoked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError, NotFoundError, Problem, SpecError
from windtunnel.store import locks
from windtunnel.store.tables import Token
from windtunnel.tokens import NAME_FORM, Scope, is_token, new_token, token_digest, token_id


@dataclass(frozen=True)
class Bearer:
    """Who a token belongs to."""

    name: str
    scope: Scope


def create_token(session: Session, name: str, scope: Scope) -> tuple[str, Token]:
    """A new token and its row; the token is shown once and can't be read again.

    Raises SpecError for a name that is none, ConflictError for one that is in use.
    """
    if not NAME_FORM.fullmatch(name):
        raise SpecError(
            [Problem("name", "must be 1 to 63 letters, digits, '.', '_', '@' or '-' (not first)")]
        )
    token = new_token()
    row = _add(session, token, name, scope)
    if row is None:
        raise ConflictError(f"the name {name!r} is in use; revoke its token or choose another")
    return token, row


def _add(session: Session, token: str, name: str, scope: Scope) -> Token | None:
    values = {
        "id": token_id(token),
        "name": name,
        "scope": scope,
        "digest": token_digest(token),
    }
    return session.scalars(
        insert(Token).values(values).on_conflict_do_nothing().returning(Token)
    ).first()


def create_bootstrap_token(session: Session, token: str) -> bool:
    """Give a database without any token its first, an admin's; whether it had none.

    Raises SpecError for a text that is no token.
    """
    if not is_token(token):
        raise SpecError([Problem("WINDTUNNEL_BOOTSTRAP_TOKEN", "is no token; make env writes one")])
    locks.change_admins(session)
    if session.scalar(select(func.count()).select_from(Token)):
        return False
    return _add(session, token, "first", Scope.ADMIN) is not None


def has_admin(session: Session) -> bool:
    """Whether anybody could administer this service."""
    query = select(Token.id).where(Token.scope == Scope.ADMIN, Token.revoked_at.is_(None))
    return session.scalar(query.limit(1)) is not None


def bearer_of(session: Session, token: str) -> Bearer | None:
    """Who presents this token; None if it is unknown or revoked."""
    query = select(Token.name, Token.scope).where(
        Token.digest == token_digest(token), Token.revoked_at.is_(None)
    )
    found = session.execute(query).first()
    return Bearer(found.name, Scope(found.scope)) if found else None


def list_tokens(session: Session) -> Sequence[Token]:
    """All tokens, the newest first, revoked ones too."""
    return session.scalars(select(Token).order_by(Token.created_at.desc(), Token.id)).all()


def revoke_token(session: Session, id_: str) -> Token:
    """Make a token worthless at once. Twice is once.

    Raises NotFoundError, and ConflictError for the last admin token, which nobody could replace.
    """
    locks.change_admins(session)
    row = session.get(Token, id_)
    if row is None:
        raise NotFoundError(f"there is no token {id_}")
    if row.revoked_at is None:
        others = select(Token.id).where(
            Token.scope == Scope.ADMIN, Token.revoked_at.is_(None), Token.id != id_
        )
        if row.scope == Scope.ADMIN and session.scalar(others.limit(1)) is None:
            raise ConflictError("this is the last admin token; create another one first")
        session.execute(update(Token).where(Token.id == id_).values(revoked_at=func.now()))
        session.refresh(row)
    return row
