"""Quotas: what is over is refused, or waits, with the numbers that apply."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select, text, update

from tests.conftest import Service, eventually, second_api, start_service, tiny_campaign
from tests.workers import paused
from windtunnel.quotas import UNLIMITED, Quotas
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed
from windtunnel.store import claims, usage
from windtunnel.store.database import Database
from windtunnel.store.tables import CpuUse, Run

ENDED = Failed("", 1.0, FailureReason.SIM_CRASHED, "ended")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service(lease_seconds="4", reconcile_seconds="0.5")


@pytest.fixture
def database(service: Service) -> Iterator[Database]:
    database = Database(service.database_url)
    yield database
    database.close()


@pytest.fixture
def stopped(service: Service, database: Database) -> Iterator[None]:
    """The service's own workers are stopped, so that only the test claims runs."""
    cancel_all(service)
    with paused(service):
        yield


def many(first: int, runs: int) -> dict[str, Any]:
    return tiny_campaign("many", sweep={"offset": list(range(first, first + runs))})


def cancel_all(service: Service) -> None:
    for campaign in service.get("/campaigns", limit=500)["campaigns"]:
        service.http.post(f"/campaigns/{campaign['id']}/cancel")


def use_of(database: Database, name: str) -> usage.Usage:
    with database.transaction() as session:
        return usage.usages(session, UNLIMITED, [name])[0]


def test_open_runs_over_the_quota_are_refused(
    service: Service, database: Database, stopped: None
) -> None:
    client = service.client_of("few", max_open_runs=10)
    first = client.post("/campaigns", json=many(1000, 8))
    assert first.status_code == 202
    refused = client.post("/campaigns", json=many(1100, 3))
    assert (refused.status_code, refused.json()["code"]) == (409, "quota_exceeded")
    assert "few has 8 open runs and asks for 3 more; at most 10" in refused.json()["detail"]
    assert len(client.get("/campaigns").json()["campaigns"]) == 1  # nothing was stored
    # What is open already is free, and so is the same campaign once more.
    assert client.post("/campaigns", json=many(1000, 10)).status_code == 202
    assert use_of(database, "few").open_runs == 10
    path = f"/campaigns/{first.json()['id']}"
    extended = client.post(f"{path}/replications", json={"replications": 2})
    assert (extended.status_code, extended.json()["code"]) == (409, "quota_exceeded")
    assert "asks for 8 more" in extended.json()["detail"]
    assert client.get(path).json()["replications"] == 1
    # Cancelling frees them; resuming needs them again.
    assert client.post(f"{path}/cancel").status_code == 200
    for listed in client.get("/campaigns").json()["campaigns"]:
        client.post(f"/campaigns/{listed['id']}/cancel")
    assert use_of(database, "few").open_runs == 0
    other = client.post("/campaigns", json=many(1200, 5))
    assert other.status_code == 202
    resumed = client.post(f"{path}/resume")
    assert (resumed.status_code, resumed.json()["code"]) == (409, "quota_exceeded")
    assert "few has 5 open runs and asks for 8 more" in resumed.json()["detail"]
    assert client.get(path).json()["state"] == "cancelled"
    client.post(f"/campaigns/{other.json()['id']}/cancel")
    # Others have the service's quotas: none.
    assert service.client_of("many").post("/campaigns", json=many(1300, 20)).is_success


def test_concurrent_submissions_do_not_exceed_the_quota(
    service: Service, database: Database, stopped: None
) -> None:
    client = service.client_of("racing", max_open_runs=10)
    with ThreadPoolExecutor(6) as pool:
        answers = list(
            pool.map(
                lambda n: client.post("/campaigns", json=many(2000 + 10 * n, 4)).status_code,
                range(6),
            )
        )
    assert sorted(answers) == [202, 202, 409, 409, 409, 409]
    assert use_of(database, "racing").open_runs == 8


