"""The state of the installation, and how long a plan would take here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import delete

from tests.conftest import Service, tiny_campaign
from tests.workers import paused
from windtunnel import __version__
from windtunnel.store import prediction
from windtunnel.store.database import Database
from windtunnel.store.tables import Worker


def planned(service: Service, document: dict[str, Any]) -> Any:
    response = service.http.post("/campaigns", params={"dry_run": True}, json=document)
    assert response.status_code == 200, response.text
    return response.json()


def test_the_state_of_the_installation(service: Service) -> None:
    service.wait(service.submit(tiny_campaign("first", sweep={"offset": [1, 2]}))["id"])
    shown = service.get("/system")
    assert (shown["version"], shown["schema_version"]) == (__version__, "0020")
    started = datetime.fromisoformat(shown["started_at"])
    assert 0 < (datetime.now(UTC) - started).total_seconds() < 600
    (worker,) = shown["workers"]
    assert worker["slots"] == 2
    assert 0 <= (datetime.now(UTC) - datetime.fromisoformat(worker["seen_at"])).total_seconds() < 20
    assert shown["queue"] == {
        "queued": 0,
        "running": 0,
        "oldest_queued_seconds": None,
        "verifications": 0,
    }
    assert (shown["database"]["campaigns"], shown["database"]["runs"]) == (1, 2)
    assert shown["database"]["bytes"] > 1e6
    assert {simulator["name"] for simulator in shown["simulators"]} == {"ns3", "tiny"}


def test_a_plan_predicts_its_wall_time(service: Service, database: Database) -> None:
    document = tiny_campaign("wall", sweep={"offset": [11, 12, 13]}, replications=2)
    new = planned(service, document)
    assert new["predicted_wall_seconds"] == pytest.approx(new["predicted_cpu_seconds"] / 2)
    with paused(service):
        campaign = service.submit(document)
        assert service.get("/system")["queue"]["queued"] == 6
        assert service.get("/system")["queue"]["oldest_queued_seconds"] >= 0
        with database.transaction() as session:
            queued = prediction.queue(session).cpu_seconds
        assert queued == pytest.approx(campaign["predicted_cpu_seconds"])
        # Its runs are queued already: nothing new, but the queue.
        again = planned(service, document)
        assert again["predicted_wall_seconds"] == pytest.approx(queued / 2)
        with database.transaction() as session:
            session.execute(delete(Worker))
        assert planned(service, document)["predicted_wall_seconds"] is None
    service.wait(campaign["id"])
    done = planned(service, document)
    assert (done["reused_runs"], done["predicted_wall_seconds"]) == (6, 0)


def test_the_queue_is_the_sum_over_all_campaigns(service: Service, database: Database) -> None:
    """Campaigns of different numbers of cells and seeds; a run that both want counts once."""
    documents = (
        tiny_campaign("three cells", sweep={"offset": [21, 22, 23]}, replications=2),
        tiny_campaign("one cell", offset=24, duration="9s", replications=5),
        tiny_campaign("shared", offset=24, duration="9s", replications=5),
    )
    with paused(service):
        three, one, shared = (service.submit(document) for document in documents)
        with database.transaction() as session:
            queued = prediction.queue(session).cpu_seconds
    assert one["predicted_cpu_seconds"] == pytest.approx(shared["predicted_cpu_seconds"])
    predicted = three["predicted_cpu_seconds"] + one["predicted_cpu_seconds"]
    assert queued == pytest.approx(predicted)
    for campaign in (three, one, shared):
        service.wait(campaign["id"])
