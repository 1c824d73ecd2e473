"""Campaigns that get seeds until an interval is as narrow as asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.conftest import Service, tiny_campaign
from windtunnel.quotas import UNLIMITED
from windtunnel.store import stopping
from windtunnel.store.database import Database


def campaign(name: str, offsets: list[int], **fields: Any) -> dict[str, Any]:
    """Values are offset + seed % 7: the smaller the offset, the wider the relative interval."""
    until = {"metric": "value", "relative_ci": 0.06, "of": fields.pop("of", "mean")}
    replications = {"min": fields.pop("least", 3), "max": fields.pop("most", 40), "until": until}
    scenario = {"modulus": 7, **fields.pop("scenario", {})}
    frame = tiny_campaign(name, sweep={"offset": offsets}, **scenario)
    return {**frame, "replications": replications, **fields}


def cells_of(service: Service, campaign_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.get(f"/campaigns/{campaign_id}/comparison")["cells"]
    return found


def width(cell: dict[str, Any]) -> float:
    estimate = cell["metrics"]["value"]["estimate"]
    return float(estimate["half_width"] / estimate["mean"])


def test_cells_get_seeds_until_their_intervals_are_narrow(service: Service) -> None:
    ended = service.wait(service.submit(campaign("until", [20_020, 20]))["id"])
    by_label = {cell["coordinates"]["offset"]: cell for cell in cells_of(service, ended["id"])}
    wide, narrow = by_label["20"], by_label["20020"]
    assert narrow["planned"] == 3
    assert 3 < wide["planned"] < 40
    assert width(wide) <= 0.06
    assert ended["total_runs"] == wide["planned"] + 3
    assert ended["state"] == "ended"

    fixed = tiny_campaign("fixed", sweep={"offset": [20]}, modulus=7)
    same = service.wait(service.submit({**fixed, "replications": wide["planned"]})["id"])
    assert same["reused_runs"] == wide["planned"]
    (cell,) = cells_of(service, same["id"])
    assert cell["metrics"]["value"]["estimate"] == wide["metrics"]["value"]["estimate"]


def test_the_baseline_gets_the_same_seeds(service: Service) -> None:
    submitted = campaign("baseline", [30_030, 21], baseline={"offset": 30_030})
    ended = service.wait(service.submit(submitted)["id"])
    base, other = cells_of(service, ended["id"])
    assert base["planned"] == other["planned"] > 3
    assert other["metrics"]["value"]["against_baseline"]["n"] == other["planned"]


def test_no_cell_gets_more_than_the_maximum(service: Service) -> None:
    ended = service.wait(service.submit(campaign("most", [2], most=5))["id"])
    (cell,) = cells_of(service, ended["id"])
    assert (cell["planned"], width(cell) > 0.06) == (5, True)


def test_a_failed_run_ends_the_growth(service: Service) -> None:
    broken = campaign("broken", [3], scenario={"misbehave": "crash"})
    ended = service.wait(service.submit(broken)["id"])
    assert (ended["runs"]["failed"], ended["total_runs"]) == (3, 3)


def test_a_cancelled_campaign_gets_no_seeds_until_it_is_resumed(
    service: Service, database: Database
) -> None:
    slow = campaign("cancelled", [22], scenario={"wall": 0.5})
    submitted = service.submit(slow)["id"]
    assert service.http.post(f"/campaigns/{submitted}/cancel").status_code == 200
    service.wait(submitted)
    with database.transaction() as session:
        assert submitted not in stopping.waiting(session)
    assert service.http.post(f"/campaigns/{submitted}/resume").status_code == 200
    ended = service.wait(submitted)
    (cell,) = cells_of(service, submitted)
    assert ended["state"] == "ended"
    assert width(cell) <= 0.06


@pytest.fixture
def without_workers(service: Service) -> Any:
    """Reconcilers leave the campaign to the test."""
    parts = [part for part in service.running._parts if part.name == "worker"]
    for part in parts:
        part.child.terminate()
        part.child.wait()
    yield
    service.running.restart_dead()


def test_two_at_once_add_each_seed_once(
    service: Service, database: Database, without_workers: None
) -> None:
    earlier = service.http.get("/campaigns", params={"limit": 200}).json()["campaigns"]
    known = next(item for item in earlier if item["name"] == "fixed")
    assert known["runs"]["succeeded"] >= 4
    submitted = service.submit(campaign("twice", [20]))["id"]  # its runs have been computed

    def advance(_: int) -> int:
        with database.transaction() as session:
            return stopping.advance(session, submitted, 1000, UNLIMITED)

    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(advance, range(4)))
    runs = service.runs(submitted)
    assert len(runs) == len({run["seed_index"] for run in runs}) == 3 + sum(added)
    with database.transaction() as session:
        assert stopping.advance(session, submitted, 3, UNLIMITED) == 0
