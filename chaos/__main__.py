"""`python -m chaos [--quick] [--write]`: every fault, then all of them mixed."""

from __future__ import annotations

import argparse
import os
import random
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from chaos import misbehaving, page
from chaos.checks import Account, Results, account
from chaos.fault import Fault, Nothing
from chaos.faults import ALL, Everything
from chaos.scenario import short_fat_tree
from chaos.stack import ROOT, Stack, bridge_address, docker

FILES = ("docker-compose.yml", "docker-compose.hosts.yml", "chaos/docker-compose.yml")
# Below those that the kernel gives to outgoing connections (from 32768 on).
PORTS = (8190, 15190, 16190)
DISK_MB = 700
CAMPAIGN_SECONDS = 900
TURNS = 3


@dataclass(frozen=True)
class Extent:
    """Size of the tests: seeds of the 20 cells, and for how long all faults are mixed."""

    seeds: int
    mixed_seconds: float

    @property
    def runs(self) -> int:
        return 20 * self.seeds


FULL = Extent(seeds=10, mixed_seconds=300)
QUICK = Extent(seeds=2, mixed_seconds=30)


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="fewer runs, and a third of the faults: another one every day",
    )
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    parser.add_argument("--seed", type=int, help="of the faults' random times and choices")
    parser.add_argument("--only", help="faults with this in their name")
    arguments = parser.parse_args()
    seed = secrets.randbelow(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {seed}: repeat with --seed {seed}", flush=True)
    extent = QUICK if arguments.quick else FULL
    chosen = _chosen(arguments.only, arguments.quick)
    rows: list[page.Row] = []
    with (
        tempfile.TemporaryDirectory(prefix="windtunnel-disk-") as disk,
        tempfile.NamedTemporaryFile(prefix="windtunnel-clock-") as clock,
    ):
        Path(clock.name).chmod(0o644)
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", disk], check=True
        )
        try:
            with Stack("windtunnel-chaos", FILES, PORTS, _variables(disk, clock.name)) as stack:
                stack.compose("build", "--quiet")
                _build_misbehaving_image()
                stack.up("--scale", "worker=2")
                chance = random.Random(seed)
                for kind in chosen:
                    rows.append(_run_fault(kind(stack, chance), extent, rows))
                    print(page.text_row(rows[-1]), flush=True)
        finally:
            subprocess.run(["umount", "--lazy", disk], check=False)
    if arguments.write:
        page.write(rows, extent.runs, extent.mixed_seconds)
    return 1 if any(row.complaint for row in rows) else 0


def _chosen(name: str | None, quick: bool) -> list[type[Fault]]:
    """The undisturbed campaign first, to compare with; then faults with this in their name.

    Without a name the quick form takes a third of the faults, by the day, and all of them mixed.
    """
    faults = [kind for kind in ALL if kind is not Nothing and (name or "") in kind.name]
    if quick and name is None:
        single = [kind for kind in faults if kind is not Everything]
        turn = datetime.now(UTC).toordinal() % TURNS
        print(f"faults of turn {turn + 1} of {TURNS}, and all of them mixed", flush=True)
        faults = [*single[turn::TURNS], Everything]
    return [Nothing, *faults]


def _variables(disk: str, clock: str) -> dict[str, str]:
    return {
        "CHAOS_DISK": disk,
        "WINDTUNNEL_PRIVATE": bridge_address(),  # the second host reaches it
        "CHAOS_CLOCK": clock,
        "FAKETIME_LIBRARY": _faketime(),
        "WINDTUNNEL_LEASE_SECONDS": "5",
        "WINDTUNNEL_SLOTS": "2",
        "WINDTUNNEL_IMAGES": f"windtunnel/sim-ns3,{misbehaving.IMAGE}",
        "COMPOSE_PROJECT_NAME": "windtunnel-chaos",
    }


def _build_misbehaving_image() -> None:
    file = "tests/containers/Dockerfile"
    command = ["build", "-q", "--target", "misbehaving", "-f", str(ROOT / file)]
    docker(*command, "-t", misbehaving.IMAGE, str(ROOT))


def _faketime() -> str:
    libraries = [*Path("/usr/lib").glob("*/faketime/libfaketime.so.1")]
    if not libraries:
        sys.exit("libfaketime is missing, which sets a worker's clock: apt-get install libfaketime")
    return str(libraries[0])


def campaign(seeds: int) -> dict[str, Any]:
    """20 cells of a short fat-tree simulation; a run takes a few tenths of a second."""
    return {
        "name": "chaos",
        "simulator": "ns3",
        "scenario": short_fat_tree(),
        "sweep": {
            "algorithm": ["newreno", "cubic", "vegas", "bic", "highspeed"],
            "topology.queue.limit": ["10p", "20p", "50p", "100p"],
        },
        "replications": seeds,
    }


def _run_fault(fault: Fault, extent: Extent, before: list[page.Row]) -> page.Row:
    """Run one campaign under one fault, or several under all of them."""
    seconds = extent.mixed_seconds if isinstance(fault, Everything) else 0.0
    expected = before[0].results if before else None
    begin = time.monotonic()
    accounts: list[Account] = []
    complaint = ""
    try:
        fault.begin()
        deadline = time.monotonic() + seconds
        try:
            while not accounts or time.monotonic() < deadline:
                accounts.append(_one_campaign(fault, extent, expected))
        finally:
            fault.revert()
    except (AssertionError, TimeoutError, RuntimeError, psycopg.Error) as error:
        complaint = str(error)
    took = time.monotonic() - begin
    if not complaint and not fault.injected and not isinstance(fault, Nothing):
        complaint = "it never took effect"
    complaint = complaint or fault.error
    return page.Row(
        fault.name,
        fault.injected,
        sum(result.runs for result in accounts),
        sum(result.lost for result in accounts),
        took,
        complaint,
        accounts[0].results if accounts else None,
    )


def _one_campaign(fault: Fault, extent: Extent, expected: Results | None) -> Account:
    stack = fault.stack
    campaign_id = fault.submit(campaign(extent.seeds))
    over = threading.Event()
    injection = threading.Thread(target=fault.keep_injecting, args=(over,), daemon=True)
    injection.start()
    try:
        stack.wait(campaign_id, CAMPAIGN_SECONDS)
        over.set()
        injection.join()
        stack.ask("GET", "/ready?worker=true", seconds=120)
        result = account(stack, campaign_id, extent.runs)
    finally:
        over.set()
        injection.join()
        # No run may be reused by the next campaign. A repeated request may find it gone.
        stack.ask("DELETE", f"/campaigns/{campaign_id}", missing=[404])
    if expected is not None:
        assert result.results == expected, "results differ from the undisturbed campaign's"
    return result


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("chaos kills processes of containers and mounts a small disk: run it as root")
    sys.exit(main())
