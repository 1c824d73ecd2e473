"""Removes what does not belong under the keys in Redis that Celery uses.

Such junk would make every worker and the API fail whenever they touch these keys. All that Redis
holds are wake-up messages, so removing too much is harmless: the reconciler sends more.
"""

from __future__ import annotations

import json
import logging
from typing import Any

log = logging.getLogger(__name__)

QUEUE = "celery"
_BINDINGS = f"_kombu.binding.{QUEUE}"
_UNACKED = "unacked"
_TYPES = {
    QUEUE: b"list",
    _BINDINGS: b"set",
    _UNACKED: b"hash",
    "unacked_index": b"zset",
    "unacked_mutex": b"string",
}
_BINDING = b"\x06\x16".join([QUEUE.encode(), b"", QUEUE.encode()])
_ENVELOPE = {"body", "content-encoding", "content-type", "headers", "properties"}


def remove_junk(client: Any) -> int:
    """Remove junk and return how many keys and entries it was. Raises RedisError.

    ``client`` is a redis.Redis that returns bytes.
    """
    removed = _remove_wrong_types(client)
    for item in client.lrange(QUEUE, 0, -1):
        if not _is_message(item):
            removed += _log(client.lrem(QUEUE, 0, item), "message", item)
    for tag, item in client.hgetall(_UNACKED).items():
        if not _is_unacknowledged(item):
            removed += _log(client.hdel(_UNACKED, tag), "unacknowledged message", item)
    for item in client.smembers(_BINDINGS):
        if item != _BINDING:
            removed += _log(client.srem(_BINDINGS, item), "binding", item)
    return removed


def _remove_wrong_types(client: Any) -> int:
    removed = 0
    for key, expected in _TYPES.items():
        kind = client.type(key)
        if kind not in (expected, b"none"):
            removed += _log(client.delete(key), f"{kind.decode()} under the key", key.encode())
    return removed


def _log(count: int, what: str, value: bytes) -> int:
    if count:
        log.error("removed junk from Redis: %s %r", what, value[:80])
    return count


def _is_message(text: bytes) -> bool:
    try:
        return _is_envelope(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _is_unacknowledged(text: bytes) -> bool:
    """Kombu stores ``[envelope, exchange, routing key]``."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(entry, list) and len(entry) == 3 and _is_envelope(entry[0])


def _is_envelope(value: Any) -> bool:
    if not isinstance(value, dict) or not value.keys() >= _ENVELOPE:
        return False
    properties, headers = value["properties"], value["headers"]
    return (
        isinstance(headers, dict)
        and isinstance(properties, dict)
        and isinstance(properties.get("delivery_tag"), str)
        and isinstance(properties.get("delivery_info"), dict)
    )
