"""One sample of everything that could grow: memory, files, connections, containers, tables."""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from chaos.fault import GONE
from chaos.stack import Stack, docker
from soak.verdicts import Kind, Sample, Series

_MB = 1e6
# Kept on purpose: the audit log, and a day of CPU time.
_KEPT_TABLES = frozenset({"audit_entry", "cpu_use"})
# Connections that stay open: the API's pool, its listener and two planners; for each of two workers
# its reconciler, its notifier, two processes that execute runs, and the main process.
_POOLED = 10 + 1 + 2 + 2 * 5
# Of a PostgreSQL without clients: postmaster, writers, launchers, I/O and autovacuum workers.
_SERVER_PROCESSES = 12
_TABLES = """
    SELECT relname, pg_total_relation_size(relid), n_dead_tup FROM pg_stat_user_tables
"""
_CONNECTIONS = """
    SELECT count(*), coalesce(extract(epoch FROM max(now() - xact_start)), 0)
    FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
_ROWS = """
    SELECT (SELECT count(*) FROM campaign), (SELECT count(*) FROM run),
           (SELECT count(*) FROM run WHERE state IN ('queued', 'running')),
           (SELECT count(*) FROM verification), pg_database_size(current_database())
"""


def take(stack: Stack, spared: str) -> Sample:
    """The values now; parts that are restarting are left out. ``spared`` is the worker that no
    fault hits, whose processes are measured."""
    sample: Sample = {}
    for measure in (_processes, _postgres, _redis, _docker):
        with contextlib.suppress(*GONE):
            measure(stack, spared, sample)
    return sample


def _processes(stack: Stack, spared: str, sample: Sample) -> None:
    (api,), (postgres,), (broker,) = (
        stack.containers(name) for name in ("api", "postgres", "redis")
    )
    kinds = {
        **_kinds(api, {"windtunnel_api.planner": "API's planners", "windtunnel_api": "API"}),
        **_kinds(
            spared,
            {"windtunnel_worker.reconciler": "reconciler", "windtunnel_worker": "worker"},
        ),
        **_kinds(postgres, {"": "PostgreSQL"}),
        **_kinds(broker, {"": "Redis"}),
    }
    for kind, pids in kinds.items():
        sample[Series(f"memory of {kind} (PSS)", Kind.MEMORY)] = sum(map(_pss_mb, pids))
        files, threads = sum(map(_open_files, pids)), sum(map(_threads, pids))
        if kind == "PostgreSQL":  # a process for each connection, and all tables' files in each
            most = _POOLED + _SERVER_PROCESSES
            sample[Series("open files per process of PostgreSQL", Kind.SIZE)] = files / threads
            sample[Series(f"processes and threads of {kind}", Kind.COUNT, most)] = threads
        else:
            sample[Series(f"open files of {kind}", Kind.COUNT)] = files
            sample[Series(f"processes and threads of {kind}", Kind.COUNT)] = threads
    for kind in ("API", "worker"):
        first = Path(f"/proc/{kinds[kind][0]}/root/tmp")
        files = sum(len(names) for _, _, names in os.walk(first))
        sample[Series(f"files in /tmp of {kind}", Kind.COUNT)] = files


def _kinds(container: str, words: dict[str, str]) -> dict[str, list[int]]:
    """Processes of a container by kind: that of the first words in their command line.

    The worker's children are its pool.
    """
    lines = docker("top", container, "-o", "pid,ppid,args").splitlines()[1:]
    parents: dict[int, int] = {}
    kinds: dict[str, list[int]] = defaultdict(list)
    for line in lines:
        pid, parent, command = line.split(None, 2)
        parents[int(pid)] = int(parent)
        kind = next((kind for word, kind in words.items() if word in command), None)
        if kind is not None and not command.startswith("tini"):
            kinds[kind].append(int(pid))
    if workers := kinds.pop("worker", None):
        kinds["worker"] = [pid for pid in workers if parents[pid] not in workers]
        kinds["worker's pool"] = [pid for pid in workers if parents[pid] in workers]
    return kinds


def _pss_mb(pid: int) -> float:
    """Proportional set size; 0 for a process that has ended."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / _MB
    return 0.0


def _open_files(pid: int) -> int:
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return 0


def _threads(pid: int) -> int:
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    return 0


def _postgres(stack: Stack, _: str, sample: Sample) -> None:
    with stack.database() as connection:
        tables = connection.execute(_TABLES).fetchall()
        connections, oldest = connection.execute(_CONNECTIONS).fetchone() or (0, 0)
        campaigns, runs, open_runs, verifications, size = (
            connection.execute(_ROWS).fetchone() or (0,) * 5
        )
    _counts(
        sample,
        [
            ("age of the oldest transaction (s)", float(oldest)),
            ("campaigns", campaigns),
            ("runs", runs),
            ("open runs", open_runs),
            ("verifications", verifications),
            ("dead rows of all tables", sum(row[2] for row in tables)),
        ],
    )
    sample[Series("connections to PostgreSQL", Kind.COUNT, _POOLED)] = connections
    sample[Series("database", Kind.TABLE)] = size / _MB
    for table, total, _ in tables:
        kind = Kind.KEPT if table in _KEPT_TABLES else Kind.TABLE
        sample[Series(f"table {table}", kind)] = total / _MB


def _redis(stack: Stack, _: str, sample: Sample) -> None:
    with stack.redis() as client:
        sample[Series("memory that Redis uses", Kind.MEMORY)] = (
            client.info("memory")["used_memory"] / _MB
        )
        _counts(
            sample,
            [
                ("keys in Redis", client.dbsize()),
                ("clients of Redis", client.info("clients")["connected_clients"]),
            ],
        )


def _docker(stack: Stack, _: str, sample: Sample) -> None:
    project = f"label=com.docker.compose.project={stack.project}"
    _counts(
        sample,
        [
            ("containers of simulations", len(stack.simulations())),
            ("containers of services", len(docker("ps", "-aq", "--filter", project).split())),
            ("networks", len(docker("network", "ls", "-q", "--filter", project).split())),
            ("volumes", len(docker("volume", "ls", "-q", "--filter", project).split())),
        ],
    )


def _counts(sample: Sample, values: Iterable[tuple[str, float]]) -> None:
    for name, value in values:
        sample[Series(name, Kind.COUNT)] = value
