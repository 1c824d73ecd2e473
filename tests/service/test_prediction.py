"""Predicted CPU time: learned from the runs that were measured."""

from __future__ import annotations

from functools import partial
from operator import le
from typing import Any

import pytest
from sqlalchemy import text, update

from tests.conftest import Service, tiny_campaign
from tests.workers import paused
from windtunnel.run import RunState
from windtunnel.store.campaigns import campaign_status, find_campaign
from windtunnel.store.database import Database
from windtunnel.store.prediction import queue, wall_seconds_left
from windtunnel.store.tables import Run, Worker


def predicted(service: Service, campaign: dict[str, Any]) -> dict[str, Any]:
    answer = service.http.post("/campaigns", params={"dry_run": True}, json=campaign)
    assert answer.status_code == 200, answer.text
    plan: dict[str, Any] = answer.json()
    return plan


@pytest.mark.long
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
    """Read while nothing is executed. Both readings know what finished runs took."""
    campaign = tiny_campaign("left", offset=5, wall=1.0, replications=14)
    path = f"/campaigns/{service.submit(campaign)['id']}"
    left = []
    for least in (2, 9):
        service.until(lambda: service.get(path)["runs"]["succeeded"], partial(le, least))
        with paused(service):
            left.append(service.get(path)["predicted_wall_seconds_left"])
    assert left[0] > left[1] > 0
    service.wait(path.removeprefix("/campaigns/"))
    assert service.get(path)["predicted_wall_seconds_left"] is None


def test_the_time_left_is_that_of_the_cells_with_runs_left(
    service: Service, database: Database
) -> None:
    """One cell has a hundred times the events of the other; no run of either has been measured."""
    sweep = {"duration": ["20ms", "2000ms"]}
    with paused(service):
        id_ = service.submit(tiny_campaign("unequal", sweep=sweep, offset=6, replications=2))["id"]
        with database.transaction() as session:
            campaign = find_campaign(session, id_)

            def left() -> float:
                status = campaign_status(session, campaign)
                seconds = wall_seconds_left(session, campaign, status, queue(session))
                assert seconds is not None
                return seconds

            assert left() == pytest.approx(campaign.predicted_cpu_seconds / 2)
            short = update(Run).where(Run.state == RunState.QUEUED, Run.duration_ns == 20_000_000)
            session.execute(short.values(state=RunState.FAILED))
            assert left() == pytest.approx(campaign.predicted_cpu_seconds / 2 * 100 / 101)
            long = update(Run).where(Run.state == RunState.QUEUED, Run.seed_index == 1)
            session.execute(long.values(state=RunState.RUNNING, simulated_ns=500_000_000))
            expected = campaign.predicted_cpu_seconds / 2 * 100 / 101 * (0.5 + 0.5 * 0.75)
            assert left() == pytest.approx(expected)
            session.rollback()
    service.wait(id_)


def test_a_blocked_campaign_has_no_time_left(service: Service, database: Database) -> None:
    """Live workers, none of which has its simulator, don't help."""
    with paused(service):
        path = f"/campaigns/{service.submit(tiny_campaign('blocked', offset=7))['id']}"
        assert service.get(path)["predicted_wall_seconds_left"] > 0
        with database.transaction() as session:
            session.execute(update(Worker).values(simulators=["0" * 64]))
        blocked = service.get(path)
        assert blocked["note"].startswith("waiting for simulator tiny@")
        assert blocked["predicted_wall_seconds_left"] is None
    service.wait(path.removeprefix("/campaigns/"))
