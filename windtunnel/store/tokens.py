"""Stored tokens: create, list, revoke and look up by secret."""

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
    """The owner and scope of a token."""

    name: str
    scope: Scope


def create_token(session: Session, name: str, scope: Scope) -> tuple[str, Token]:
    """Create a token. Returns the token, which can't be read again, and its row.

    Raises SpecError for an invalid name, ConflictError for a name in use.
    """
    if not NAME_FORM.fullmatch(name):
        message = (
            f"invalid name {name!r}; use 1 to 63 letters, digits, '.', '_', '@' or '-', starting "
            "with a letter or digit"
        )
        raise SpecError([Problem("name", message)])
    token = new_token()
    row = _add(session, token, name, scope)
    if row is None:
        raise ConflictError(
            f"a token named {name!r} already exists; revoke it or choose another name"
        )
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
    """Create the bootstrap admin token if there are no tokens. Returns whether it was created.

    Raises SpecError for an invalid token.
    """
    if not is_token(token):
        message = "not a valid token; 'make env' generates one"
        raise SpecError([Problem("WINDTUNNEL_BOOTSTRAP_TOKEN", message)])
    locks.lock_admin_tokens(session)
    if session.scalar(select(func.count()).select_from(Token)):
        return False
    return _add(session, token, "first", Scope.ADMIN) is not None


def has_admin(session: Session) -> bool:
    """Whether there is an admin token that is not revoked."""
    query = select(Token.id).where(Token.scope == Scope.ADMIN, Token.revoked_at.is_(None))
    return session.scalar(query.limit(1)) is not None


def bearer_of(session: Session, token: str) -> Bearer | None:
    """The bearer of this token; None if it is unknown or revoked."""
    query = select(Token.name, Token.scope).where(
        Token.digest == token_digest(token), Token.revoked_at.is_(None)
    )
    row = session.execute(query).first()
    return Bearer(row.name, Scope(row.scope)) if row else None


def list_tokens(session: Session) -> Sequence[Token]:
    """All tokens, including revoked ones, newest first."""
    return session.scalars(select(Token).order_by(Token.created_at.desc(), Token.id)).all()


def revoke_token(session: Session, id_: str) -> Token:
    """Revoke a token immediately. Idempotent.

    Raises NotFoundError, or ConflictError for the last admin token.
    """
    locks.lock_admin_tokens(session)
    row = session.get(Token, id_)
    if row is None:
        raise NotFoundError(f"token {id_} does not exist")
    if row.revoked_at is None:
        others = select(Token.id).where(
            Token.scope == Scope.ADMIN, Token.revoked_at.is_(None), Token.id != id_
        )
        if row.scope == Scope.ADMIN and session.scalar(others.limit(1)) is None:
            raise ConflictError(
                f"token {id_} is the last admin token; create another admin token first"
            )
        session.execute(update(Token).where(Token.id == id_).values(revoked_at=func.now()))
        session.refresh(row)
    return row
