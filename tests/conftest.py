"""Fixtures of all tests: the installed simulators, and the real service."""

from __future__ import annotations

import copy
import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.service import EmbeddedService
from windtunnel.embedded.simulators import compile_ns3, newest_simulator
from windtunnel.errors import Problem
from windtunnel.simulator import describe
from windtunnel.spec.description import Description
from windtunnel.store.database import Database

ROOT = Path(__file__).resolve().parent.parent
TINY = ROOT / "tests" / "tiny_simulator.py"
BUILT = Folders(default_data())
# For CMake: compile without optimization, where only the build itself is tested. Half the time.
UNOPTIMIZED = {"CMAKE_BUILD_TYPE": "None"}


@pytest.fixture(scope="session")
def ns3_program() -> Path:
    program = newest_simulator(BUILT)
    assert program is not None, "make setup-test builds the simulator"
    return program


@pytest.fixture(scope="session")
def ns3(ns3_program: Path) -> Description:
    return describe([str(ns3_program)])


@pytest.fixture(scope="session")
def tiny() -> Description:
    return describe([str(TINY)])


def programs_of_tests() -> Path:
    """Where `make setup-test` compiles the stock programs and the faulty simulator."""
    with (BUILT.builds / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test processes may ask at once
        return compile_ns3(BUILT, lambda _: None, tests=True)


def new_data_folder() -> Folders:
    """A new data folder that links to the installed binaries and simulators.

    Not pytest's tmp_path, which is closed to the user that PostgreSQL runs as.
    """
    data = Path(tempfile.mkdtemp(prefix="windtunnel-test-"))
    data.chmod(0o755)
    folders = Folders(data)
    folders.binaries.symlink_to(BUILT.binaries)
    folders.builds.symlink_to(BUILT.builds)
    program = newest_simulator(BUILT)
    assert program is not None, "make setup-test builds the simulator"
    (folders.simulators / "ns3").mkdir(parents=True)
    (folders.simulators / "ns3" / "newest").symlink_to(program.parent)
    tiny = folders.simulators / "tiny" / "build" / "windtunnel-tiny"
    tiny.parent.mkdir(parents=True)
    shutil.copy2(TINY, tiny)
    return folders


class Service:
    """The running service, with helpers for tests."""

    def __init__(self, folders: Folders, running: EmbeddedService) -> None:
        self.folders = folders
        self.running = running
        self.url = running.url
        self.headers = {"Authorization": f"Bearer {running.token}"}
        self.http = httpx2.Client(
            base_url=f"{running.url}/api/v1", headers=self.headers, timeout=30
        )

    @property
    def database_url(self) -> str:
        assert self.running._postgres is not None
        return self.running._postgres.url

    def client_of(self, name: str, scope: str = "submit", **limits: Any) -> httpx2.Client:
        """A client with a new token of this name."""
        answer = self.http.post("/tokens", json={"name": name, "scope": scope, **limits})
        assert answer.status_code == 201, answer.text
        headers = {"Authorization": f"Bearer {answer.json()['token']}"}
        return httpx2.Client(base_url=f"{self.url}/api/v1", timeout=30, headers=headers)

    def submit(self, campaign: dict[str, Any], **headers: str) -> dict[str, Any]:
        response = self.http.post("/campaigns", json=campaign, headers=headers)
        assert response.status_code == 202, response.text
        accepted: dict[str, Any] = response.json()
        return accepted

    def get(self, path: str, **params: Any) -> Any:
        response = self.http.get(path, params=params)
        assert response.status_code == 200, response.text
        return response.json()

    def runs(self, campaign_id: str) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = self.get(f"/campaigns/{campaign_id}/runs", limit=500)["runs"]
        return runs

    def attempts(self, run_id: str) -> list[tuple[int, str | None]]:
        """Number and outcome of each attempt of a run; no outcome while it is executed."""
        rows = self.get(f"/runs/{run_id}")["attempts"]
        return [(attempt["number"], attempt["outcome"]) for attempt in rows]

    def wait(self, campaign_id: str, seconds: float = 60) -> dict[str, Any]:
        """Wait until every run has ended; the campaign then. Dead parts are restarted meanwhile."""
        ended: dict[str, Any] = self.until(
            lambda: self.get(f"/campaigns/{campaign_id}"), lambda state: state["ended"], seconds
        )
        return ended

    def until(
        self, read: Callable[[], Any], holds: Callable[[Any], bool], seconds: float = 30
    ) -> Any:
        deadline = time.monotonic() + seconds
        while not holds(value := read()):
            if time.monotonic() > deadline:
                log = (self.folders.logs / "worker.log").read_text(errors="replace")[-4000:]
                pytest.fail(f"not within {seconds} s: {value}\nthe worker's log:\n{log}")
            self.running.restart_dead()
            time.sleep(0.1)
        return value


def start_service(
    folders: Folders | None = None, slots: int = 2, **settings: str
) -> Iterator[Service]:
    """Run the service on a data folder (default: a new one) and remove the folder afterwards.

    WINDTUNNEL_TOKEN is its owner's token meanwhile, for commands that name it by `--server`.
    """
    names = {f"WINDTUNNEL_{name.upper()}": value for name, value in settings.items()}
    before = {name: os.environ.get(name) for name in (*names, "WINDTUNNEL_TOKEN")}
    os.environ.update(names)
    folders = folders or new_data_folder()
    try:
        with EmbeddedService(folders, lambda _: None, slots=slots) as running:
            service = Service(folders, running)
            os.environ["WINDTUNNEL_TOKEN"] = running.token
            yield service
            service.http.close()
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(folders.data, ignore_errors=True)


def eventually(read: Callable[[], Any], seconds: float = 10) -> Any:
    """The first result that is not None; a claim passes over rows that a reconciler has locked."""
    deadline = time.monotonic() + seconds
    while (value := read()) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def second_api(service: Service, **environment: str) -> Iterator[str]:
    """Address of a second API on a service's database.

    WINDTUNNEL_BOOTSTRAP_TOKEN in ``environment`` becomes a token first.
    """
    part = next(part for part in service.running._parts if part.name == "API")
    settings = dict(
        pair.split("=", 1)
        for pair in Path(f"/proc/{part.child.pid}/environ").read_text().split("\0")
        if "=" in pair
    )
    port = free_port()
    settings |= {"WINDTUNNEL_PORT": str(port), **environment}
    if "WINDTUNNEL_BOOTSTRAP_TOKEN" in settings:
        subprocess.run([sys.executable, "-m", "windtunnel.store.setup"], env=settings, check=True)
    api = subprocess.Popen([sys.executable, "-m", "windtunnel_api"], env=settings)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                httpx2.get(f"{url}/api/v1/health")
                break
            except httpx2.TransportError:
                assert api.poll() is None
                time.sleep(0.2)
        else:
            pytest.fail("the second API did not start")
        yield url
    finally:
        api.terminate()
        api.wait()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The real service; runs are limited to 20 s, 600 MiB and 8 MiB of output."""
    yield from start_service(
        run_wall_seconds="20",
        run_memory_bytes=str(600 * 2**20),
        run_output_bytes=str(8 * 2**20),
        lease_seconds="4",
        reconcile_seconds="0.5",
    )


@pytest.fixture(scope="module")
def database(service: Service) -> Iterator[Database]:
    """The database of the module's service."""
    database = Database(service.database_url)
    yield database
    database.close()


FAT_TREE: dict[str, Any] = {
    "topology": {"kind": "fat-tree", "k": 4, "queue": {"kind": "drop-tail", "limit": "20p"}},
    "workload": {"kind": "random-pairs", "flows": 8, "on_mean": "100ms", "off_mean": "50ms"},
    "duration": "400ms",
}


@pytest.fixture
def fat_tree() -> dict[str, Any]:
    """A scenario that takes a fraction of a second and drops packets."""
    return copy.deepcopy(FAT_TREE)


def tiny_campaign(name: str = "tiny", **changes: Any) -> dict[str, Any]:
    """A campaign of the tiny simulator; scenario fields by keyword, others as they are."""
    frame: dict[str, Any] = {
        key: changes.pop(key) for key in ("sweep", "replications", "baseline") if key in changes
    }
    scenario = {"duration": "10ms", **changes}
    return {"name": name, "simulator": "tiny", "scenario": scenario, **frame}


def resolve(description: Description, scenario: Any) -> tuple[Any, list[Problem]]:
    """A scenario resolved for a simulator, and what is wrong with it."""
    resolution = description.resolver().resolve(scenario)
    return dict(resolution.scenario), list(resolution.problems)


def records_of(program: Path, spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a simulator by hand; its records."""
    done = subprocess.run(
        [program], input=json.dumps(spec), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
