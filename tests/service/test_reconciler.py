"""A worker without a live reconciler is repaired, or ends and is started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Service, start_service, tiny_campaign
from tests.workers import parent_of, processes


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(lease_seconds="4", reconcile_seconds="0.5")


def worker(service: Service) -> subprocess.Popen[bytes]:
    return next(part.child for part in service.running._parts if part.name == "worker")


def reconcilers(main: int) -> list[int]:
    return [pid for pid in processes("windtunnel_worker.reconciler") if parent_of(pid) == main]


def test_a_killed_reconciler_is_restarted_and_runs_continue(service: Service) -> None:
    main = worker(service).pid
    (first,) = reconcilers(main)
    campaign = service.submit(tiny_campaign(sweep={"offset": list(range(20))}, wall=0.5))
    os.kill(first, signal.SIGKILL)
    assert service.wait(campaign["id"], 60)["runs"]["succeeded"] == 20
    (second,) = service.until(lambda: reconcilers(main), lambda found: found not in ([], [first]))
    assert second != first
    assert worker(service).pid == main
    ready = service.get("/ready", worker=True)
    assert (ready["workers"], ready["slots"]) == (1, 2)
    log = (service.folders.logs / "worker.log").read_text()
    assert "the reconciler exited with -9; restarting it" in log


def test_a_worker_that_loses_every_reconciler_ends_and_is_started_again(service: Service) -> None:
    before = worker(service)
    deadline = time.monotonic() + 40
    while before.poll() is None and time.monotonic() < deadline:
        for pid in reconcilers(before.pid):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    assert before.returncode not in (None, 0)
    log = (service.folders.logs / "worker.log").read_text()
    assert "the reconciler died 5 times within 60 s; the worker ends" in log
    campaign = service.submit(tiny_campaign(offset=100))
    assert service.wait(campaign["id"], 60)["runs"]["succeeded"] == 1
    assert worker(service).pid != before.pid


def test_ready_tells_that_no_worker_reports(service: Service) -> None:
    """A frozen reconciler does not report, though its worker is alive."""
    service.until(lambda: service.get("/ready")["workers"], lambda count: count == 1, 40)
    (reconciler,) = reconcilers(worker(service).pid)
    os.kill(reconciler, signal.SIGSTOP)
    try:
        service.until(lambda: service.get("/ready"), lambda ready: ready["workers"] == 0, 40)
        refused = service.http.get("/ready", params={"worker": True})
        assert refused.status_code == 503
        assert refused.json()["detail"] == "no worker offers a simulator"
    finally:
        os.kill(reconciler, signal.SIGCONT)
    service.until(lambda: service.get("/ready")["workers"], lambda count: count == 1)


def environment_of(service: Service) -> dict[str, str]:
    text = Path(f"/proc/{worker(service).pid}/environ").read_text()
    return dict(pair.split("=", 1) for pair in text.split("\0") if "=" in pair)


def test_a_worker_that_cannot_start_a_reconciler_ends(service: Service) -> None:
    """Here because setpriv is not found."""
    environment = {**environment_of(service), "PATH": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel_worker"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "the reconciler can't be started: setpriv is missing" in done.stderr


_HANGING = """
import os, sys, time
from windtunnel_worker import supervisor
supervisor.bound_command = lambda command: [
    "sh", "-c", f"echo . >&${supervisor.BEAT_FD}; exec sleep 600"
]
one = supervisor.ReconcilerSupervisor({}, hung_seconds=0.3)
one.start()
time.sleep(60)
"""


def test_a_hung_reconciler_is_killed() -> None:
    """Again and again here, so that the worker ends."""
    done = subprocess.run(
        [sys.executable, "-c", _HANGING], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert done.stderr.count("the reconciler made no round for 0.3 s; restarting it") == 5
    assert "the worker ends" in done.stderr
