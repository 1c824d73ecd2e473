"""A run's series in detail, its siblings, and what its metrics mean."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from tests.conftest import Service, tiny_campaign
from windtunnel.store.database import Database
from windtunnel.store.series_codec import compress, pack_preview
from windtunnel.store.tables import CampaignRun, Run, SeriesRow

SAMPLES = 1_000_000
STEP = 1000


@pytest.fixture(scope="module")
def ended(service: Service) -> dict[str, Any]:
    """Two cells with two seeds and a baseline."""
    document = tiny_campaign(
        "views", sweep={"offset": [5, 6]}, replications=2, baseline={"offset": 5}
    )
    return service.wait(service.submit(document)["id"])


@pytest.fixture(scope="module")
def values(service: Service, database: Database, ended: dict[str, Any]) -> Any:
    """A million samples, as the series `long` of the first run."""
    values = np.random.default_rng(1).random(SAMPLES).astype(np.float32)
    values[500_000] = 7
    values[500_001] = -7
    run_id = service.runs(ended["id"])[0]["id"]
    with database.transaction() as session:
        session.add(
            SeriesRow(
                run_id=run_id,
                name="long",
                unit="things",
                first_ns=100,
                step_ns=STEP,
                length=SAMPLES,
                maximum=7.0,
                mean=0.5,
                data=compress(values),
                preview=pack_preview(values),
            )
        )
    return values


def long(service: Service, ended: dict[str, Any], **parameters: Any) -> Any:
    run_id = service.runs(ended["id"])[0]["id"]
    return service.get(f"/runs/{run_id}/series/long", **parameters)


def test_a_range_shows_more_detail(service: Service, ended: dict[str, Any], values: Any) -> None:
    whole = long(service, ended)
    assert (len(whole["values"]), whole["preview"]) == (2000, True)
    zoom = long(service, ended, from_ns=100 + 499_000 * STEP, to_ns=100 + 501_999 * STEP)
    assert (len(zoom["values"]), zoom["preview"]) == (2000, True)
    assert zoom["times_ns"] == sorted(set(zoom["times_ns"]))
    assert (max(zoom["values"]), min(zoom["values"])) == (7, -7)
    assert zoom["times_ns"][zoom["values"].index(7)] == 100 + 500_000 * STEP
    # Each bucket has its extremes.
    bucket = values[499_000:499_003]
    assert zoom["values"][:2] == [
        float(bucket[index]) for index in sorted([bucket.argmin(), bucket.argmax()])
    ]


def test_the_range_is_inclusive(service: Service, ended: dict[str, Any], values: Any) -> None:
    exact = long(service, ended, from_ns=100 + 3 * STEP, to_ns=100 + 5 * STEP)
    assert exact["times_ns"] == [3100, 4100, 5100]
    assert exact["values"] == values[3:6].tolist()
    assert not exact["preview"]
    between = long(service, ended, from_ns=100 + 3 * STEP - 1, to_ns=100 + 6 * STEP - 1)
    assert between["times_ns"] == exact["times_ns"]
    before = long(service, ended, to_ns=99)
    assert (before["times_ns"], before["preview"]) == ([], False)
    after = long(service, ended, from_ns=2 * SAMPLES * STEP)
    assert after["times_ns"] == []
    end = long(service, ended, from_ns=100 + (SAMPLES - 2) * STEP)
    assert end["values"] == values[-2:].tolist()
    few = long(service, ended, points=10)
    assert len(few["values"]) == 10
    assert max(few["values"]) == 7


def test_a_million_samples_are_quick(service: Service, ended: dict[str, Any], values: Any) -> None:
    begun = time.perf_counter()
    detail = long(service, ended, from_ns=0, to_ns=900_000 * STEP, points=20_000)
    seconds = time.perf_counter() - begun
    assert len(detail["values"]) == 20_000
    assert seconds < 2


def test_a_wrong_range_is_refused(service: Service, ended: dict[str, Any], values: Any) -> None:
    run_id = service.runs(ended["id"])[0]["id"]
    for parameters, path in (
        ({"from_ns": 5, "to_ns": 4}, "query.from_ns"),
        ({"points": 20_001}, "query.points"),
        ({"to_ns": -1}, "query.to_ns"),
    ):
        refused = service.http.get(f"/runs/{run_id}/series/long", params=parameters)
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, path)


def test_siblings_have_the_same_seed(service: Service, ended: dict[str, Any]) -> None:
    runs = {(run["cell_index"], run["seed_index"]): run["id"] for run in service.runs(ended["id"])}
    shown = service.get(f"/runs/{runs[1, 2]}/siblings")
    assert shown == {
        "campaign": ended["id"],
        "campaign_name": "views",
        "axes": ["offset"],
        "cell_index": 1,
        "coordinates": {"offset": "6"},
        "seed_index": 2,
        "baseline_run": runs[0, 2],
        "is_baseline": False,
        "runs": [
            {
                "id": runs[cell, 2],
                "cell_index": cell,
                "coordinates": {"offset": label},
                "state": "succeeded",
            }
            for cell, label in enumerate("56")
        ],
    }
    assert service.get(f"/runs/{runs[0, 1]}/siblings")["is_baseline"]


def test_siblings_are_those_of_the_newest_or_the_named_campaign(
    service: Service, database: Database, ended: dict[str, Any]
) -> None:
    newer = service.wait(service.submit(tiny_campaign("newer", offset=5))["id"])
    (run,) = service.runs(newer["id"])
    path = f"/runs/{run['id']}/siblings"
    shown = service.get(path)
    assert (shown["campaign"], shown["baseline_run"]) == (newer["id"], None)
    assert service.get(path, campaign=ended["id"][:8])["campaign"] == ended["id"]
    other = service.wait(service.submit(tiny_campaign("other", offset=55))["id"])
    refused = service.http.get(path, params={"campaign": other["id"]})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    (orphan,) = service.runs(other["id"])
    with database.transaction() as session:
        assert session.get_one(Run, orphan["id"])
        session.query(CampaignRun).filter_by(run_id=orphan["id"]).delete()
    assert service.http.get(f"/runs/{orphan['id']}/siblings").status_code == 404


def test_metrics_of_a_run_say_what_they_mean(service: Service, ended: dict[str, Any]) -> None:
    run = service.get(f"/runs/{service.runs(ended['id'])[0]['id']}")
    (value,) = [metric for metric in run["metrics"] if metric["name"] == "value"]
    assert (value["direction"], value["definition"]) == ("higher", "The value.")
