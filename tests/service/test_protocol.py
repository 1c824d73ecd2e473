"""A worker of another version than the database claims nothing, and says why."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.conftest import Service, start_service, tiny_campaign
from windtunnel.protocol import PROTOCOL
from windtunnel.store.database import Database
from windtunnel.store.tables import Installation


@pytest.fixture
def service() -> Iterator[Service]:
    yield from start_service(reconcile_seconds="0.5")


def require(service: Service, protocol: int) -> None:
    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        session.execute(update(Installation).values(protocol=protocol))
    database.close()


def environment_of(service: Service) -> dict[str, str]:
    """The environment of the service's worker."""
    part = next(part for part in service.running._parts if part.name == "worker")
    variables = Path(f"/proc/{part.child.pid}/environ").read_text().split("\0")
    return {**os.environ, **dict(line.split("=", 1) for line in variables if "=" in line)}


def test_the_migrations_store_the_protocol_of_the_code(service: Service) -> None:
    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        assert session.query(Installation).one().protocol == PROTOCOL
    database.close()


def test_a_worker_of_another_version_does_not_start(service: Service) -> None:
    environment = environment_of(service)
    require(service, PROTOCOL + 1)
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel_worker"],
        env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"speaks protocol {PROTOCOL}, but the database requires {PROTOCOL + 1}" in done.stderr


def test_a_running_worker_ends_and_returns_with_its_version(service: Service) -> None:
    part = next(part for part in service.running._parts if part.name == "worker")
    require(service, PROTOCOL + 1)
    assert part.child.wait(60) is not None
    accepted = service.submit(tiny_campaign(offset=1))
    assert service.get(f"/campaigns/{accepted['id']}")["runs"]["queued"] == 1
    require(service, PROTOCOL)
    assert service.wait(accepted["id"])["runs"]["succeeded"] == 1
