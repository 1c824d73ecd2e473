"""Ringing: telling idle workers that there is something to claim."""

from __future__ import annotations

import logging

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel_worker.app import app, settings

log = logging.getLogger(__name__)

QUEUE = "celery"


def ring(times: int) -> None:
    """Send wake-up messages, not more than would lie unheard for every slot."""
    if times <= 0:
        return
    try:
        with app.connection_or_acquire() as connection:
            waiting = connection.default_channel.client.llen(QUEUE)
            for _ in range(min(times, max(0, 4 * settings.slots - waiting))):
                app.send_task("windtunnel.execute", connection=connection)
    except (OperationalError, RedisError) as error:
        log.warning("Redis is away, nobody was woken up: %s", error)
