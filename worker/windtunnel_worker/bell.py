"""Ringing: telling idle workers that there is something to claim."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel_worker.app import app, settings

log = logging.getLogger(__name__)

QUEUE = "celery"


def ring(times: int) -> int:
    """Send wake-up messages, not more than would lie unheard for every slot.

    Returns how many lay unheard before.
    """
    if times <= 0:
        return 0
    waiting = 0
    try:
        with app.connection_or_acquire() as connection:
            waiting = int(connection.default_channel.client.llen(QUEUE))
            for _ in range(min(times, max(0, 4 * settings.slots - waiting))):
                app.send_task("windtunnel.execute", connection=connection)
    except (OperationalError, RedisError) as error:
        log.warning("Redis is away, nobody was woken up: %s", error)
    return waiting
