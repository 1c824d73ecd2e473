"""Wake-up messages: tell idle workers that there is something to claim."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel_worker.app import app, settings

log = logging.getLogger(__name__)

QUEUE = "celery"


def notify(times: int) -> int:
    """Send up to ``times`` wake-up messages, at most four pending per slot.

    Returns how many were pending before.
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
        log.warning("Redis is away, nobody was woken up: %s", error)
    return pending
