"""Wake-up messages to workers, sent by task name so that the API does not import worker code."""

from __future__ import annotations

import logging

from celery import Celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from windtunnel.errors import UnavailableError

log = logging.getLogger(__name__)

TASK = "windtunnel.execute"


class Wakeup:
    """Sends wake-up messages through Redis."""

    def __init__(self, redis_url: str) -> None:
        self._celery = Celery(broker=redis_url)
        self._celery.conf.broker_connection_timeout = 2
        self._celery.conf.broker_transport_options = {"socket_timeout": 2}

    def notify(self, times: int) -> None:
        """Send ``times`` wake-up messages. Losing them is harmless: the reconciler sends more."""
        try:
            for _ in range(times):
                self._celery.send_task(TASK, retry=False, ignore_result=True)
        except (OperationalError, RedisError, ValueError) as error:  # also junk in Redis
            log.warning("Redis is unavailable, wake-up messages were not sent: %s", error)

    def ping(self) -> None:
        """Raises UnavailableError if Redis does not answer."""
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
                connection.default_channel.client.ping()
        except (OperationalError, RedisError) as error:
            raise UnavailableError("Redis is unavailable") from error
