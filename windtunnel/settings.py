"""Settings of API and workers, from environment variables with the prefix WINDTUNNEL_.

A test keeps docs/settings.md in sync with this file.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from windtunnel.quotas import Quotas
from windtunnel.retention import MAX_DAYS, Policies
from windtunnel.webhooks import MIN_SECRET_LENGTH

PREFIX = "WINDTUNNEL_"
_KINDS: dict[type, type] = {str: str, int: int, float: float}


def _setting(default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class Settings:
    """Settings of one process. Times are in seconds, sizes in bytes."""

    database_url: str = _setting(
        "",
        "SQLAlchemy URL of PostgreSQL (postgresql+psycopg://...). Over a network, with "
        "?sslmode=verify-full&sslrootcert=FILE.",
    )
    redis_url: str = _setting(
        "",
        "URL of Redis (redis://... or redis+socket:///...). Over a network, rediss://... with "
        "?ssl_cert_reqs=required&ssl_check_hostname=true&ssl_ca_certs=FILE.",
    )
    simulators: str = _setting("", "Folder of installed simulators: NAME/DIGEST/PROGRAM.")
    launcher: str = _setting("process", "Launcher for runs: process or docker.")
    images: str = _setting("", "Comma-separated images that the docker launcher may execute.")
    host: str = _setting(socket.gethostname(), "Host name shown for this host's workers.")
    worker_name: str = _setting("", "Name of this worker; HOST:PID if empty.")
    slots: int = _setting(
        os.cpu_count() or 1, "Number of runs that this worker executes concurrently."
    )
    lease_seconds: float = _setting(
        10.0, "Lease duration: a run without a heartbeat for this long is reassigned."
    )
    reconcile_seconds: float = _setting(2.0, "Interval between checks for expired leases.")
    run_wall_seconds: float = _setting(
        3600.0, "Maximum wall-clock time per run; campaigns can set a lower one (limits.wall)."
    )
    run_stall_seconds: float = _setting(
        60.0,
        "Default limit on wall-clock time without simulated progress (limits.stall); at least "
        "1/60 of the run's wall-clock limit.",
    )
    run_memory_bytes: int = _setting(
        4 * 2**30, "Maximum memory per run; campaigns can set a lower one (limits.memory)."
    )
    run_cpus: float = _setting(1.0, "CPU limit of a run's container.")
    run_pids: int = _setting(64, "Limit on processes and threads in a run's container.")
    run_output_bytes: int = _setting(256 * 2**20, "Output limit per run.")
    bootstrap_token: str = _setting(
        "", "Bootstrap admin token, created if no admin token is valid."
    )
    address: str = _setting("127.0.0.1", "Address that the API listens on.")
    port: int = _setting(
        8000,
        "Port that the API listens on. `windtunnel serve` takes the next free one by default.",
    )
    quota_open_runs: int = _setting(
        0, "Default quota of queued and running runs per submitter; 0 is unlimited."
    )
    quota_cpu_hours_per_day: float = _setting(
        0.0, "Default quota of CPU hours in 24 hours per submitter; 0 is unlimited."
    )
    quota_storage_bytes: int = _setting(
        0, "Default quota of stored results per submitter; 0 is unlimited."
    )
    retention_runs_days: float = _setting(
        30.0, "Days after which runs that no campaign contains are deleted; 0 is never."
    )
    retention_cancelled_days: float = _setting(
        0.0,
        "Days since their cancellation after which runs are deleted that only cancelled campaigns "
        "contain; 0 is never.",
    )
    retention_series_days: float = _setting(
        0.0, "Days after which the time series of runs are deleted; 0 is never."
    )
    retention_logs_days: float = _setting(
        0.0, "Days after which the simulators' logs of runs are deleted; 0 is never."
    )
    retention_audit_days: float = _setting(
        0.0, "Days after which entries of the audit log are deleted; 0 is never."
    )
    retention_check_seconds: float = _setting(
        600.0, "Interval between checks for what the retention policies delete."
    )
    webhook_secret: str = _setting(
        "",
        "Secret that webhooks are signed with, at least 16 characters; without it, campaigns with "
        "`notify` are refused.",
    )
    webhook_allow_private: int = _setting(
        0, "1 lets webhooks call private addresses, such as those of this host and its network."
    )
    public_url: str = _setting(
        "", "Address of the web pages that links in webhooks begin with (https://...)."
    )
    max_runs: int = _setting(100_000, "Maximum number of runs per campaign.")
    max_body_bytes: int = _setting(2**20, "Maximum size of a request body.")
    health_file: str = _setting("", "File that a worker touches while it offers a simulator.")
    log_level: str = _setting("INFO", "Minimum log level.")
    log_format: str = _setting("text", "Format of log lines: text or json.")
    web: str = _setting("", "Folder of the built web pages; none are served if empty.")

    @property
    def quotas(self) -> Quotas:
        """Quotas of submitters whose token has none of its own."""
        return Quotas(self.quota_open_runs, self.quota_cpu_hours_per_day, self.quota_storage_bytes)

    @property
    def retention(self) -> Policies:
        """The policies that workers apply, and `windtunnel prune` without options of its own."""
        return Policies(
            self.retention_runs_days or None,
            self.retention_cancelled_days or None,
            self.retention_series_days or None,
            self.retention_logs_days or None,
            self.retention_audit_days or None,
        )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the settings. Empty variables count as unset. Raises ValueError for bad numbers."""
        variables = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        for setting in fields(cls):
            text = variables.get(PREFIX + setting.name.upper())
            if text:
                values[setting.name] = _KINDS[type(setting.default)](text)
            if setting.name.endswith("_days"):
                _check_days(setting.name, values.get(setting.name, setting.default))
        _check_secret(values.get("webhook_secret", ""))
        return cls(**values)


def _check_secret(secret: str) -> None:
    """Raises ValueError: short secrets can be guessed from a single signature."""
    if secret and len(secret) < MIN_SECRET_LENGTH:
        raise ValueError(
            f"{PREFIX}WEBHOOK_SECRET: {len(secret)} characters; at least {MIN_SECRET_LENGTH} are "
            "needed"
        )


def _check_days(name: str, days: float) -> None:
    """Raises ValueError: a negative age would delete everything."""
    if not 0 <= days <= MAX_DAYS:
        raise ValueError(
            f"{PREFIX}{name.upper()}: {days:g} is not a number of days from 0 (never) to "
            f"{MAX_DAYS:g}"
        )
