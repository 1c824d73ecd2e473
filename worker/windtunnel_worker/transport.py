"""Kombu's Redis transport, made to survive what is not a message.

Whoever can write to Redis could otherwise stop every worker with one word in the queue.
"""

from __future__ import annotations

import logging
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis

log = logging.getLogger(__name__)

# What decoding and delivering raise for text that is not JSON, and for JSON that is no envelope.
_NOT_A_MESSAGE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class Channel(redis.Channel):
    """Drops what can't be delivered. It has been taken from the queue already."""

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except _NOT_A_MESSAGE as error:
            log.error("dropped something in Redis that is not a message: %r", error)
            raise Empty from error  # as after a poll without a message


class Transport(redis.Transport):
    Channel = Channel


def install() -> None:
    """Use this transport for redis:// and redis+socket:// URLs."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
