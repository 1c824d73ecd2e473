"""The embedded service recovers from killed servers, and keeps to its own data folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.commands import WINDTUNNEL
from tests.conftest import Service, new_data_folder, start_service, tiny_campaign
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.leftovers import leftovers
from windtunnel.embedded.service import EmbeddedService

# Without a wait in it, so that the backend does not notice that its postmaster is gone.
LONG_QUERY = "SELECT count(*) FROM generate_series(1, 20000000000)"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(lease_seconds="4", reconcile_seconds="0.5")


def connection(service: Service) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(service.database_url.replace("+psycopg", ""), autocommit=True)


def test_a_postmaster_killed_under_a_long_query_is_restarted(service: Service) -> None:
    postgres = next(part for part in service.running._parts if part.name == "PostgreSQL")
    before = postgres.child
    query = connection(service)
    pid = query.info.backend_pid

    def run() -> None:
        with pytest.raises(psycopg.OperationalError):
            query.execute(LONG_QUERY)

    running = threading.Thread(target=run)
    running.start()
    with connection(service) as other:
        active = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
        service.until(lambda: other.execute(active, (pid,)).fetchone(), lambda row: row == (1,))
    os.kill(before.pid, signal.SIGKILL)
    before.wait()
    began = time.monotonic()
    service.running.restart_dead()
    assert time.monotonic() - began < 40
    running.join(10)
    assert not running.is_alive()
    assert postgres.child.pid != before.pid
    campaign = service.submit(tiny_campaign(offset=1))
    assert service.wait(campaign["id"])["runs"]["succeeded"] == 1


def test_a_part_that_fails_to_start_is_retried(service: Service) -> None:
    """Here because its socket can't be created for a while."""
    redis = next(part for part in service.running._parts if part.name == "Redis")
    folder = service.folders.sockets
    os.kill(redis.child.pid, signal.SIGKILL)
    redis.child.wait()
    away = folder.with_name("away")
    folder.rename(away)
    service.running.restart_dead()
    assert redis.child.poll() is not None
    away.rename(folder)
    service.running.restart_dead()
    assert redis.child.poll() is None


def copied(folders: Folders) -> Folders:
    """A copy of a data folder, sockets included."""
    data = Path(tempfile.mkdtemp(prefix="windtunnel-test-"))
    data.chmod(0o755)
    subprocess.run(["cp", "-a", f"{folders.data}/.", data], check=True)
    return Folders(data)


def test_a_copied_data_folder_leaves_the_originals_service_alone(service: Service) -> None:
    campaign = service.submit(tiny_campaign(offset=2))
    service.wait(campaign["id"])
    with connection(service) as postgres:
        postgres.execute("CHECKPOINT")
    for copy in start_service(copied(service.folders)):
        assert copy.get(f"/campaigns/{campaign['id']}")["ended"]
        assert copy.database_url != service.database_url
        both = [running.submit(tiny_campaign(offset=3)) for running in (service, copy)]
        for running, submitted in zip((service, copy), both, strict=True):
            assert running.wait(submitted["id"])["runs"]["succeeded"] == 1
    assert service.get("/ready", worker=True)["workers"] >= 1
    assert service.folders.sockets.is_dir()


def test_a_killed_service_can_be_started_again_at_once() -> None:
    """Its servers are still shutting down; nothing is left in the temporary folder."""
    folders = new_data_folder()
    temporary = Path(tempfile.gettempdir())
    before = set(temporary.glob("windtunnel-sockets-*"))
    with subprocess.Popen(
        [WINDTUNNEL, "serve", "--data", folders.data], stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout is not None
        assert "Windtunnel is at" in serving.stdout.readline()
        serving.kill()
    with EmbeddedService(folders, lambda _: None, slots=1) as running:
        assert running.url
    assert leftovers(["postgres", "redis-server"], folders.postgres) == []
    assert set(temporary.glob("windtunnel-sockets-*")) <= before
    shutil.rmtree(folders.data)


def test_a_data_folder_with_a_long_path_works() -> None:
    base = new_data_folder()
    folders = Folders(base.data / ("x" * 60) / ("y" * 60))
    folders.data.parent.mkdir()
    folders.data.mkdir()
    for name in ("binaries", "build", "simulators"):
        (folders.data / name).symlink_to(base.data / name)
    for service in start_service(folders):
        assert not service.folders.sockets.exists()
        campaign = service.submit(tiny_campaign(offset=4))
        assert service.wait(campaign["id"])["runs"]["succeeded"] == 1
    shutil.rmtree(base.data)
