"""A process that reads and plans campaign files: a request on stdin, the plan or error on stdout.

In a process of its own a file can neither keep the API from answering nor use up its memory
(docs/decisions/0012-planning-budget.md). It ends with its stdin, that is with the API.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import Problem, SpecError, WindtunnelError
from windtunnel.plan import Plan, make_plan
from windtunnel.settings import Settings
from windtunnel.spec import Campaign, Document, read_campaign, read_json, read_yaml
from windtunnel.spec.description import Description
from windtunnel.store import simulators
from windtunnel.store.database import Database

# Several times what any file needs that the budget of planning allows.
CPU_SECONDS = 15
MEMORY_BYTES = 512 * 2**20
_NICENESS = 5  # requests for pages go first


@dataclass(frozen=True)
class CampaignFile:
    """The bytes of a campaign file, JSON or YAML."""

    content: bytes
    is_json: bool


def main() -> None:
    """Answer requests until stdin ends. The first object on stdin are the settings."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    settings: Settings = pickle.load(requests)  # noqa: S301  (from the API)
    database = Database(settings.database_url, pool_size=1)
    _limit_memory()
    with suppress(EOFError):
        while True:
            file: CampaignFile = pickle.load(requests)  # noqa: S301
            _allow_cpu_time()
            pickle.dump(_answer(file, settings, database), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _answer(file: CampaignFile, settings: Settings, database: Database) -> Plan | WindtunnelError:
    try:
        return plan_file(file, settings, database)
    except WindtunnelError as error:
        return error
    except MemoryError:
        return too_expensive()


def plan_file(file: CampaignFile, settings: Settings, database: Database) -> Plan:
    """Read and plan a campaign file. Raises SpecError or UnavailableError."""
    document = (read_json if file.is_json else read_yaml)(file.content)
    campaign = read_campaign(document, settings.max_runs)
    _check_limits(campaign, settings, document)
    return make_plan(campaign, _simulators(database, campaign, document), document)


def too_expensive() -> SpecError:
    """The error for a file at which the process was stopped."""
    return SpecError(
        [
            Problem(
                "",
                f"planning this campaign takes more than {CPU_SECONDS} s of CPU time or "
                f"{MEMORY_BYTES // 2**20} MiB; shorten its lists or make several campaigns of it",
            )
        ]
    )


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _allow_cpu_time() -> None:
    """Let the kernel end this process when this request has taken too long."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time()) + 1 + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _check_limits(campaign: Campaign, settings: Settings, document: Document) -> None:
    """Raises SpecError if a run may not have as much time or memory here."""
    limits = campaign.limits
    problems = []
    if limits.wall_seconds and limits.wall_seconds > settings.run_wall_seconds:
        allowed = f"{settings.run_wall_seconds:g} s (WINDTUNNEL_RUN_WALL_SECONDS)"
        problems.append(Problem("limits.wall", f"runs may take at most {allowed} here"))
    if limits.memory_bytes and limits.memory_bytes > settings.run_memory_bytes:
        allowed = f"{settings.run_memory_bytes // 2**20} MiB (WINDTUNNEL_RUN_MEMORY_BYTES)"
        problems.append(Problem("limits.memory", f"runs may use at most {allowed} here"))
    if problems:
        raise document.error(problems)


def _simulators(
    database: Database, campaign: Campaign, document: Document
) -> dict[str, Description]:
    """Resolve a campaign's simulator references to builds. Raises SpecError with lines."""
    try:
        with database.transaction() as session:
            return simulators.find_simulators(session, campaign.simulators())
    except SpecError as error:
        raise document.error(error.problems) from error


if __name__ == "__main__":
    main()
