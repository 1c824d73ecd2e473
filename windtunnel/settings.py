"""Settings of server and workers, from environment variables with the prefix WINDTUNNEL_.

docs/settings.md lists the same ones; a test holds it to this file.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

PREFIX = "WINDTUNNEL_"
_KINDS: dict[type, type] = {str: str, int: int, float: float}


def _setting(default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class Settings:
    """One process's settings. Times are in seconds, sizes in bytes."""

    database_url: str = _setting("", "SQLAlchemy address of PostgreSQL (postgresql+psycopg://...).")
    redis_url: str = _setting("", "Address of Redis (redis://... or redis+socket:///...).")
    simulators: str = _setting("", "Folder of installed simulators: NAME/DIGEST/PROGRAM.")
    launcher: str = _setting("process", "How runs are executed: process or docker.")
    images: str = _setting("", "Images that the docker launcher may execute, with commas between.")
    host: str = _setting(socket.gethostname(), "Name under which this host's workers appear.")
    worker_name: str = _setting("", "Name of this worker; HOST:PID where empty.")
    slots: int = _setting(os.cpu_count() or 1, "Runs that this worker executes at a time.")
    lease_seconds: float = _setting(10.0, "A run whose worker is silent this long is taken away.")
    reconcile_seconds: float = _setting(2.0, "How often expired leases are looked for.")
    run_wall_seconds: float = _setting(3600.0, "Wall-clock limit of one run.")
    run_memory_bytes: int = _setting(4 * 2**30, "Memory limit of one run.")
    run_cpus: float = _setting(1.0, "CPUs that a run's container may use.")
    run_pids: int = _setting(64, "Processes and threads that a run's container may have.")
    run_output_bytes: int = _setting(256 * 2**20, "Limit of one run's output.")
    tokens: str = _setting("on", "on, or off: only for a service that answers on loopback alone.")
    bootstrap_token: str = _setting("", "An admin token that a database without tokens is given.")
    address: str = _setting("127.0.0.1", "Address on which the API answers.")
    port: int = _setting(8000, "Port on which the API answers.")
    max_runs: int = _setting(100_000, "Runs that one campaign may have.")
    max_body_bytes: int = _setting(2**20, "Largest request body.")
    health_file: str = _setting("", "File that a worker touches as long as it offers a simulator.")
    log_level: str = _setting("INFO", "Least level of what is logged.")
    web: str = _setting("", "Folder of the built web pages; none are served where empty.")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """An empty variable counts as none. Raises ValueError for a number that is none."""
        given = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        for one in fields(cls):
            text = given.get(PREFIX + one.name.upper())
            if text:
                values[one.name] = _KINDS[type(one.default)](text)
        return cls(**values)
