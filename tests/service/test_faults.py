"""Every run ends exactly once, whichever process dies."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.conftest import Service, eventually, start_service, tiny_campaign
from tests.workers import parent_of, processes, worker_processes
from windtunnel.run import MAX_ATTEMPTS, RunState
from windtunnel.simulator import Cancelled
from windtunnel.store import claims, leases
from windtunnel.store.database import Database
from windtunnel.store.tables import Attempt, Run

SLOW: dict[str, Any] = {"wall": 5}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(lease_seconds="4", reconcile_seconds="0.5")


def simulators(service: Service) -> list[int]:
    """Simulators that execute a run, not those that a starting worker asks for a description."""
    return processes(str(service.folders.data), "windtunnel-tiny", without=" describe")


@pytest.mark.parametrize("victim", ["pool process", "main process", "simulator"])
def test_a_killed_process_costs_an_attempt_and_no_run(service: Service, victim: str) -> None:
    offset = 100 + ["pool process", "main process", "simulator"].index(victim)
    campaign = service.submit(tiny_campaign(offset=offset, **SLOW))
    run_id = service.runs(campaign["id"])[0]["id"]
    simulator = service.until(lambda: simulators(service), bool)[0]
    pool = parent_of(simulator)
    pid = {"pool process": pool, "main process": parent_of(pool), "simulator": simulator}[victim]
    os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    service.until(lambda: service.attempts(run_id), lambda listed: len(listed) == 2, 30)
    assert time.monotonic() - killed < 30
    ended = service.wait(campaign["id"])
    assert ended["runs"]["succeeded"] == 1
    assert service.attempts(run_id) == [(1, "lost"), (2, "succeeded")]
    assert service.until(lambda: simulators(service), lambda running: not running) == []


def test_a_stale_worker_cannot_write_results(service: Service, database: Database) -> None:
    """A worker whose lease has expired returns after another has claimed its run."""
    pool = worker_processes(service)
    for pid in pool:
        os.kill(pid, signal.SIGSTOP)
    try:
        campaign = service.submit(tiny_campaign(offset=200))
        run_id = service.runs(campaign["id"])[0]["id"]
        digest = service.get(f"/runs/{run_id}")["simulator_digest"]
        with database.transaction() as session:
            first = claims.claim(session, "early", [digest], lease_seconds=0.2)
        assert isinstance(first, claims.Lease)
        time.sleep(0.4)
        with database.transaction() as session:
            second = eventually(lambda: claims.claim(session, "late", [digest], lease_seconds=60))
        assert isinstance(second, claims.Lease)
        assert (second.id, second.attempt) == (run_id, 2)
        failure = Cancelled("", 1.0)
        with database.transaction() as session:
            assert not claims.heartbeat(session, first, 60, None)
            assert not claims.finish(session, first, failure)
            assert claims.heartbeat(session, second, 60, None)
            row = session.get_one(Run, run_id)
            assert (row.state, row.lease_owner, row.attempt) == (RunState.RUNNING, "late", 2)
        with database.transaction() as session:
            session.execute(update(Run).where(Run.id == run_id).values(lease_until=row.created_at))
    finally:
        for pid in pool:
            os.kill(pid, signal.SIGCONT)
    assert service.wait(campaign["id"])["runs"]["succeeded"] == 1


def test_a_run_that_is_lost_repeatedly_fails(service: Service, database: Database) -> None:
    campaign = service.submit(tiny_campaign(offset=300, misbehave="kill-self"))
    ended = service.wait(campaign["id"], seconds=120)
    assert ended["runs"]["failed"] == 1
    run = service.get(f"/runs/{service.runs(campaign['id'])[0]['id']}")
    assert run["failure"] == "lost_worker"
    assert f"{MAX_ATTEMPTS} times" in run["message"]
    with database.transaction() as session:
        outcomes = session.scalars(select(Attempt.outcome).where(Attempt.run_id == run["id"])).all()
    assert list(outcomes) == ["lost"] * MAX_ATTEMPTS


def test_cancelling_one_of_two_campaigns_leaves_the_others_run_alone(service: Service) -> None:
    shared = tiny_campaign(offset=400, **SLOW)
    first, second = service.submit(shared), service.submit({**shared, "name": "second"})
    run_id = service.runs(first["id"])[0]["id"]
    assert service.runs(second["id"])[0]["id"] == run_id
    service.until(lambda: service.get(f"/runs/{run_id}")["state"], lambda state: state == "running")
    assert service.http.post(f"/campaigns/{first['id']}/cancel").json()["state"] == "cancelled"
    assert service.wait(second["id"])["runs"]["succeeded"] == 1
    assert service.attempts(run_id) == [(1, "succeeded")]


def test_cancelling_stops_runs_and_resuming_restarts_them(service: Service) -> None:
    campaign = service.submit(tiny_campaign(sweep={"offset": [500, 501, 502, 503]}, wall=15))
    service.until(lambda: simulators(service), lambda running: len(running) == 2)
    service.http.post(f"/campaigns/{campaign['id']}/cancel")
    ended = service.wait(campaign["id"], 10)
    assert ended["runs"]["cancelled"] == 4
    assert service.until(lambda: simulators(service), lambda running: not running) == []
    resumed = service.http.post(f"/campaigns/{campaign['id']}/resume").json()
    assert resumed["runs"]["queued"] + resumed["runs"]["running"] == 4
    service.until(lambda: simulators(service), lambda running: len(running) == 2)
    service.http.post(f"/campaigns/{campaign['id']}/cancel")
    service.wait(campaign["id"], 10)


def test_a_small_campaign_does_not_wait_for_2000_runs(service: Service, database: Database) -> None:
    large = service.submit(
        tiny_campaign(
            name="large", sweep={"offset": list(range(1000, 2000))}, replications=2, wall=60
        )
    )
    service.until(lambda: simulators(service), lambda running: len(running) == 2)
    small = service.submit(tiny_campaign(name="small", offset=600))
    run_id = service.runs(small["id"])[0]["id"]
    digest = small["simulators"][0]["digest"]
    with database.transaction() as session:
        lease = claims.claim(session, "the next slot", [digest], lease_seconds=0.1)
    assert lease is not None
    assert lease.id == run_id
    service.http.post(f"/campaigns/{large['id']}/cancel")
    service.wait(large["id"], 20)
    assert service.wait(small["id"])["runs"]["succeeded"] == 1


def test_two_campaigns_take_turns(service: Service, database: Database) -> None:
    pool = worker_processes(service)
    for pid in pool:
        os.kill(pid, signal.SIGSTOP)
    try:
        a = service.submit(tiny_campaign(name="a", sweep={"offset": list(range(2000, 2004))}))
        b = service.submit(tiny_campaign(name="b", sweep={"offset": list(range(3000, 3004))}))
        owners = {run["id"]: c["name"] for c in (a, b) for run in service.runs(c["id"])}
        claimed = []
        for _ in range(6):
            with database.transaction() as session:
                lease = claims.claim(
                    session, "x", [a["simulators"][0]["digest"]], lease_seconds=0.5
                )
            assert lease is not None
            claimed.append(owners[lease.id])
        assert sorted(claimed[:2]) == sorted(claimed[2:4]) == sorted(claimed[4:6]) == ["a", "b"]
    finally:
        for pid in pool:
            os.kill(pid, signal.SIGCONT)
    assert service.wait(a["id"])["runs"]["succeeded"] == 4
    assert service.wait(b["id"])["runs"]["succeeded"] == 4


def test_answers_503_while_postgresql_is_down_and_recovers(service: Service) -> None:
    campaign = service.submit(tiny_campaign(offset=700, wall=4))
    service.until(lambda: simulators(service), bool)
    postgres = next(part for part in service.running._parts if part.name == "PostgreSQL")
    os.kill(postgres.child.pid, signal.SIGKILL)
    postgres.child.wait()
    time.sleep(0.3)
    answer = service.http.get("/campaigns")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert service.http.get("/health").status_code == 200
    service.running.restart_dead()
    assert service.wait(campaign["id"])["runs"]["succeeded"] == 1
    assert service.attempts(service.runs(campaign["id"])[0]["id"])[-1][1] == "succeeded"


def test_no_run_is_lost_when_redis_restarts_empty(service: Service) -> None:
    campaign = service.submit(tiny_campaign(sweep={"offset": list(range(800, 808))}, wall=1))
    redis = next(part for part in service.running._parts if part.name == "Redis")
    os.kill(redis.child.pid, signal.SIGKILL)
    redis.child.wait()
    shutil.rmtree(service.folders.redis)
    time.sleep(3)  # several rounds of the reconciler with nobody to ring
    service.running.restart_dead()
    assert service.wait(campaign["id"])["runs"]["succeeded"] == 8
    for run in service.runs(campaign["id"]):
        assert [outcome for _, outcome in service.attempts(run["id"])][-1] == "succeeded"


def test_slots_that_run_or_verify_are_busy(service: Service, database: Database) -> None:
    """Otherwise the reconciler would restart a busy worker."""

    def busy() -> int:
        name = service.until(lambda: service.get("/workers")["workers"], lambda w: len(w) == 1, 40)[
            0
        ]
        with database.transaction() as session:
            return leases.busy_slots(session, name["name"])

    service.until(busy, lambda count: count == 0, 40)  # until a lost worker is forgotten
    campaign = service.submit(tiny_campaign(sweep={"offset": [900, 901]}, wall=3))
    service.until(busy, lambda count: count == 2, 40)
    done = service.wait(campaign["id"])
    assert busy() == 0
    for run in service.runs(done["id"]):
        assert service.http.post(f"/runs/{run['id']}/verify").status_code == 202
    service.until(busy, lambda count: count == 2)
    waiting = service.submit(tiny_campaign(offset=902))
    with database.transaction() as session:
        assert claims.startable_runs(session) == 0
    assert service.wait(waiting["id"])["runs"]["succeeded"] == 1


def test_a_stalled_run_fails_long_before_its_wall_clock_limit(service: Service) -> None:
    campaign = service.submit(
        {**tiny_campaign("stalled", offset=900, misbehave="hang"), "limits": {"stall": "1s"}}
    )
    began = time.monotonic()
    ended = service.wait(campaign["id"], seconds=30)
    assert time.monotonic() - began < 15
    assert ended["runs"]["failed"] == 1
    run = service.runs(campaign["id"])[0]
    assert run["failure"] == "stalled"
    assert "no simulated progress for 1 s" in run["message"]


def test_limits_above_the_services_own_are_refused(service: Service) -> None:
    limits = {"wall": "2h", "memory": "64GiB"}
    refused = service.http.post("/campaigns", json={**tiny_campaign("greedy"), "limits": limits})
    assert refused.status_code == 422
    errors = {error["path"]: error["message"] for error in refused.json()["errors"]}
    assert errors == {
        "limits.wall": "runs may take at most 3600 s (WINDTUNNEL_RUN_WALL_SECONDS) here",
        "limits.memory": "runs may use at most 4096 MiB (WINDTUNNEL_RUN_MEMORY_BYTES) here",
    }


def test_lints_are_shown_and_kept_with_the_campaign(service: Service) -> None:
    campaign = tiny_campaign("linted", sweep={"offset": [901, 902]})
    planned = service.http.post("/campaigns", params={"dry_run": True}, json=campaign).json()
    submitted = service.submit(campaign)
    assert [lint["path"] for lint in planned["lints"]] == ["replications", "baseline"]
    assert service.get(f"/campaigns/{submitted['id']}")["lints"] == planned["lints"]
