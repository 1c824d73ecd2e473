"""`python -m soak [--minutes 60] [--write]`: mixed load and mild faults; exit code 1 if anything
grew or went wrong."""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chaos.checks import leftovers
from chaos.stack import ROOT, Stack, docker, until
from soak import campaigns, page
from soak.faults import MildFaults
from soak.ledger import Ledger
from soak.samples import take
from soak.users import User
from soak.verdicts import Sample, judge
from soak.visitors import Visitors

FILES = ("docker-compose.yml", "docker-compose.hosts.yml", "soak/docker-compose.yml")
# Below those that the kernel gives to outgoing connections (from 32768 on).
PORTS = (8490, 15490, 16490)
USERS = ("ann", "ben", "cleo")
_SETTLED_SECONDS = 120.0
# Tables that are empty once all campaigns are deleted.
_EMPTY_TABLES = (
    *("campaign", "cell", "scenario", "campaign_run", "run", "attempt", "verification"),
    *("metric", "series", "record_column", "run_check", "browser_session", "sign_in_link"),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="length of the load")
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    parser.add_argument("--seed", type=int, help="of the random choices")
    arguments = parser.parse_args()
    if arguments.minutes < 1:
        parser.error("--minutes must be at least 1")
    seed = secrets.randbelow(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {seed}; {arguments.minutes:g} minutes of load", flush=True)
    seconds = 60 * arguments.minutes
    ledger = Ledger()
    variables = {
        "WINDTUNNEL_LEASE_SECONDS": "5",
        "WINDTUNNEL_SLOTS": "2",
        "WINDTUNNEL_IMAGES": f"windtunnel/sim-ns3,{campaigns.IMAGE}",
    }
    with Stack("windtunnel-soak", FILES, PORTS, variables) as stack:
        stack.compose("build", "--quiet")
        _build_synthetic_image()
        stack.up("--scale", "worker=2")
        samples = _soak(stack, seconds, ledger, random.Random(seed))
        _check_end(stack, ledger)
    verdicts = judge(samples, seconds)
    grown = [verdict.series.name for verdict in verdicts if verdict.grew]
    print(page.text(verdicts))
    print(page.sentence(arguments.minutes, ledger.done), end="")
    print(f"{ledger.runs} different runs, answers {dict(sorted(ledger.answers.items()))}")
    print(f"grew: {', '.join(grown) or 'nothing'}; went wrong: {len(ledger.complaints)}")
    for complaint in ledger.complaints[:20]:
        print(f"  {complaint}")
    if arguments.write and not ledger.complaints:
        page.write(arguments.minutes, ledger.done, verdicts)
    return 1 if grown or ledger.complaints else 0


def _build_synthetic_image() -> None:
    file = str(ROOT / "tests/containers/Dockerfile")
    docker("build", "-q", "--target", "tiny", "-f", file, "-t", campaigns.IMAGE, str(ROOT))


def _soak(
    stack: Stack, seconds: float, ledger: Ledger, chance: random.Random
) -> list[tuple[float, Sample]]:
    """Load the stack for a while, take samples meanwhile, and then delete all campaigns."""
    spared, victim = sorted(stack.containers("worker"))
    servers = {name: stack.containers(name)[0] for name in ("api", "postgres")}
    users = [User(stack, name, ledger, random.Random(chance.random())) for name in USERS]
    visitors = Visitors(stack, users[0], ledger, random.Random(chance.random()))
    faults = MildFaults(stack, victim, ledger, random.Random(chance.random()))
    activities: list[tuple[Callable[[], None], float]] = [
        *((user.act, 3.0) for user in users),
        (visitors.read_pages, 1.0),
        (visitors.follow, 1.0),
        (visitors.follow, 1.0),
        (visitors.sign_in, 4.0),
        (visitors.send_junk, 1.0),
        (visitors.hang_up, 2.0),
        (visitors.use_command_line, 20.0),
        (faults.inject, min(60.0, seconds / 8)),
    ]
    samples: list[tuple[float, Sample]] = []
    begin = time.monotonic()
    with _repeating(activities, ledger, chance):
        while (now := time.monotonic() - begin) < seconds:
            samples.append((now, take(stack, spared)))
            if len(samples) % 10 == 1:
                print(f"{now / 60:5.1f} min  {_brief(samples[-1][1])}", flush=True)
            time.sleep(min(30.0, seconds / 60))
    ledger.count("restarts of the worker that no fault hits", _restarts(spared))
    _check_servers(stack, servers, ledger)
    for user in users:
        user.clean()
    return samples


def _restarts(container: str) -> int:
    return int(docker("inspect", "-f", "{{.RestartCount}}", container))


def _check_servers(stack: Stack, servers: dict[str, str], ledger: Ledger) -> None:
    """No fault hits the API and PostgreSQL: they have run all the time."""
    for name, container in servers.items():
        if stack.containers(name) != [container] or _restarts(container):
            log = docker("logs", "--tail", "20", container, check=False)
            ledger.complain(f"{name} was restarted by itself: {log}")


@contextmanager
def _repeating(
    activities: list[tuple[Callable[[], None], float]], ledger: Ledger, chance: random.Random
) -> Iterator[None]:
    """Repeat each activity in a thread of its own, with pauses of about so many seconds."""
    over = threading.Event()

    def repeat(act: Callable[[], None], pause: float) -> None:
        while not over.wait(pause * chance.uniform(0.5, 1.5)):
            try:
                act()
            except Exception as error:  # the next one may succeed; the soak fails
                ledger.complain(f"{act.__name__}: {error!r}"[:1000])

    threads = [threading.Thread(target=repeat, args=activity) for activity in activities]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _check_end(stack: Stack, ledger: Ledger) -> None:
    """No lease, container or row of the deleted campaigns is left, and the API logged no error."""
    try:
        until(lambda: not leftovers(stack), _SETTLED_SECONDS, lambda: "; ".join(leftovers(stack)))
    except TimeoutError as error:
        ledger.complain(str(error))
    with stack.database() as connection:
        for table in _EMPTY_TABLES:
            row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            if row and row[0]:
                ledger.complain(f"{row[0]} rows left in {table}")
    log = stack.compose("logs", "--no-log-prefix", "api").splitlines()
    errors = [line for line in log if " ERROR " in line or "Traceback" in line]
    if errors:
        ledger.complain(f"{len(errors)} errors in the API's log: {errors[0][:500]}")


def _brief(sample: Sample) -> str:
    names = ("memory of API (PSS)", "memory of worker (PSS)", "runs", "connections to PostgreSQL")
    values = {series.name: value for series, value in sample.items()}
    return ", ".join(f"{name} {values[name]:.0f}" for name in names if name in values)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("the soak reads and kills processes of containers: run it as root")
    sys.exit(main())