def test_verifications_are_open_runs(service: Service) -> None:
    done = service.wait(service.submit(tiny_campaign("verified", sweep={"offset": [3000, 3001]},
                                                     wall=1))["id"])  # fmt: skip
    first, second = (run["id"] for run in service.runs(done["id"]))
    client = service.client_of("verifier", max_open_runs=1)
    accepted = client.post(f"/runs/{first}/verify")
    assert accepted.status_code == 202
    assert client.post(f"/runs/{first}/verify").status_code == 200  # the same one
    refused = client.post(f"/runs/{second}/verify")
    assert (refused.status_code, refused.json()["code"]) == (409, "quota_exceeded")
    client.post(f"/verifications/{accepted.json()['id']}/cancel")


def test_over_the_cpu_quota_runs_wait(service: Service, database: Database, stopped: None) -> None:
    client = service.client_of("hungry", cpu_hours_per_day=2)
    other = service.client_of("modest")
    campaign = client.post("/campaigns", json=many(4000, 4)).json()
    assert campaign["note"] is None
    digest = campaign["simulators"][0]["digest"]
    with database.transaction() as session:
        session.add(CpuUse(submitter="hungry", cpu_seconds=2.5 * 3600))
    path = f"/campaigns/{campaign['id']}"
    note = "waiting for CPU hours: hungry has used 2.5 of 2 in the last 24 hours"
    assert client.get(path).json()["note"] == note
    run = client.get(f"{path}/runs").json()["runs"][0]["id"]
    assert client.get(f"/runs/{run}").json()["note"] == note
    with database.transaction() as session:
        assert claims.claim(session, "slot/1", [digest], 60) is None
        assert claims.wakeups(session, UNLIMITED) == 0
    # A run that somebody else needs too is executed, in their turn.
    shared = other.post("/campaigns", json=many(4000, 1)).json()
    with database.transaction() as session:
        lease = claims.claim(session, "slot/1", [digest], 60)
        assert isinstance(lease, claims.Lease)
        assert session.get_one(Run, lease.id).charged_to == "modest"
    with database.transaction() as session:
        assert claims.finish(session, lease, ENDED)
        assert claims.claim(session, "slot/1", [digest], 60) is None
    other.delete(f"/campaigns/{shared['id']}")
    # A day later.
    with database.transaction() as session:
        session.execute(update(CpuUse).where(CpuUse.submitter == "hungry").values(
            ended_at=text("now() - interval '24 hours 1 minute'")))  # fmt: skip
    assert client.get(path).json()["note"] is None
    with database.transaction() as session:
        assert claims.claim(session, "slot/1", [digest], 60) is not None
    client.delete(path)


@pytest.mark.parametrize("end", ["finished", "lost and claimed again", "deleted"])
def test_every_execution_is_charged_to_the_submitter_in_whose_turn_it_was(
    service: Service, database: Database, stopped: None, end: str
) -> None:
    name = end.split()[0]
    client = service.client_of(name)
    campaign = client.post("/campaigns", json=many(5000, 1)).json()
    digest = campaign["simulators"][0]["digest"]
    with database.transaction() as session:
        lease = claims.claim(session, "slot/1", [digest], 60)
        assert isinstance(lease, claims.Lease)
    with database.transaction() as session:  # half an hour ago
        times = {"leased_at": text("now() - interval '30 minutes'")}
        if end.startswith("lost"):
            times["lease_until"] = text("now() - interval '15 minutes'")
        session.execute(update(Run).where(Run.id == lease.id).values(times))
    expected = 0.25 if end.startswith("lost") else 0.5
    assert use_of(database, name).cpu_hours == pytest.approx(expected, abs=0.01)  # under way
    with database.transaction() as session:
        match end:
            case "finished":
                assert claims.finish(session, lease, ENDED)
            case "deleted":
                pass
            case _:
                assert eventually(lambda: claims.claim(session, "slot/2", [digest], 60))
    assert client.delete(f"/campaigns/{campaign['id']}").status_code == 204
    for _ in range(2):
        assert use_of(database, name).cpu_hours == pytest.approx(expected, abs=0.01)
        with database.transaction() as session:
            usage.compact(session)


