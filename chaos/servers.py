"""Faults of Redis and PostgreSQL: restarts, junk, duplicates, a full disk."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from pathlib import Path
from typing import Any

import psycopg

from chaos.fault import Fault
from chaos.stack import first_process, kill


class EmptyRedis(Fault):
    name = "Redis is flushed (FLUSHALL) and restarted"
    every_seconds = 8.0

    def inject(self) -> int:
        self.stack.redis().flushall()
        self.stack.compose("restart", "--timeout", "1", "redis")
        return True


class JunkInRedis(Fault):
    """Words in the queue, and values of other types under Celery's keys."""

    name = "junk is written into Redis"
    every_seconds = 1.5

    def inject(self) -> int:
        with self.stack.redis() as client:
            match self.chance.randrange(4):
                case 0:
                    client.lpush("celery", self.chance.choice(["junk", "{}", "[1]", "null"]))
                case 1:
                    client.set("celery", "junk")
                case 2:
                    client.sadd("_kombu.binding.celery", "junk")
                case _:
                    client.hset("unacked", "tag", "junk")
                    client.zadd("unacked_index", {"tag": 1})
        return True


class DuplicatedMessages(Fault):
    """Every delivered message is queued again, with the same bytes."""

    name = "every message is delivered twice"
    every_seconds = 0.05
    lasting = True

    def begin(self) -> None:
        self._redis = self.stack.redis()
        self._seen: set[Any] = set()

    def inject(self) -> int:
        new = {
            tag: delivered
            for tag, delivered in self._redis.hgetall("unacked").items()
            if tag not in self._seen
        }
        for tag, delivered in new.items():
            self._seen.add(tag)
            self._redis.lpush("celery", json.dumps(json.loads(delivered)[0]))
        return len(new)

    def revert(self) -> None:
        self._redis.close()


class RestartedPostgres(Fault):
    """Its first process is killed: every transaction under way is lost, and recovery runs.

    Not more often than every 10 s: Docker's restart policy would wait longer each time.
    """

    name = "PostgreSQL is killed under a long query and restarted"
    every_seconds = 20.0

    def inject(self) -> int:
        (postgres,) = self.stack.containers("postgres")
        query = threading.Thread(target=self._query, daemon=True)
        query.start()
        time.sleep(1)
        killed = kill(first_process(postgres))
        query.join(30)
        return killed

    def _query(self) -> None:
        with contextlib.suppress(psycopg.Error), self.stack.database() as connection:
            connection.execute("SELECT count(*) FROM generate_series(1, 20000000000)")


class FullDisk(Fault):
    """PostgreSQL's disk is full for a while; PostgreSQL stops when it can't write its log."""

    name = "the database's disk fills up, then is freed"
    every_seconds = 6.0
    full_seconds = 8.0

    def inject(self) -> int:
        filler = Path(self.stack.secret("CHAOS_DISK")) / "filler"
        try:
            with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
                while file.write(bytes(1 << 20)):
                    pass
            time.sleep(self.full_seconds)
        finally:
            filler.unlink(missing_ok=True)
        return True
