"""A campaign end to end: submitted, executed by ns-3, stored, compared, verified."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from tests.conftest import Service, tiny_campaign
from windtunnel.store.database import Database
from windtunnel.store.tables import Simulator


@pytest.fixture(scope="module")
def campaign() -> dict[str, Any]:
    from tests.conftest import FAT_TREE

    return {
        "name": "end-to-end",
        "scenario": FAT_TREE,
        "sweep": {"algorithm": ["newreno", {"kind": "vegas", "Alpha": 1, "Beta": 3}]},
        "replications": 3,
        "baseline": {"algorithm": "newreno"},
        "series": [{"probe": "queue_length", "at": "core"}],
    }


@pytest.fixture(scope="module")
def ended(service: Service, campaign: dict[str, Any]) -> dict[str, Any]:
    return service.wait(service.submit(campaign)["id"])


def test_every_run_succeeds_and_costs_are_known(ended: dict[str, Any]) -> None:
    assert ended["runs"] == {
        "queued": 0, "running": 0, "succeeded": 6, "failed": 0, "cancelled": 0,
    }  # fmt: skip
    assert ended["simulated_ns"] == ended["planned_ns"] == 6 * 400_000_000
    assert 0.5 < ended["predicted_events"] / ended["actual_events"] < 2
    assert ended["actual_cpu_seconds"] > 0


def test_the_comparison_is_made_of_the_runs_metrics(
    service: Service, ended: dict[str, Any]
) -> None:
    comparison = service.get(f"/campaigns/{ended['id']}/comparison")
    newreno, vegas = comparison["cells"]
    assert newreno["coordinates"] == {"algorithm": "newreno"}
    assert vegas["coordinates"] == {"algorithm": "vegas Alpha=1 Beta=3"}
    assert newreno["is_baseline"]
    assert comparison["family"] == {
        "comparisons": 1, "metrics": comparison["default_metrics"], "size": 4,
    }  # fmt: skip
    assert comparison["default_metrics"] == [
        "ideal_throughput_pct", "packet_delay_ms_mean", "packet_delay_ms_p99", "drops_total",
    ]  # fmt: skip
    shown = service.get(f"/campaigns/{ended['id']}")
    assert shown["default_metrics"] == comparison["default_metrics"]
    for cell in comparison["cells"]:
        assert (cell["planned"], cell["finished"], cell["missing"]) == (3, 3, [])
        for seed, run_id in cell["runs"].items():
            run = service.get(f"/runs/{run_id}")
            stored = {metric["name"]: metric["value"] for metric in run["metrics"]}
            listed = {name: metric["values"][seed] for name, metric in cell["metrics"].items()}
            assert stored == listed
    name = "packet_delay_ms_mean"
    pairs = [
        vegas["metrics"][name]["values"][seed] - newreno["metrics"][name]["values"][seed]
        for seed in ("1", "2", "3")
    ]
    against = vegas["metrics"][name]["against_baseline"]
    assert vegas["paired"]
    assert against["paired"]
    assert against["mean"] == pytest.approx(sum(pairs) / 3)
    assert against["mean"] < 0  # Vegas keeps queues short


def test_the_comparison_can_be_limited_to_one_metric(
    service: Service, ended: dict[str, Any]
) -> None:
    path = f"/campaigns/{ended['id']}/comparison"
    only = service.get(path, metric="drops_total")
    assert [metric["name"] for metric in only["metrics"]] == ["drops_total"]
    assert set(only["cells"][0]["metrics"]) == {"drops_total"}
    refused = service.http.get(path, params={"metric": "delay"})
    assert refused.status_code == 422
    assert "packet_delay_ms_mean" in refused.json()["detail"]


def test_a_run_can_be_repeated_from_its_stored_spec(
    service: Service, ended: dict[str, Any]
) -> None:
    run = service.get(f"/runs/{service.runs(ended['id'])[1]['id'][:12]}")
    assert run["spec"]["scenario"]["algorithm"]["Alpha"] == 1
    assert run["configuration"]["transport"][0]["socket"]["SegmentSize"] == "1448"
    assert run["metadata"]["peak_memory_bytes"] > 0
    assert all(check["held"] for check in run["checks"])
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["succeeded"]
    flows = service.get(f"/runs/{run['id']}/flows")["flows"]
    assert [flow["flow"] for flow in flows] == list(range(8))
    ports = service.get(f"/runs/{run['id']}/ports")["ports"]
    assert {"host", "edge", "aggregation", "core"} == {port["tier"] for port in ports}


def test_a_series_is_available_in_full_and_as_preview(
    service: Service, ended: dict[str, Any]
) -> None:
    run = service.get(f"/runs/{service.runs(ended['id'])[0]['id']}")
    names = [series["name"] for series in run["series"]]
    assert len([name for name in names if name.startswith("queue_length core")]) == 16
    series = service.get(f"/runs/{run['id']}/series/{names[0]}", full=True)
    preview = service.get(f"/runs/{run['id']}/series/{names[0]}")
    assert series["values"] == preview["values"]  # 40 samples need no preview
    assert not preview["preview"]
    assert series["times_ns"][1] - series["times_ns"][0] == series["step_ns"]
    missing = service.http.get(f"/runs/{run['id']}/series/queue_length core9.port9")
    assert missing.status_code == 404
    assert names[0] in missing.json()["detail"]


def test_a_finished_run_has_an_etag(service: Service, ended: dict[str, Any]) -> None:
    path = f"/runs/{service.runs(ended['id'])[0]['id']}"
    etag = service.http.get(path).headers["etag"]
    assert service.http.get(path, headers={"If-None-Match": etag}).status_code == 304


def test_the_same_campaign_again_reuses_every_run(
    service: Service, campaign: dict[str, Any], ended: dict[str, Any]
) -> None:
    again = service.submit({**campaign, "name": "again"})
    assert again["ended"]
    assert again["reused_runs"] == again["total_runs"] == 6
    ids = {run["id"] for run in service.runs(ended["id"])}
    assert {run["id"] for run in service.runs(again["id"])} == ids


def test_a_run_without_the_series_is_not_reused_for_it(
    service: Service, campaign: dict[str, Any], ended: dict[str, Any]
) -> None:
    plain = {key: value for key, value in campaign.items() if key != "series"}
    answer = service.http.post("/campaigns", params={"dry_run": True}, json=plain)
    assert answer.status_code == 200
    assert (answer.json()["total_runs"], answer.json()["reused_runs"]) == (6, 0)


def test_verification_executes_again_and_finds_the_same_bytes(
    service: Service, ended: dict[str, Any]
) -> None:
    run = service.runs(ended["id"])[0]
    accepted = service.http.post(f"/runs/{run['id']}/verify")
    assert accepted.status_code == 202
    location = accepted.headers["location"].removeprefix("/api/v1")
    done = service.until(
        lambda: service.get(location),
        lambda verification: verification["state"] not in ("queued", "running"),
    )
    assert done["state"] == "identical"
    assert done["digest"] == service.get(f"/runs/{run['id']}")["digest"]


def test_verification_names_the_first_record_that_differs(service: Service) -> None:
    campaign = service.wait(service.submit(tiny_campaign(misbehave="random"))["id"])
    run = service.runs(campaign["id"])[0]
    location = service.http.post(f"/runs/{run['id']}/verify").headers["location"]
    done = service.until(
        lambda: service.get(location.removeprefix("/api/v1")),
        lambda verification: verification["state"] not in ("queued", "running"),
    )
    assert done["state"] == "different"
    assert done["message"] == "first difference: record 2: metric value"


def test_deterministic_seeds_are_shown_as_one_observation(service: Service) -> None:
    campaign = tiny_campaign(name="same", sweep={"modulus": [1, 1000]}, replications=3)
    ended = service.wait(service.submit(campaign)["id"])
    same, varied = service.get(f"/campaigns/{ended['id']}/comparison")["cells"]
    assert same["deterministic"]
    assert same["metrics"]["value"]["estimate"] == {
        "n": 1, "mean": 0, "sd": None, "half_width": None, "ci95": None,
    }  # fmt: skip
    assert len(same["runs"]) == 3
    assert not varied["deterministic"]
    assert varied["metrics"]["value"]["estimate"]["n"] == 3


def test_an_idempotency_key_submits_once(service: Service) -> None:
    first = service.submit(tiny_campaign(offset=7), **{"Idempotency-Key": "k1"})
    second = service.submit(tiny_campaign(offset=7), **{"Idempotency-Key": "k1"})
    assert first["id"] == second["id"]
    other = service.http.post(
        "/campaigns", json=tiny_campaign(offset=8), headers={"Idempotency-Key": "k1"}
    )
    assert other.status_code == 409
    assert other.json()["code"] == "conflict"


def test_campaigns_and_runs_are_listed_in_pages(service: Service) -> None:
    ids = [service.submit(tiny_campaign(offset=n))["id"] for n in (20, 21, 22)]
    first = service.get("/campaigns", limit=2)
    second = service.get("/campaigns", limit=2, cursor=first["next_cursor"])
    listed = [campaign["id"] for campaign in first["campaigns"] + second["campaigns"]]
    assert listed[:3] == ids[::-1]
    assert len(set(listed)) == 4
    wide = service.submit(tiny_campaign(sweep={"offset": [30, 31, 32]}, replications=2))
    seen, cursor = [], None
    while True:
        page = service.get(
            f"/campaigns/{wide['id']}/runs", limit=4, **({"cursor": cursor} if cursor else {})
        )
        seen += [(run["seed_index"], run["coordinates"]["offset"]) for run in page["runs"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [(1, "30"), (1, "31"), (1, "32"), (2, "30"), (2, "31"), (2, "32")]


def test_events_report_progress_until_the_end(service: Service) -> None:
    import json

    campaign = service.submit(tiny_campaign(offset=40, wall=3))
    states = []
    with service.http.stream("GET", f"/campaigns/{campaign['id']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("data: "):
                states.append(json.loads(line.removeprefix("data: ")))
    assert states[-1]["ended"]
    assert states[-1]["runs"]["succeeded"] == 1
    assert any(0 < state["simulated_ns"] < state["planned_ns"] for state in states)


def test_an_unavailable_pinned_simulator_is_rejected(service: Service) -> None:
    campaign = {**tiny_campaign(), "simulator": "tiny@0123456789"}
    refused = service.http.post("/campaigns", json=campaign)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "simulator"


def test_deleting_a_campaign_deletes_unshared_runs(service: Service) -> None:
    """Its runs, results and scenarios are deleted unless another campaign shares them."""
    alone = {"sweep": {"offset": [9001, 9002]}, "replications": 2}
    first = service.wait(service.submit(tiny_campaign("first", **alone))["id"])
    second = service.wait(service.submit(tiny_campaign("second", offset=9002))["id"])
    first_runs, second_runs = (
        {run["id"] for run in service.runs(campaign["id"])} for campaign in (first, second)
    )
    assert len(first_runs & second_runs) == 1
    database = Database(service.database_url)
    before = rows_of(database)
    assert service.http.delete(f"/campaigns/{first['id']}").status_code == 204
    assert service.http.get(f"/campaigns/{first['id']}").status_code == 404
    for run in first_runs:
        expected = 200 if run in second_runs else 404
        assert service.http.get(f"/runs/{run}").status_code == expected
    after = rows_of(database)
    database.close()
    gone = {name: before[name] - after[name] for name in before}
    # Three runs with one metric, series, flow (of two fields), check and attempt each; of two
    # scenarios, one.
    assert gone == {
        "campaign": 1, "cell": 2, "campaign_run": 4, "run": 3, "scenario": 1, "attempt": 3,
        "metric": 3, "series": 3, "record_column": 6, "run_check": 3,
    }  # fmt: skip
    again = service.wait(service.submit(tiny_campaign("again", **alone))["id"])
    assert (again["reused_runs"], again["runs"]["succeeded"]) == (1, 4)


def test_deleting_the_last_active_campaign_of_a_run_cancels_it(service: Service) -> None:
    """A cancelled campaign that shares the run keeps it, but it is not executed."""
    shared = tiny_campaign("shared", offset=9100, wall=30)
    cancelled, active = service.submit(shared), service.submit({**shared, "name": "active"})
    service.http.post(f"/campaigns/{cancelled['id']}/cancel")
    run_id = service.runs(active["id"])[0]["id"]
    assert service.get(f"/runs/{run_id}")["state"] in ("queued", "running")
    service.http.delete(f"/campaigns/{active['id']}")
    ended = service.wait(cancelled["id"], 20)
    assert ended["runs"]["cancelled"] == 1


def rows_of(database: Database) -> dict[str, int]:
    names = ["campaign", "cell", "campaign_run", "run", "scenario", "attempt"]
    names += ["metric", "series", "record_column", "run_check"]
    with database.transaction() as session:
        return {
            name: session.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
            for name in names
        }


def test_a_run_without_a_suitable_worker_has_a_note(service: Service) -> None:
    """Its simulator was available once, on a worker that is gone."""
    database = Database(service.database_url)
    known = service.get("/catalogue")["simulators"]
    description = next(simulator for simulator in known if simulator["name"] == "tiny")
    with database.transaction() as session:
        stored = session.get_one(Simulator, description["digest"])
        gone = {**stored.description, "name": "ghost", "digest": "9" * 64}
        session.add(
            Simulator(
                digest="9" * 64, name="ghost", description=gone, installed_at=stored.installed_at
            )
        )
    database.close()
    campaign = service.submit({**tiny_campaign("stranded"), "simulator": "ghost"})
    note = "waiting for simulator ghost@999999999999: no worker offers it"
    assert service.get(f"/campaigns/{campaign['id']}")["note"] == note
    run = service.get(f"/runs/{service.runs(campaign['id'])[0]['id']}")
    assert (run["state"], run["note"]) == ("queued", note)
    service.http.delete(f"/campaigns/{campaign['id']}")


def test_metrics_that_only_some_seeds_report_are_available(service: Service) -> None:
    """Seeds 1 to 3 report one labelled metric each, the fourth none."""
    campaign = tiny_campaign("labelled", offset=8801, labels=3, replications=4)
    id_ = service.wait(service.submit(campaign)["id"])["id"]
    document = service.get(f"/campaigns/{id_}/comparison", metric=["value:seed2"])
    available = [metric["name"] for metric in document["available"]]
    assert available == ["value", "value:seed1", "value:seed2", "value:seed3"]
    assert document["cells"][0]["metrics"]["value:seed2"]["values"] == {"2": 2}
