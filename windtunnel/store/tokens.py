"""Stored tokens: create, list, revoke and look up by secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.errors import ConflictError, NotFoundError, Problem, SpecError
from windtunnel.quotas import NAMES, Quotas
from windtunnel.store import locks
from windtunnel.store.tables import Token
from windtunnel.tokens import NAME_FORM, Scope, is_token, new_token, token_digest, token_id

NO_QUOTAS = Quotas()


@dataclass(frozen=True)
class Bearer:
    """The owner and scope of a token.

    ``by_session``: known by a browser's session, not by the token itself.
    """

    token_id: str
    name: str
    scope: Scope
    by_session: bool = False


BOOTSTRAP_NAME = "first"
# Of the embedded service's token: whoever can read its data folder.
OWNER_NAME = "owner"
# How long after a use the next one is written down.
_USE_RESOLUTION = timedelta(minutes=1)


def create_token(
    session: Session,
    name: str,
    scope: Scope,
    valid_for: timedelta | None = None,
    quotas: Quotas = NO_QUOTAS,
) -> tuple[str, Token]:
    """Create a token. Returns the token, which can't be read again, and its row.

    Without ``valid_for`` it does not expire. ``quotas`` are its own. Raises SpecError for an
    invalid name, ConflictError for a name in use.
    """
    if not NAME_FORM.fullmatch(name):
        message = (
            f"invalid name {name!r}; use 1 to 63 letters, digits, '.', '_', '@' or '-', starting "
            "with a letter or digit"
        )
        raise SpecError([Problem("name", message)])
    _revoke_expired(session, name)
    token = new_token()
    row = _add(session, token, name, scope, valid_for, quotas)
    if row is None:
        raise ConflictError(
            f"a token named {name!r} already exists; revoke it or choose another name"
        )
    return token, row


def _add(
    session: Session,
    token: str,
    name: str,
    scope: Scope,
    valid_for: timedelta | None = None,
    quotas: Quotas = NO_QUOTAS,
) -> Token | None:
    values: dict[str, Any] = {
        "id": token_id(token),
        "name": name,
        "scope": scope,
        "digest": token_digest(token),
        "expires_at": func.now() + valid_for if valid_for else None,
        **asdict(quotas),
    }
    return session.scalars(
        insert(Token).values(values).on_conflict_do_nothing().returning(Token)
    ).first()


def create_bootstrap_token(session: Session, token: str) -> bool:
    """Create the bootstrap admin token if no admin token is valid. Returns whether it was created.

    Raises SpecError for an invalid token.
    """
    if not is_token(token):
        message = "not a valid token; 'make env' generates one"
        raise SpecError([Problem("WINDTUNNEL_BOOTSTRAP_TOKEN", message)])
    locks.lock_admin_tokens(session)
    if has_admin(session):
        return False
    _revoke_expired(session, BOOTSTRAP_NAME)
    return _add(session, token, BOOTSTRAP_NAME, Scope.ADMIN) is not None


def replace_owner_token(session: Session, token: str) -> bool:
    """Make this the admin token of the machine's owner, in place of an earlier one.

    Returns False, and changes nothing, if it is one that was revoked.
    """
    locks.lock_admin_tokens(session)
    same = session.scalars(select(Token).where(Token.digest == token_digest(token))).first()
    if same is not None:
        return same.revoked_at is None
    earlier = Token.name == OWNER_NAME, Token.revoked_at.is_(None)
    session.execute(update(Token).where(*earlier).values(revoked_at=func.now()))
    return _add(session, token, OWNER_NAME, Scope.ADMIN) is not None


def _revoke_expired(session: Session, name: str) -> None:
    """Free the name of an expired token."""
    expired = Token.name == name, Token.revoked_at.is_(None), Token.expires_at <= func.now()
    session.execute(update(Token).where(*expired).values(revoked_at=Token.expires_at))


def has_admin(session: Session) -> bool:
    """Whether there is an admin token that is valid."""
    query = select(Token.id).where(Token.scope == Scope.ADMIN, is_valid())
    return session.scalar(query.limit(1)) is not None


def is_valid() -> Any:
    """SQL condition: the token is neither revoked nor expired."""
    unexpired = or_(Token.expires_at.is_(None), Token.expires_at > func.now())
    return and_(Token.revoked_at.is_(None), unexpired)


def bearer_of(session: Session, token: str) -> Bearer | None:
    """The bearer of this token; None if it is unknown, revoked or expired. Notes the use."""
    query = select(Token).where(Token.digest == token_digest(token), is_valid())
    row = session.scalars(query).first()
    if row is None:
        return None
    note_use(session, row.id)
    return Bearer(row.id, row.name, Scope(row.scope))


def bearer_of_id(session: Session, id_: str) -> Bearer | None:
    """The bearer of the token with this id; None if it is unknown, revoked or expired."""
    row = session.scalars(select(Token).where(Token.id == id_, is_valid())).first()
    return Bearer(row.id, row.name, Scope(row.scope)) if row else None


def note_use(session: Session, id_: str) -> None:
    """Write down that a token was used, at most once a minute."""
    due = or_(Token.last_used_at.is_(None), Token.last_used_at < func.now() - _USE_RESOLUTION)
    session.execute(
        update(Token)
        .where(Token.id == id_, due)
        .values(last_used_at=func.now())
        .execution_options(synchronize_session=False)
    )


def list_tokens(session: Session) -> Sequence[Token]:
    """All tokens, including revoked ones, newest first."""
    return session.scalars(select(Token).order_by(Token.created_at.desc(), Token.id)).all()


def rotate_token(session: Session, id_: str) -> tuple[str, Token]:
    """Replace a token by a new one of the same name, scope, quotas and time to live.

    The old one is revoked immediately, and its browsers are signed out. Returns the new token and
    its row. Raises NotFoundError, or ConflictError for a token that is revoked, or in a file.
    """
    locks.lock_admin_tokens(session)
    old = _find(session, id_)
    if old.name == OWNER_NAME:
        raise ConflictError(
            f"token {id_} is the one in the data folder; to replace it, delete the file 'token' "
            "there and restart the service"
        )
    if old.revoked_at is not None:
        raise ConflictError(f"token {id_} is revoked; create a new one")
    valid_for = old.expires_at - old.created_at if old.expires_at else None
    _revoke(session, id_)
    token = new_token()
    quotas = Quotas(*(getattr(old, name) for name in NAMES))
    row = _add(session, token, old.name, Scope(old.scope), valid_for, quotas)
    assert row is not None  # its name has just become free
    return token, row


def _find(session: Session, id_: str) -> Token:
    row = session.get(Token, id_)
    if row is None:
        raise NotFoundError(f"token {id_} does not exist")
    return row


def _revoke(session: Session, id_: str) -> None:
    session.execute(update(Token).where(Token.id == id_).values(revoked_at=func.now()))


def revoke_token(session: Session, id_: str) -> Token:
    """Revoke a token immediately. Idempotent.

    Raises NotFoundError, or ConflictError for the last valid admin token.
    """
    locks.lock_admin_tokens(session)
    row = _find(session, id_)
    if row.revoked_at is None:
        others = select(Token.id).where(Token.scope == Scope.ADMIN, is_valid(), Token.id != id_)
        if row.scope == Scope.ADMIN and session.scalar(others.limit(1)) is None:
            raise ConflictError(
                f"token {id_} is the last admin token; create another admin token first"
            )
        _revoke(session, id_)
        session.refresh(row)
    return row
