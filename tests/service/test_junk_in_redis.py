"""Whatever is written into Redis, workers go on, or start again without it."""

from __future__ import annotations

import base64
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from tests.conftest import Service, start_service, tiny_campaign

ENVELOPE: dict[str, Any] = {
    "body": base64.b64encode(b"[[], {}, {}]").decode(),
    "content-encoding": "utf-8",
    "content-type": "application/json",
    "headers": {"task": "windtunnel.execute", "id": "1"},
    "properties": {"delivery_tag": "1", "delivery_info": {}, "body_encoding": "base64"},
}


def envelope(**changes: Any) -> bytes:
    return json.dumps({**ENVELOPE, **changes}).encode()


MESSAGES: dict[str, bytes] = {
    "words": b"this is no message",
    "bytes": bytes(range(128, 256)),
    "empty": b"",
    "number": b"5",
    "null": b"null",
    "list": b"[1, 2]",
    "empty object": b"{}",
    "deeply nested": b"[" * 10**5,
    "no properties": json.dumps({"body": "x"}).encode(),
    "properties are a list": envelope(properties=[]),
    "headers are a word": envelope(headers="x"),
    "no delivery tag": envelope(properties={"delivery_info": {}}),
    "no task": envelope(headers={}),
    "unknown task": envelope(headers={"task": "os.system", "id": "1"}),
    "body is no base64": envelope(body="%%%"),
    "body is no JSON": envelope(body=base64.b64encode(b"\xff\xfe").decode()),
    "unknown encoding": envelope(**{"content-encoding": "rot13"}),
    "pickle": envelope(**{"content-type": "application/x-python-serialize"}),
}
KEYS: dict[str, Callable[[Any], object]] = {
    "queue is a string": lambda client: client.set("celery", "x"),
    "queue is a hash": lambda client: client.hset("celery", "a", "b"),
    "bindings are a string": lambda client: client.set("_kombu.binding.celery", "x"),
    "a binding is a word": lambda client: client.sadd("_kombu.binding.celery", "x"),
    "unacked is a string": lambda client: client.set("unacked", "x"),
    "unacked has words": lambda client: client.hset("unacked", "tag", "x"),
    "index is a string": lambda client: client.set("unacked_index", "x"),
    "index names words": lambda client: (
        client.hset("unacked", "tag", "x"),
        client.zadd("unacked_index", {"tag": 1}),
    ),
    "mutex is a list": lambda client: client.rpush("unacked_mutex", "x"),
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(lease_seconds="4", reconcile_seconds="0.5")


@pytest.fixture
def client(service: Service) -> Iterator[redis.Redis]:
    with redis.Redis(unix_socket_path=str(service.folders.sockets / "redis.sock")) as client:
        yield client


def main_process(service: Service) -> int:
    return next(part.child.pid for part in service.running._parts if part.name == "worker")


def run_one(service: Service, offset: int) -> None:
    campaign = service.submit(tiny_campaign(sweep={"offset": [offset, offset + 1]}))
    assert service.wait(campaign["id"], 40)["runs"]["succeeded"] == 2


@pytest.mark.parametrize("what", MESSAGES)
def test_the_worker_survives_junk_in_its_queue(
    service: Service, client: redis.Redis, what: str
) -> None:
    before = main_process(service)
    client.lpush("celery", MESSAGES[what], MESSAGES[what])
    run_one(service, 10 * (1 + list(MESSAGES).index(what)))
    service.until(lambda: client.llen("celery"), lambda length: length == 0)
    assert main_process(service) == before


@pytest.mark.parametrize("what", KEYS)
def test_wrong_values_under_celerys_keys_are_removed(
    service: Service, client: redis.Redis, what: str
) -> None:
    before = main_process(service)
    log = service.folders.logs / "worker.log"
    lines = log.read_text().count("removed junk from Redis")
    client.delete("celery", "unacked", "unacked_index", "unacked_mutex")
    KEYS[what](client)
    run_one(service, 1000 + 10 * list(KEYS).index(what))
    service.until(
        lambda: log.read_text().count("removed junk from Redis"), lambda count: count > lines
    )
    assert main_process(service) == before


def test_a_worker_starts_with_junk_everywhere(service: Service, client: redis.Redis) -> None:
    os.kill(main_process(service), signal.SIGKILL)
    time.sleep(0.2)
    client.flushall()
    client.rpush("celery", *MESSAGES.values())
    client.sadd("_kombu.binding.celery", "x")
    client.hset("unacked", "tag", "x")
    client.set("unacked_index", "x")
    service.running.restart_dead()
    run_one(service, 2000)
