"""Wake-up messages that tell idle workers to claim work."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel_worker.app import app, settings

log = logging.getLogger(__name__)

QUEUE = "celery"


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
