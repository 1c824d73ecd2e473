"""Processes of a running service's workers, for tests that find, pause or kill them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text

from tests.conftest import Service
from windtunnel.store.database import Database

# How long workers may take until none of them holds a lock.
_SECONDS = 30
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
    return with_pool(main)


def with_pool(main: int) -> list[int]:
    """A worker's main process, first, and the processes of its pool."""
    pool = []
    for pid in processes("-m windtunnel_worker", without="reconciler"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended since
            if parent_of(pid) == main:
                pool.append(pid)
    return [main, *pool]


def parent_of(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rsplit(")", 1)[1].split()[1])


@contextmanager
def paused(service: Service) -> Iterator[None]:
    """The service's own workers do nothing meanwhile, and hold no locks."""
    with stopped(lambda: worker_processes(service), service.database_url):
        yield


@contextmanager
def stopped(workers: Callable[[], list[int]], database_url: str) -> Iterator[None]:
    """As `paused`; ``workers`` lists the processes there are by now, the main one first."""
    database = Database(database_url, pool_size=1)
    pids: list[int] = []
    deadline = time.monotonic() + _SECONDS
    try:
        _stop(workers, pids)
        while _in_transaction(database):  # one was stopped while it held locks
            assert time.monotonic() < deadline, f"workers still hold locks after {_SECONDS} s"
            _continue(pids)
            time.sleep(0.1)
            _stop(workers, pids)
        yield
    finally:
        database.close()
        _continue(pids)


def _stop(workers: Callable[[], list[int]], pids: list[int]) -> None:
    """Stop all processes and note them: also those of a pool that its main process starts now."""
    while new := [pid for pid in workers() if pid not in pids]:
        _signal(new, signal.SIGSTOP)
        pids += new


def _continue(pids: list[int]) -> None:
    """The pool before the main process, which must not take it for dead."""
    _signal(pids[::-1], signal.SIGCONT)
    pids.clear()


def _in_transaction(database: Database) -> bool:
    """Whether a transaction is open 0.2 s from now; those of the API are over by then."""
    time.sleep(0.2)
    with database.transaction() as session:
        return bool(session.scalar(_IN_TRANSACTION))


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
