"""A newer campaign cancels older ones of the same submitter, name and labels."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.conftest import Service, tiny_campaign
from tests.service.test_growth import extend
from tests.workers import paused

FILE = tiny_campaign("pushed", sweep={"offset": [7000, 7001]}, wall=300)


@pytest.fixture(scope="module", autouse=True)
def idle(service: Service) -> Iterator[None]:
    """No worker claims anything: every run stays queued."""
    with paused(service):
        yield


def push(
    http: httpx2.Client,
    *labels: str,
    by: tuple[str, ...] = ("branch",),
    file: dict[str, Any] = FILE,
    key: str | None = None,
) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    params = {"label": labels, "supersede": by}
    return http.post("/campaigns", json=file, params=params, headers=headers)


def state_of(service: Service, campaign: dict[str, Any]) -> tuple[str, str | None]:
    current = service.get(f"/campaigns/{campaign['id']}")
    return current["state"], current["superseded_by"]


def test_a_newer_push_cancels_the_older_one_of_its_branch(service: Service) -> None:
    http = service.http
    older = push(http, "branch=a", "commit=1").json()
    other_branch = push(http, "branch=b", "commit=1").json()
    other_name = push(http, "branch=a", file={**FILE, "name": "other"}).json()
    unlabelled = service.submit(FILE)
    someone = push(service.client_of("someone"), "branch=a").json()
    newer = push(http, "branch=a", "commit=2").json()
    assert newer["superseded"] == [older["id"]]
    assert newer["superseded_by"] is None
    assert state_of(service, older) == ("cancelled", newer["id"])
    for untouched in (other_branch, other_name, unlabelled, someone):
        assert untouched["superseded"] == []
        assert state_of(service, untouched) == ("planned", None)
    entry = service.get("/audit", object=older["id"], limit=1)["entries"][0]
    assert entry["action"] == "campaign.cancel"
    assert entry["detail"] == {"name": "pushed", "superseded_by": newer["id"]}
    for campaign in (other_branch, other_name, unlabelled, someone, newer):
        http.delete(f"/campaigns/{campaign['id']}")
    assert state_of(service, older) == ("cancelled", None)  # the newer one is gone


def test_all_named_labels_must_be_the_same(service: Service) -> None:
    push(service.http, "branch=c", "os=linux")
    labels = ("branch=c", "os=bsd")
    assert push(service.http, *labels, by=("branch", "os")).json()["superseded"] == []
    assert len(push(service.http, *labels).json()["superseded"]) == 2


def test_shared_runs_go_on_and_others_are_cancelled(service: Service) -> None:
    """Runs that the newer campaign needs are not touched, not even for a moment."""
    wide = {**FILE, "sweep": {"offset": [7010, 7011, 7012]}}
    narrow = {**FILE, "sweep": {"offset": [7011]}}
    older = push(service.http, "branch=d", file=wide).json()
    newer = push(service.http, "branch=d", file=narrow).json()
    shared = service.runs(newer["id"])[0]["id"]
    states = {run["id"]: run["state"] for run in service.runs(older["id"])}
    assert states.pop(shared) == "queued"
    assert list(states.values()) == ["cancelled", "cancelled"]


def test_ended_campaigns_are_not_superseded_and_resumed_ones_forget_it(service: Service) -> None:
    older = push(service.http, "branch=e").json()
    newer = push(service.http, "branch=e").json()
    service.http.post(f"/campaigns/{newer['id']}/cancel")
    assert state_of(service, older) == ("cancelled", newer["id"])
    service.http.post(f"/campaigns/{older['id']}/resume")
    assert state_of(service, older) == ("running", None)
    newest = push(service.http, "branch=e").json()
    assert newest["superseded"] == [older["id"]]
    assert state_of(service, newer) == ("cancelled", None)  # by hand


def test_a_repeated_request_cancels_nothing_newer(service: Service) -> None:
    http = service.http
    oldest = push(http, "branch=f").json()
    first = push(http, "branch=f", key="first").json()
    assert first["superseded"] == [oldest["id"]]
    assert push(http, "branch=f", key="first").json()["superseded"] == [oldest["id"]]
    newer = push(http, "branch=f", key="second").json()
    again = push(http, "branch=f", key="first").json()
    assert (again["id"], again["state"]) == (first["id"], "cancelled")
    assert again["superseded_by"] == newer["id"]
    assert state_of(service, newer) == ("planned", None)
    other = push(http, "branch=f", "os=linux", by=("os",), key="first")
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("commit=1", "a=b"), "the campaign has no label 'branch'; it has a, commit"),
        ((), "the campaign has no label 'branch'; it has none"),
    ],
)
def test_a_label_that_the_campaign_lacks_is_an_error(
    service: Service, labels: tuple[str, ...], message: str
) -> None:
    before = service.get("/campaigns", limit=1)
    answer = push(service.http, *labels)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["path"], error["message"]) == ("query.supersede", message)
    assert service.get("/campaigns", limit=1) == before


def test_superseded_runs_free_the_quota_of_open_runs(service: Service) -> None:
    limited = service.client_of("limited", max_open_runs=2)
    older = push(limited, "branch=g").json()
    other = {**FILE, "sweep": {"offset": [7020, 7021]}}
    newer = push(limited, "branch=g", file=other)
    assert newer.status_code == 202, newer.text
    assert newer.json()["superseded"] == [older["id"]]
    wide = {**FILE, "sweep": {"offset": [7020, 7021, 7022]}}
    refused = push(limited, "branch=g", file=wide)
    assert refused.json()["code"] == "quota_exceeded"
    assert state_of(service, newer.json()) == ("planned", None)


def test_simultaneous_pushes_leave_one_campaign(service: Service) -> None:
    """Each push overlaps the others' runs; extensions and cancellations of them go on meanwhile."""
    first = {**FILE, "sweep": {"offset": [7035, 7040]}}
    started = push(service.http, "branch=h", file=first).json()

    def one(number: int) -> Any:
        file = {**FILE, "sweep": {"offset": [*range(7030 + number, 7050 + number)]}}
        if number % 4 == 3:
            service.http.post(f"/campaigns/{started['id']}/cancel")
            extend(service, started, number)
        return push(service.http, "branch=h", file=file)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(24)))
    assert {answer.status_code for answer in answers} == {202}
    listed = service.get("/campaigns", label="branch=h", limit=100)["campaigns"]
    assert [campaign["state"] for campaign in listed].count("planned") == 1
    last = next(campaign for campaign in listed if campaign["state"] == "planned")
    open_ = {run["id"] for run in service.runs(last["id"])}
    for campaign in listed:
        for run in service.runs(campaign["id"]):
            assert (run["state"] == "queued") == (run["id"] in open_)
