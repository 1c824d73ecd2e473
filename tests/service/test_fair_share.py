"""Submitters get equal shares of the workers' time, however many campaigns they have."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Iterator

import httpx2
import pytest
from sqlalchemy import func, select, update

from tests.conftest import Service, start_service, tiny_campaign
from tests.workers import paused
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed
from windtunnel.store import claims, verifications
from windtunnel.store.claims import Lease
from windtunnel.store.database import Database
from windtunnel.store.tables import Attempt, Campaign, CampaignRun, Leased, Run, Verification
from windtunnel.store.verifications import VerificationLease

SLOTS = 4
COMPLETED = 100
ENDED = Failed("", 1.0, FailureReason.SIM_CRASHED, "ended")


@pytest.fixture
def service() -> Iterator[Service]:
    yield from start_service(slots=SLOTS, lease_seconds="10", reconcile_seconds="0.5")


@pytest.fixture
def database(service: Service) -> Iterator[Database]:
    database = Database(service.database_url)
    yield database
    database.close()


@pytest.fixture
def clients(service: Service) -> dict[str, httpx2.Client]:
    """A client with a token of its own for alice and for bob."""
    return {name: service.client_of(name) for name in ("alice", "bob")}


@pytest.fixture
def only_the_test_claims(service: Service) -> Iterator[None]:
    with paused(service):
        yield


def submit(client: httpx2.Client, name: str, offsets: range) -> str:
    """A campaign with a run for each offset; its id."""
    answer = client.post("/campaigns", json=tiny_campaign(name, sweep={"offset": list(offsets)}))
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def succeeded(database: Database, campaign_id: str) -> list[str]:
    """End a campaign's runs as succeeded, without executing them; their ids."""
    with database.transaction() as session:
        runs = select(CampaignRun.run_id).where(CampaignRun.campaign_id == campaign_id)
        ids = list(session.scalars(runs))
        session.execute(
            update(Run).where(Run.id.in_(ids)).values(state="succeeded", ended_at=func.now())
        )
        session.execute(update(Campaign).where(Campaign.id == campaign_id).values(state="ended"))
    return ids


def verify(database: Database, run_ids: list[str], name: str) -> None:
    """Request verifications, all at once: a stopped worker's simulators are soon forgotten."""
    with database.transaction() as session:
        for run_id in run_ids:
            assert verifications.request(session, session.get_one(Run, run_id), name)[1]


def simulate(database: Database, digest: str, seed: int) -> list[tuple[str, str]]:
    """Slots claim and finish work with random durations; (submitter, kind) of what is completed.

    Everybody's durations have the same distribution: equal shares of the slots then are equal
    numbers.
    """
    rng = random.Random(seed)
    running: list[tuple[float, int, Lease | VerificationLease, str]] = []
    completed: list[tuple[str, str]] = []
    now = 0.0
    claimed = 0
    while len(completed) < COMPLETED:
        while len(running) < SLOTS:
            with database.transaction() as session:
                lease = claims.claim(session, f"slot/{claimed}", [digest], 600)
                assert lease is not None
                table: type[Leased] = Run if isinstance(lease, Lease) else Verification
                submitter = session.scalar(select(table.charged_to).where(table.id == lease.id))
            claimed += 1
            heapq.heappush(running, (now + rng.uniform(0.5, 1.5), claimed, lease, str(submitter)))
        now, _, lease, submitter = heapq.heappop(running)
        with database.transaction() as session:
            if isinstance(lease, Lease):
                assert claims.finish(session, lease, ENDED)
            else:
                assert verifications.finish(session, lease, ENDED)
        completed.append((submitter, type(lease).__name__))
    return completed


