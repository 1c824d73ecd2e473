"""Extended campaigns have the same runs and figures as if submitted at their final size."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.conftest import FAT_TREE, Service, tiny_campaign

BASE: dict[str, Any] = {
    "name": "grows",
    "scenario": {**FAT_TREE, "duration": "150ms"},
    "sweep": {"algorithm": ["newreno", "vegas"]},
    "baseline": {"algorithm": "newreno"},
}


def extend(service: Service, campaign: dict[str, Any], replications: Any) -> Any:
    path = f"/campaigns/{campaign['id']}/replications"
    return service.http.post(path, json={"replications": replications})


def comparison(service: Service, campaign: dict[str, Any]) -> dict[str, Any]:
    """The comparison without the campaign, whose id differs."""
    document: dict[str, Any] = service.get(f"/campaigns/{campaign['id']}/comparison")
    del document["campaign"]
    return document


def digests_of(service: Service, campaign: dict[str, Any]) -> dict[str, str]:
    """Record digests of all runs."""
    return {run["id"]: service.get(f"/runs/{run['id']}")["digest"] for run in
            service.runs(campaign["id"])}  # fmt: skip


def attempts(service: Service, campaign: dict[str, Any]) -> dict[tuple[int, int], int]:
    return {
        (run["seed_index"], run["cell_index"]): run["attempt"]
        for run in service.runs(campaign["id"])
    }


def test_extending_three_seeds_by_three_equals_six(service: Service) -> None:
    """Figures are equal and nothing is computed twice, even if worker and API are killed."""
    grown = service.wait(service.submit({**BASE, "replications": 3})["id"])
    first = {run["id"]: run for run in service.runs(grown["id"])}
    answer = extend(service, grown, 6)
    assert answer.status_code == 202
    state = answer.json()
    assert (state["state"], state["ended"], state["total_runs"]) == ("running", False, 12)
    assert (state["replications"], state["reused_runs"]) == (6, 0)
    for name in ("worker", "API"):
        part = next(part for part in service.running._parts if part.name == name)
        os.kill(part.child.pid, signal.SIGKILL)
        part.child.wait()
        service.running.restart_dead()
    ended = service.until(
        lambda: service.http.get(f"/campaigns/{grown['id']}").json(),
        lambda campaign_state: campaign_state.get("ended"),
        60,
    )
    assert (ended["state"], ended["runs"]["succeeded"]) == ("ended", 12)
    runs = {run["id"]: run for run in service.runs(grown["id"])}
    assert {id_: runs[id_] for id_ in first} == first
    fresh = service.wait(service.submit({**BASE, "name": "fresh", "replications": 6})["id"])
    assert fresh["reused_runs"] == 12
    assert comparison(service, grown) == comparison(service, fresh)
    digests = digests_of(service, grown)
    assert len(set(digests.values())) == 12

    # And a service that knows nothing computes the same.
    service.http.delete(f"/campaigns/{grown['id']}")
    service.http.delete(f"/campaigns/{fresh['id']}")
    anew = service.submit({**BASE, "replications": 6})
    assert anew["reused_runs"] == 0
    service.wait(anew["id"])
    assert digests_of(service, anew) == digests


def test_growing_is_idempotent_and_only_grows(service: Service) -> None:
    campaign = service.wait(service.submit(tiny_campaign("grow", offset=3100))["id"])
    assert extend(service, campaign, 3).json()["total_runs"] == 3
    service.wait(campaign["id"])
    again = extend(service, campaign, 3)
    assert (again.status_code, again.json()["ended"]) == (202, True)
    assert set(attempts(service, campaign).values()) == {1}
    for seeds, expected in ((2, "less than the campaign's current 3"), (10_001, "at most 10000")):
        refused = extend(service, campaign, seeds)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["path"] == "replications"
        assert expected in refused.json()["detail"]
    for wrong in (0, "four", "4", True, None, 2.5, 2**70):
        assert extend(service, campaign, wrong).status_code == 422
    assert service.http.post("/campaigns/ffffffffff/replications", json={"replications": 2}
                             ).status_code == 404  # fmt: skip


def test_concurrent_extensions_add_each_run_once(service: Service) -> None:
    sweep = {"offset": list(range(3200, 3210))}
    campaign = service.wait(service.submit(tiny_campaign("race", sweep=sweep))["id"])
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: extend(service, campaign, n), (2, 3, 3, 2)))
    assert all(answer.status_code in (202, 422) for answer in answers)
    ended = service.wait(campaign["id"])
    assert (ended["replications"], ended["runs"]["succeeded"]) == (3, 30)
    assert set(attempts(service, campaign).values()) == {1}


def test_a_running_campaign_can_be_extended_and_does_not_end_in_between(service: Service) -> None:
    campaign = service.submit(tiny_campaign("running", offset=3300, wall=1))
    assert extend(service, campaign, 4).json()["total_runs"] == 4
    states = []
    with service.http.stream("GET", f"/campaigns/{campaign['id']}/events") as stream:
        import json

        for line in stream.iter_lines():
            if line.startswith("data: "):
                states.append(json.loads(line.removeprefix("data: ")))
    assert [state["ended"] for state in states[:-1]] == [False] * (len(states) - 1)
    assert states[-1]["runs"]["succeeded"] == 4


def test_campaign_states_follow_events(service: Service) -> None:
    slow = tiny_campaign("states", sweep={"offset": [3400, 3401, 3402]}, wall=5)
    campaign = service.submit(slow)
    path = f"/campaigns/{campaign['id']}"
    assert campaign["state"] in ("planned", "running")
    service.until(lambda: service.get(path)["state"], lambda state: state == "running")
    cancelled = service.http.post(f"{path}/cancel").json()
    assert cancelled["state"] == "cancelled"
    refused = extend(service, campaign, 2)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "resume it first" in refused.json()["detail"]
    service.wait(campaign["id"])
    resumed = service.http.post(f"{path}/resume").json()
    assert (resumed["state"], resumed["ended"]) == ("running", False)
    ended = service.wait(campaign["id"])
    assert (ended["state"], ended["runs"]["succeeded"]) == ("ended", 3)
    assert service.http.post(f"{path}/cancel").json()["state"] == "ended"


def test_requeueing_a_shared_run_reopens_its_campaigns(service: Service) -> None:
    failing = tiny_campaign("first", misbehave="crash", offset=3500)
    first = service.wait(service.submit(failing)["id"])
    assert (first["state"], first["runs"]["failed"]) == ("ended", 1)
    pool = [part for part in service.running._parts if part.name == "worker"]
    os.kill(pool[0].child.pid, signal.SIGSTOP)
    try:
        service.submit({**failing, "name": "second"})
        reopened = service.get(f"/campaigns/{first['id']}")
    finally:
        os.kill(pool[0].child.pid, signal.SIGCONT)
    assert (reopened["state"], reopened["ended"]) == ("running", False)
    assert service.wait(first["id"])["state"] == "ended"


def test_a_campaign_of_reused_runs_ends_at_once(service: Service) -> None:
    campaign = tiny_campaign("reused", offset=3600)
    service.wait(service.submit(campaign)["id"])
    again = service.submit({**campaign, "name": "again"})
    assert (again["state"], again["ended"]) == ("ended", True)


def test_concurrent_cancel_and_extend_leave_no_unstarted_runs(service: Service) -> None:
    """In either order, a cancelled campaign has no run that would never start."""
    for round_ in range(6):
        offset = 3700 + 10 * round_
        slow = tiny_campaign("both", sweep={"offset": [offset, offset + 1]}, wall=3)
        campaign = service.submit(slow)
        path = f"/campaigns/{campaign['id']}"
        with ThreadPoolExecutor(2) as pool:
            extended = pool.submit(extend, service, campaign, 30)
            cancelled = pool.submit(service.http.post, f"{path}/cancel")
        assert cancelled.result().status_code == 200
        assert extended.result().status_code in (202, 409)
        ended = service.wait(campaign["id"], 20)
        assert ended["state"] == "cancelled"
        assert ended["runs"]["queued"] == ended["runs"]["running"] == 0


def test_stored_totals_follow_a_campaign_that_ends_again(service: Service) -> None:
    """Its list entry, sums included, is that of a campaign that never ended in between."""
    sums = ("cells", "total_runs", "runs", "events", "actual_events", "simulated_ns", "planned_ns")

    def listed(campaign: dict[str, Any]) -> dict[str, Any]:
        entries = service.get("/campaigns", limit=500)["campaigns"]
        entry = next(entry for entry in entries if entry["id"] == campaign["id"])
        shown = service.get(f"/campaigns/{campaign['id']}")
        assert {name: shown[name] for name in sums} == {name: entry[name] for name in sums}
        return {name: entry[name] for name in sums}

    sweep = {"offset": [3900, 3901]}
    grown = service.wait(service.submit(tiny_campaign("ends", sweep=sweep))["id"])
    first = listed(grown)
    assert (first["total_runs"], first["events"]) == (2, 20)
    extend(service, grown, 3)
    service.wait(grown["id"])
    fresh = service.submit(tiny_campaign("fresh", sweep=sweep, replications=3))
    assert listed(grown) == listed(fresh)
    assert listed(grown)["runs"]["succeeded"] == 6
    extend(service, fresh, 4)
    service.wait(fresh["id"])
    extend(service, grown, 4)  # every run exists already
    assert listed(grown) == listed(fresh)
    assert listed(grown)["events"] == 80

    failing = tiny_campaign("fails", misbehave="crash", offset=3910)
    failed = service.wait(service.submit(failing)["id"])
    assert listed(failed)["runs"]["failed"] == 1
    service.http.post(f"/campaigns/{failed['id']}/resume")
    service.wait(failed["id"])
    assert listed(failed)["runs"]["failed"] == 1
