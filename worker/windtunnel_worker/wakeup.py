"""Wake-up messages that tell idle workers to claim work."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel_worker.app import app, settings
from windtunnel_worker.broker import QUEUE, remove_junk

log = logging.getLogger(__name__)


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