@pytest.mark.usefixtures("only_the_test_claims")
def test_twenty_campaigns_and_300_verifications_get_as_much_as_one_campaign(
    service: Service, clients: dict[str, httpx2.Client], database: Database
) -> None:
    alice, bob = clients["alice"], clients["bob"]
    verified = succeeded(database, submit(alice, "verified", range(1000, 1300)))
    verify(database, verified, "alice")
    for number in range(20):
        submit(alice, f"campaign {number}", range(2000 + 10 * number, 2010 + 10 * number))
    submit(bob, "the only one", range(5000, 5100))
    digest = service.get(f"/runs/{verified[0]}")["simulator_digest"]
    completed = simulate(database, digest, seed=11)
    shares = Counter(submitter for submitter, _ in completed)
    assert 45 <= shares["bob"] <= 55, shares
    # Her verifications are one of the 21 that take turns in her share.
    of_alice = Counter(kind for submitter, kind in completed if submitter == "alice")
    assert of_alice["VerificationLease"] in (2, 3), of_alice


def test_shares_of_real_runs(
    service: Service, clients: dict[str, httpx2.Client], database: Database
) -> None:
    alice, bob = clients["alice"], clients["bob"]
    first = submit(alice, "verified", range(1000, 1040))
    service.wait(first)
    with paused(service):  # until everything is submitted
        verify(database, [run["id"] for run in service.runs(first)], "alice")
        for number in range(20):
            submit(alice, f"campaign {number}", range(2000 + 10 * number, 2010 + 10 * number))
        of_bob = submit(bob, "the only one", range(5000, 5100))
        with database.transaction() as session:
            begin = session.scalar(select(func.now()))

    def ended() -> list[str]:
        with database.transaction() as session:
            runs = select(Run.charged_to, Run.ended_at).where(Run.ended_at > begin)
            verified = select(Verification.charged_to, Verification.ended_at).where(
                Verification.ended_at > begin
            )
            rows = [*session.execute(runs), *session.execute(verified)]
        return [row.charged_to for row in sorted(rows, key=lambda row: row.ended_at)]

    submitters = service.until(ended, lambda names: len(names) >= COMPLETED, 120)[:COMPLETED]
    # Two workers that claim at the same moment may both choose the same submitter.
    assert 40 <= submitters.count("bob") <= 60, Counter(submitters)
    bob.post(f"/campaigns/{of_bob}/cancel")


@pytest.mark.usefixtures("only_the_test_claims")
def test_a_shared_run_counts_for_the_submitter_whose_turn_it_was(
    service: Service, clients: dict[str, httpx2.Client], database: Database
) -> None:
    for client in clients.values():
        submit(client, "shared", range(7000, 7004))
    with database.transaction() as session:
        digest = str(session.scalar(select(Run.simulator_digest)))
    for slot in range(4):
        with database.transaction() as session:
            assert claims.claim(session, f"slot/{slot}", [digest], 60) is not None
    with database.transaction() as session:
        charged = Counter(session.scalars(select(Run.charged_to)))
        assert session.scalar(select(func.count()).select_from(Attempt)) == 4
    assert charged == {"alice": 2, "bob": 2}


@pytest.mark.usefixtures("only_the_test_claims")
def test_one_slot_alternates_between_submitters(
    service: Service, clients: dict[str, httpx2.Client], database: Database
) -> None:
    """Also if one of them has campaigns for simulators that the worker does not have."""
    submit(clients["alice"], "a", range(8000, 8010))
    submit(clients["alice"], "a2", range(8100, 8110))
    submit(clients["bob"], "b", range(9000, 9010))
    with database.transaction() as session:
        digest = str(session.scalar(select(Run.simulator_digest)))
    order = []
    for _ in range(6):
        with database.transaction() as session:
            lease = claims.claim(session, "slot/1", [digest], 60)
            assert isinstance(lease, Lease)
            order.append(session.get_one(Run, lease.id).charged_to)
        with database.transaction() as session:
            claims.finish(session, lease, ENDED)
    assert order in (["alice", "bob"] * 3, ["bob", "alice"] * 3)
    with database.transaction() as session:
        assert claims.claim(session, "slot/1", ["f" * 64], 60) is None
