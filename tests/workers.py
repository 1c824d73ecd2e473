"""Processes of a running service's workers, for tests that find, pause or kill them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text

from tests.conftest import Service
from windtunnel.store.database import Database

_IN_TRANSACTION = text("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in %'")


def processes(*words: str, without: str = "\n") -> list[int]:
    """Ids of processes whose command line has all of these words, and not that one."""
    pids = []
    for folder in Path("/proc").iterdir():
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):
            continue
        if folder.name.isdigit() and all(word in line for word in words) and without not in line:
            pids.append(int(folder.name))
    return pids


def worker_processes(service: Service) -> list[int]:
    """The worker's main process and its pool, without the reconciler: of this service only."""
    main = next(part for part in service.running._parts if part.name == "worker").child.pid
    pool = processes("-m windtunnel_worker", without="reconciler")
    return [main, *(pid for pid in pool if parent_of(pid) == main)]


def parent_of(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rsplit(")", 1)[1].split()[1])


@contextmanager
def paused(service: Service) -> Iterator[None]:
    """The service's own workers do nothing meanwhile, and hold no locks."""
    pids = worker_processes(service)
    database = Database(service.database_url, pool_size=1)
    _signal(pids, signal.SIGSTOP)
    try:
        while _in_transaction(database):  # one was stopped while it held locks
            _signal(pids, signal.SIGCONT)
            time.sleep(0.1)
            _signal(pids, signal.SIGSTOP)
        yield
    finally:
        database.close()
        _signal(pids, signal.SIGCONT)


def _in_transaction(database: Database) -> bool:
    """Whether a transaction is open 0.2 s from now; those of the API are over by then."""
    time.sleep(0.2)
    with database.transaction() as session:
        return bool(session.scalar(_IN_TRANSACTION))


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