def test_use_of_the_past_is_summed_up_and_forgotten(service: Service, database: Database) -> None:
    with database.transaction() as session:
        for minutes in (*range(100), 24 * 60 + 5, 26 * 60):
            session.add(CpuUse(submitter="past", cpu_seconds=36.0,
                               ended_at=text(f"now() - interval '{minutes} minutes'")))  # fmt: skip
    assert use_of(database, "past").cpu_hours == pytest.approx(1.0)
    for _ in range(2):
        with database.transaction() as session:
            usage.compact(session)
    with database.transaction() as session:
        kept = session.scalars(select(CpuUse).where(CpuUse.submitter == "past")).all()
    assert len(kept) <= 10 + 10 + 1
    assert sum(row.cpu_seconds for row in kept) == pytest.approx(101 * 36.0)
    assert use_of(database, "past").cpu_hours == pytest.approx(1.0)


def test_storage_over_the_quota_is_refused(service: Service, database: Database) -> None:
    client = service.client_of("collector", max_storage_bytes=1000)
    first = client.post("/campaigns", json=many(6000, 4)).json()
    service.wait(first["id"])
    used = use_of(database, "collector").storage_bytes
    assert used > 1000
    refused = client.post("/campaigns", json=many(6100, 3))
    assert (refused.status_code, refused.json()["code"]) == (409, "quota_exceeded")
    expected = f"take {used} bytes, at most 1000 are allowed; 3 more runs are refused"
    assert expected in refused.json()["detail"]
    assert client.post("/campaigns", json=many(6000, 4)).status_code == 202  # nothing new
    for listed in client.get("/campaigns").json()["campaigns"]:
        if listed["submitted_by"] == "collector":
            client.delete(f"/campaigns/{listed['id']}")
    assert use_of(database, "collector").storage_bytes == 0
    assert client.post("/campaigns", json=many(6100, 3)).status_code == 202


def test_defaults_of_the_service_and_rotation(service: Service) -> None:
    created = service.http.post(
        "/tokens", json={"name": "rotated", "scope": "submit", "max_open_runs": 7}
    ).json()
    rotated = service.http.post(f"/tokens/{created['id']}/rotate").json()
    assert (rotated["max_open_runs"], rotated["cpu_hours_per_day"]) == (7, None)
    unlimited = service.client_of("unlimited", max_open_runs=0)
    with second_api(service, WINDTUNNEL_QUOTA_OPEN_RUNS="2") as url:
        answer = unlimited.post(f"{url}/api/v1/campaigns", json=many(7000, 3))
        assert answer.status_code == 202
        limited = service.client_of("default")
        answer = limited.post(f"{url}/api/v1/campaigns", json=many(7100, 3))
        assert answer.status_code == 409
        shown = unlimited.get(f"{url}/api/v1/usage").json()["submitters"]
    assert [(row["name"], row["quotas"]["max_open_runs"]) for row in shown] == [("unlimited", 0)]
    for field, value in (
        ("max_open_runs", -1),
        ("cpu_hours_per_day", -0.5),
        ("max_open_runs", 2**40),
    ):
        refused = service.http.post("/tokens", json={"name": "x", "scope": "read", field: value})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["path"] == f"body.{field}"
    assert Quotas(None, 3, 0).completed(Quotas(5, 6, 7)) == Quotas(5, 3, 0)


def test_usage_and_quotas_on_the_command_line(service: Service) -> None:
    def windtunnel(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = "from windtunnel.cli.main import main; main()"
        return subprocess.run(
            [sys.executable, "-c", program, *arguments, "--server", service.url],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    created = windtunnel("token", "create", "lab", "--scope", "submit", "--max-open-runs", "5000",
                         "--cpu-hours-per-day", "48", "--storage", "20GiB")  # fmt: skip
    assert created.returncode == 0, created.stderr
    assert (
        "5000 open runs, 48.0 CPU hours a day, 20 GiB of storage"
        in windtunnel("token", "list").stdout
    )
    wrong = windtunnel("token", "create", "lab2", "--scope", "submit", "--storage", "20")
    assert (wrong.returncode, "--storage: " in wrong.stderr) == (2, True)
    token = created.stdout.strip()
    campaign = service.submit(many(8000, 2), Authorization=f"Bearer {token}")
    service.wait(campaign["id"])
    everybody = windtunnel("usage").stdout
    lab = next(line for line in everybody.splitlines() if line.startswith("lab "))
    assert "0 of 5000" in lab
    assert "of 48" in lab
    assert "of 20 GiB" in lab
    assert any(line.startswith("owner ") for line in everybody.splitlines())
