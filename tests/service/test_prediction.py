"""Predicted CPU time: learned from the runs that were measured."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from tests.conftest import Service, tiny_campaign
from windtunnel.store.database import Database


def predicted(service: Service, campaign: dict[str, Any]) -> dict[str, Any]:
    answer = service.http.post("/campaigns", params={"dry_run": True}, json=campaign)
    assert answer.status_code == 200, answer.text
    plan: dict[str, Any] = answer.json()
    return plan


def test_a_second_campaign_is_predicted_from_the_first(service: Service) -> None:
    """The described start-up of the tiny simulator, 20 ms, is a fraction of what it takes here."""
    first = tiny_campaign("first", offset=1, replications=300)
    before = predicted(service, first)
    assert not before["calibrated"]
    assert before["predicted_cpu_seconds"] == 300 * (0.02 + 10e-6)
    measured = service.wait(service.submit(first)["id"], 120)["actual_cpu_seconds"] / 300

    alike = predicted(service, tiny_campaign("alike", offset=2, replications=50))
    assert alike["calibrated"]
    assert alike["predicted_events"] == 500
    assert measured / 1.5 < alike["predicted_cpu_seconds"] / 50 < measured * 1.5

    longer = tiny_campaign("longer", offset=3, duration="5s", replications=50)
    expected = predicted(service, longer)["predicted_cpu_seconds"]
    actual = service.wait(service.submit(longer)["id"], 60)["actual_cpu_seconds"]
    assert actual / 1.5 < expected < actual * 1.5


def test_the_wall_clock_does_not_enter(service: Service) -> None:
    waiting = tiny_campaign("waiting", offset=4, wall=0.5, duration="7s", replications=12)
    ended = service.wait(service.submit(waiting)["id"])
    again = predicted(service, {**waiting, "replications": 24})
    assert again["predicted_cpu_seconds"] < 4 * ended["actual_cpu_seconds"] < 24 * 0.5


def test_predictions_read_an_index(service: Service) -> None:
    database = Database(service.database_url, pool_size=1)
    query = (
        "EXPLAIN SELECT simulator_digest, predicted_events, events, cpu_seconds FROM run "
        "WHERE simulator_name = 'tiny' AND state = 'succeeded' AND cpu_seconds > 0 "
        "ORDER BY ended_at DESC LIMIT 2000"
    )
    with database.transaction() as session:
        for way in ("seqscan", "bitmapscan"):  # cheaper for a few hundred runs
            session.execute(text(f"SET LOCAL enable_{way} = off"))
        plan = "\n".join(session.scalars(text(query)))
    database.close()
    assert "Index Scan Backward using ix_run_succeeded" in plan
    assert "Sort" not in plan


def test_the_time_left_shrinks_to_nothing(service: Service) -> None:
    campaign = tiny_campaign("left", offset=5, wall=1.0, replications=6)
    id_ = service.submit(campaign)["id"]
    left = service.get(f"/campaigns/{id_}")["predicted_wall_seconds_left"]
    assert left > 0
    service.wait(id_)
    assert service.get(f"/campaigns/{id_}")["predicted_wall_seconds_left"] is None
