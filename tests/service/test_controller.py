"""Ending a run and deciding what follows is one transaction, with concurrent workers too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.orm import Session

from tests.conftest import Service, tiny_campaign
from tests.workers import paused
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed, Lost
from windtunnel.store import claims, leases, verifications
from windtunnel.store.campaigns import find_run
from windtunnel.store.database import Database
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tables import Campaign, Run, Verification
from windtunnel.store.verifications import VerificationLease

CRASHED = Failed("", 1.0, FailureReason.SIM_CRASHED, "crashed")
LOST = Lost("", 1.0, "killed")


@pytest.fixture
def database(service: Service) -> Iterator[Database]:
    """The service's own worker is stopped, so that only the test claims runs."""
    database = Database(service.database_url, pool_size=4)
    with paused(service):
        yield database
    database.close()


def state(database: Database, campaign_id: str) -> str:
    with database.transaction() as session:
        return session.get_one(Campaign, campaign_id).state


def claimed(database: Database, digest: str, owner: str) -> claims.Lease:
    with database.transaction() as session:
        lease = claims.claim(session, owner, [digest], lease_seconds=60)
    assert isinstance(lease, claims.Lease)
    return lease


def claimed_verification(session: Session, digest: str, owner: str) -> VerificationLease:
    lease = verifications.claim(session, owner, [digest], 60, submitter=ANONYMOUS)
    assert lease is not None
    return lease


def test_of_two_workers_that_finish_the_last_runs_the_second_ends_the_campaign(
    service: Service, database: Database
) -> None:
    campaign = service.submit(tiny_campaign("pair", sweep={"offset": [6000, 6001]}))
    digest = campaign["simulators"][0]["digest"]
    assert state(database, campaign["id"]) == "planned"
    first, second = (claimed(database, digest, f"w/{n}") for n in (1, 2))
    assert state(database, campaign["id"]) == "running"
    landed = threading.Event()

    def land_second() -> None:
        with database.transaction() as session:
            assert claims.finish(session, second, CRASHED)
        landed.set()

    with database.transaction() as session:
        assert claims.finish(session, first, CRASHED)
        other = threading.Thread(target=land_second)
        other.start()
        # It waits for the campaign's row: neither may decide on what the other has not committed.
        assert not landed.wait(0.5)
    other.join(10)
    assert landed.is_set()
    assert state(database, campaign["id"]) == "ended"


def test_a_crash_before_the_commit_changes_nothing(service: Service, database: Database) -> None:
    campaign = service.submit(tiny_campaign("crash", offset=6100))
    lease = claimed(database, campaign["simulators"][0]["digest"], "w/1")

    def die_before_the_commit() -> None:
        with database.transaction() as session:
            assert claims.finish(session, lease, CRASHED)
            raise RuntimeError("the worker dies here")

    with pytest.raises(RuntimeError, match="the worker dies here"):
        die_before_the_commit()
    assert state(database, campaign["id"]) == "running"
    with database.transaction() as session:
        assert claims.finish(session, lease, CRASHED)
    assert state(database, campaign["id"]) == "ended"


def test_a_lease_from_before_the_clock_was_set_back_does_not_block_its_run(
    service: Service, database: Database
) -> None:
    """Leases of an hour are those of a clock that was an hour ahead; shorter ones stay."""
    campaign = service.submit(tiny_campaign("set-back", sweep={"offset": [6301, 6302]}))
    digest = campaign["simulators"][0]["digest"]
    with database.transaction() as session:
        blocked = claims.claim(session, "dead/1", [digest], lease_seconds=3600)
        other = claims.claim(session, "w/1", [digest], lease_seconds=300)
        assert isinstance(blocked, claims.Lease)
        assert isinstance(other, claims.Lease)
        assert leases.cap(session, lease_seconds=0) == 1
    with database.transaction() as session:
        (expired,) = leases.expired(session, Run)
        assert expired.id == blocked.id
        assert claims.heartbeat(session, other, 5, None)
    with database.transaction() as session:
        claims.release_all(session, "w")


@pytest.fixture
def verified(service: Service) -> dict[str, Any]:
    """A campaign that the service's own worker has executed, before it is paused."""
    return service.wait(service.submit(tiny_campaign("verified", offset=6200))["id"])


def test_runs_and_verifications_are_released_when_their_worker_leaves(
    verified: dict[str, Any], service: Service, database: Database
) -> None:
    """An orderly shutdown uses no attempt; a lost worker does."""
    digest = verified["simulators"][0]["digest"]
    with database.transaction() as session:
        run = find_run(session, service.runs(verified["id"])[0]["id"])
        verification_id, _ = verifications.request(session, run)
    campaign = service.submit(tiny_campaign("released", offset=6201))
    for expected in (1, 2):
        with database.transaction() as session:
            lease = claimed_verification(session, digest, "leaving/7")
        run_lease = claimed(database, digest, "leaving/7")
        with database.transaction() as session:
            assert (lease.attempt, run_lease.attempt) == (expected, expected)
        with database.transaction() as session:
            assert leases.busy_slots(session, "leaving") == 2
            assert leases.active(session, Verification, [(verification_id, expected)])
            assert verifications.release_all(session, "leaving") == 1
            assert claims.release_all(session, "leaving") == 1
        with database.transaction() as session:
            row = session.get_one(Verification, verification_id)
            assert (row.state, row.first_attempt) == ("queued", expected)
            assert not verifications.heartbeat(session, lease, 60)
            assert not verifications.finish(session, lease, CRASHED)
    with database.transaction() as session:
        lease = claimed_verification(session, digest, "lost/1")
        assert verifications.finish(session, lease, LOST)
        row = session.get_one(Verification, verification_id, populate_existing=True)
        assert (row.state, row.attempt - row.first_attempt) == ("queued", 1)
    assert state(database, campaign["id"]) == "running"
