"""Wake-up messages that tell idle workers to claim work."""

from __future__ import annotations

import logging
import ssl
import sys
from collections.abc import Iterator

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel_worker.app import app, settings
from windtunnel_worker.broker import QUEUE, remove_junk

log = logging.getLogger(__name__)


# The other end has gone, as when Redis restarts.
_GONE = (ssl.SSLEOFError, ssl.SSLZeroReturnError)


def check_redis() -> None:
    """Exit with an error if Redis is not trusted. One that is away may return."""
    if not settings.redis_url.startswith("rediss:"):
        return
    try:
        with app.connection_or_acquire() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (OperationalError, RedisError, OSError) as error:
        reason = next(_tls_errors(error), None)
        if reason is not None:
            sys.exit(
                f"no trusted connection to Redis: {reason}; check the host name and "
                "ssl_ca_certs of WINDTUNNEL_REDIS_URL"
            )
        log.warning("Redis is unavailable, will retry: %s", error)


def _tls_errors(error: BaseException | None) -> Iterator[BaseException]:
    """Causes of an error that a retry does not mend: of TLS, or of the authority's file."""
    while error is not None:
        permanent = isinstance(error, ssl.SSLError | FileNotFoundError | PermissionError)
        if permanent and not isinstance(error, _GONE):
            yield error
        error = error.__cause__ or error.__context__


def clean() -> None:
    """Remove junk from Redis. Does nothing while Redis is unavailable."""
    try:
        with app.connection_or_acquire() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
            remove_junk(connection.default_channel.client)
    except (OperationalError, RedisError) as error:
        log.debug("Redis is unavailable: %s", error)


def notify(times: int) -> int:
    """Send up to ``times`` wake-up messages, with at most four pending per slot.

    Returns the number of messages that were already pending.
    """
    if times <= 0:
        return 0
    pending = 0
    try:
        with app.connection_or_acquire() as connection:
            pending = int(connection.default_channel.client.llen(QUEUE))
            for _ in range(min(times, max(0, 4 * settings.slots - pending))):
                app.send_task("windtunnel.execute", connection=connection)
    except (OperationalError, RedisError) as error:
        log.warning("Redis is unavailable, wake-up messages were not sent: %s", error)
    return pending
