"""A run has one verification at a time; verifications are listed and can be cancelled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.conftest import Service, tiny_campaign
from windtunnel.errors import ConflictError
from windtunnel.run import FailureReason
from windtunnel.simulator import Failed, Lost
from windtunnel.store import verifications
from windtunnel.store.database import Database
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tables import Run, Verification


def run_of(service: Service, **scenario: Any) -> str:
    """The id of a succeeded run."""
    ended = service.wait(service.submit(tiny_campaign("verified", **scenario))["id"])
    assert ended["runs"]["succeeded"] == 1
    return str(service.runs(ended["id"])[0]["id"])


def wait(service: Service, verification: dict[str, Any], *states: str) -> dict[str, Any]:
    shown: dict[str, Any] = service.until(
        lambda: service.get(f"/verifications/{verification['id']}"),
        lambda current: current["state"] in states,
    )
    return shown


def test_a_run_has_one_verification_at_a_time(service: Service) -> None:
    run = run_of(service, offset=100, wall=2)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: service.http.post(f"/runs/{run}/verify"), range(40)))
    assert sorted(answer.status_code for answer in answers) == [200] * 39 + [202]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len({answer.headers["location"] for answer in answers}) == 1
    first = answers[0].json()
    assert wait(service, first, "identical", "failed")["state"] == "identical"
    again = service.http.post(f"/runs/{run}/verify")
    assert (again.status_code, again.json()["id"] != first["id"]) == (202, True)
    listed = service.get(f"/runs/{run}/verifications")["verifications"]
    assert [entry["id"] for entry in listed] == [again.json()["id"], first["id"]]
    service.http.post(f"/verifications/{again.json()['id']}/cancel")
    wait(service, again.json(), "cancelled")


def test_verifications_are_listed_newest_first_in_pages(service: Service) -> None:
    runs = [run_of(service, offset=200 + number) for number in range(3)]
    requested = [service.http.post(f"/runs/{run}/verify").json()["id"] for run in runs]
    listed: list[str] = []
    cursor = None
    while len(listed) < len(requested):
        page = service.get("/verifications", limit=1, **({"cursor": cursor} if cursor else {}))
        listed += [entry["id"] for entry in page["verifications"]]
        cursor = page["next_cursor"]
    assert listed == requested[::-1]
    of_one = service.get(f"/runs/{runs[0]}/verifications", limit=1)
    assert [entry["run_id"] for entry in of_one["verifications"]] == [runs[0]]
    assert of_one["next_cursor"] is None
    for path in ("/verifications", f"/runs/{runs[0]}/verifications"):
        refused = service.http.get(path, params={"cursor": "W3RydWUsdHJ1ZV0"})  # [true,true]
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "query.cursor")


def test_a_running_verification_is_stopped(service: Service) -> None:
    run = run_of(service, offset=300, wall=6)
    verification = service.http.post(f"/runs/{run}/verify").json()
    wait(service, verification, "running")
    for _ in range(2):  # idempotent
        answer = service.http.post(f"/verifications/{verification['id']}/cancel")
        assert answer.status_code == 200
    ended = wait(service, verification, "cancelled", "identical")
    assert (ended["state"], ended["message"]) == ("cancelled", "cancelled")
    assert ended["ended_at"] is not None
    after = service.http.post(f"/verifications/{verification['id']}/cancel")
    assert (after.status_code, after.json()["state"]) == (200, "cancelled")
    assert service.http.post("/verifications/ffff/cancel").status_code == 404


def test_who_requested_it_is_recorded_and_only_they_or_an_admin_cancel_it(
    service: Service,
) -> None:
    run = run_of(service, offset=400, wall=6)
    alice, bob = service.client_of("alice"), service.client_of("bob")
    # The run is somebody else's: verifying is for every submitter.
    verification = alice.post(f"/runs/{run}/verify").json()
    assert verification["requested_by"] == "alice"
    assert bob.post(f"/runs/{run}/verify").json()["requested_by"] == "alice"
    path = f"/verifications/{verification['id']}/cancel"
    refused = bob.post(path)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert f"verification {verification['id']} was submitted by alice" in refused.json()["detail"]
    assert alice.post(path).status_code == 200
    wait(service, verification, "cancelled")
    of_bob = bob.post(f"/runs/{run}/verify").json()
    assert service.http.post(f"/verifications/{of_bob['id']}/cancel").status_code == 200  # an admin
    wait(service, of_bob, "cancelled")
    listed = bob.get(f"/runs/{run}/verifications").json()["verifications"]
    assert [entry["requested_by"] for entry in listed] == ["bob", "alice"]


@pytest.mark.parametrize("loss", ["lease expired", "worker stopped", "simulator lost"])
def test_a_cancelled_verification_does_not_start_again_when_its_worker_is_lost(
    service: Service, database: Database, loss: str
) -> None:
    run_id = run_of(service, offset=500)
    with database.transaction() as session:
        run = session.get_one(Run, run_id)
        id_, _ = verifications.request(session, run)
        # In the transaction that requests it: the service's own worker can't be faster.
        seconds = 0.0 if loss == "lease expired" else 60.0
        lease = verifications.claim(session, "gone/1", [run.simulator_digest], seconds, ANONYMOUS)
        assert lease is not None
        verifications.cancel(session, id_)
        with pytest.raises(ConflictError, match="is being cancelled; retry"):
            verifications.request(session, run)
    with database.transaction() as session:
        match loss:
            case "lease expired":
                verifications.reconcile(session)  # or the service, if it holds the row
            case "worker stopped":
                assert verifications.release_all(session, "gone") == 1
            case _:
                assert verifications.finish(session, lease, Lost("", 1.0, "killed"))
    wait(service, {"id": id_}, "cancelled")
    with database.transaction() as session:
        row = session.get_one(Verification, id_)
        assert (row.state, row.cancel_requested) == ("cancelled", False)
        assert not verifications.finish(
            session, lease, Failed("", 1.0, FailureReason.SIM_CRASHED, "too late")
        )
