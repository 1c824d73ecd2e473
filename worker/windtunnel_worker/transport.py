"""Kombu's Redis transport, made to survive what is not a message.

Whoever can write to Redis could otherwise stop every worker with one word in the queue.
"""

from __future__ import annotations

import logging
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis
from redis.exceptions import ResponseError

from windtunnel_worker.broker import remove_junk

log = logging.getLogger(__name__)

# What decoding and delivering raise for text that is not JSON, for JSON that is no envelope, and
# for values of other types under Celery's keys.
_JUNK = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ResponseError)


class QoS(redis.QoS):
    """Survives junk among the unacknowledged messages."""

    def restore_visible(self, *arguments: Any, **options: Any) -> Any:
        try:
            return super().restore_visible(*arguments, **options)  # type: ignore[no-untyped-call]
        except _JUNK as error:
            _clean(self.channel, error)


class Channel(redis.Channel):
    """Drops what can't be delivered. It has been taken from the queue already."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except _JUNK as error:
            _clean(self, error)
            raise Empty from error  # as after a poll without a message


def _clean(channel: Any, error: Exception) -> None:
    log.error("dropped something in Redis that is not a message: %r", error)
    with channel.conn_or_acquire() as client:
        remove_junk(client)


class Transport(redis.Transport):
    Channel = Channel


def install() -> None:
    """Use this transport for redis:// and redis+socket:// URLs."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
