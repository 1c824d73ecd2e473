"""Engine and sessions. Connection errors are raised as UnavailableError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session, sessionmaker

from windtunnel.errors import StorageRefusedError, UnavailableError, UntrustedServerError

# A connection to a host that is unreachable is given up after about 10 s by either end: the client
# tries again, and the server ends the transaction, which may hold locks that others wait for.
_KEEPALIVE = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
_UNACKNOWLEDGED_MS = 10_000
_OPTIONS = {
    "timezone": "UTC",
    **{f"tcp_{name}": value for name, value in _KEEPALIVE.items()},
    "tcp_user_timeout": _UNACKNOWLEDGED_MS,
}
# What libpq says if a certificate is not accepted, or if only one end wants TLS.
_UNTRUSTED = ("certificate", "server does not support SSL", "no encryption")


class Database:
    """The PostgreSQL connection pool of one process. Do not share it across a fork."""

    def __init__(self, url: str, pool_size: int = 5, pool_timeout: float = 10) -> None:
        self.url = url
        self._engine: Engine = create_engine(
            url,
            pool_size=pool_size,
            pool_timeout=pool_timeout,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": 5,
                "options": " ".join(f"-c {name}={value}" for name, value in _OPTIONS.items()),
                "tcp_user_timeout": _UNACKNOWLEDGED_MS,
                **_KEEPALIVE,
            },
        )
        self._sessions = sessionmaker(self._engine, expire_on_commit=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """One transaction: committed at the end of the block, rolled back if it raises.

        Raises UnavailableError, also as UntrustedServerError, and StorageRefusedError.
        """
        try:
            with self._sessions.begin() as session:
                yield session
        except OperationalError as error:
            if _exceeds_a_limit(error):
                raise StorageRefusedError(_rejected(error)) from error
            if reason := _untrusted(error):
                raise UntrustedServerError(reason) from error
            if _is_deadlock(error):
                raise UnavailableError("two requests waited for each other; try again") from error
            raise UnavailableError("PostgreSQL is unavailable") from error
        except PoolTimeoutError as error:
            raise UnavailableError("all connections to PostgreSQL are in use") from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise UnavailableError("the connection to PostgreSQL was lost") from error
            raise StorageRefusedError(_rejected(error)) from error

    def ping(self) -> None:
        """Raises UnavailableError if PostgreSQL does not answer."""
        with self.transaction() as session:
            session.execute(text("SELECT 1"))

    @property
    def engine(self) -> Engine:
        return self._engine

    def close(self) -> None:
        self._engine.dispose()


def _exceeds_a_limit(error: DBAPIError) -> bool:
    """Whether the values are too large (SQLSTATE class 54): no fault of the connection."""
    return str(getattr(error.orig, "sqlstate", None)).startswith("54")


def _is_deadlock(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlstate", None) == "40P01"


def _untrusted(error: OperationalError) -> str:
    """Why no trusted connection was made, if a retry would not help; else nothing."""
    lines = str(error.orig).splitlines()
    reason = next((line for line in lines if any(part in line for part in _UNTRUSTED)), "")
    return reason and (
        f"no trusted connection to PostgreSQL: {reason.strip()}; check the host name, sslmode and "
        "sslrootcert of WINDTUNNEL_DATABASE_URL"
    )


def _rejected(error: DBAPIError) -> str:
    return f"PostgreSQL rejected the statement: {error.orig}"


def migrate(url: str, folder: Path) -> None:
    """Upgrade the database to the newest schema. ``folder`` contains the Alembic migrations."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder))
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    command.upgrade(config, "head")
