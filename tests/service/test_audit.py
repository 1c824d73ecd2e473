"""The audit log: every change that a client makes is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest

from tests.conftest import Service, start_service, tiny_campaign
from windtunnel_api.openapi import document


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service()


def actions(service: Service, **filters: str) -> list[tuple[str, str, str]]:
    return [
        (entry["actor"], entry["action"], entry["object"])
        for entry in service.get("/audit", limit=500, **filters)["entries"]
    ]


def test_who_did_what_to_what(service: Service) -> None:
    created = service.http.post("/tokens", json={"name": "alice", "scope": "submit"}).json()
    alice = {"Authorization": f"Bearer {created['token']}"}
    campaign = service.submit(tiny_campaign(offset=1), **alice)
    id_ = campaign["id"]
    service.wait(id_)
    run = service.runs(id_)[0]["id"]
    url = f"{service.url}/api/v1"
    verification = httpx2.post(f"{url}/runs/{run}/verify", headers=alice).json()["id"]
    httpx2.post(f"{url}/verifications/{verification}/cancel", headers=alice)
    httpx2.post(f"{url}/campaigns/{id_}/replications", headers=alice, json={"replications": 2})
    httpx2.patch(f"{url}/campaigns/{id_}", headers=alice, json={"keep": True})
    httpx2.post(f"{url}/campaigns/{id_}/cancel", headers=alice)
    httpx2.post(f"{url}/campaigns/{id_}/resume", headers=alice)
    httpx2.delete(f"{url}/campaigns/{id_}", headers=alice)
    rotated = httpx2.post(f"{url}/tokens/{created['id']}/rotate", headers=alice).json()
    service.http.delete(f"/tokens/{rotated['id']}")
    assert list(reversed(actions(service))) == [
        ("owner", "token.create", created["id"]),
        ("alice", "campaign.submit", id_),
        ("alice", "run.verify", run),
        ("alice", "verification.cancel", verification),
        ("alice", "campaign.extend", id_),
        ("alice", "campaign.keep", id_),
        ("alice", "campaign.cancel", id_),
        ("alice", "campaign.resume", id_),
        ("alice", "campaign.delete", id_),
        ("alice", "token.rotate", created["id"]),
        ("owner", "token.revoke", rotated["id"]),
    ]
    assert {action for _, action, _ in actions(service, object=id_)} == {
        "campaign.submit",
        "campaign.extend",
        "campaign.keep",
        "campaign.cancel",
        "campaign.resume",
        "campaign.delete",
    }
    entry = service.get("/audit", actor="alice", limit=1)
    assert entry["entries"][0]["address"] == "127.0.0.1"
    following = service.get("/audit", actor="alice", cursor=entry["next_cursor"])
    assert following["entries"][0]["action"] == "campaign.delete"
    assert httpx2.get(f"{url}/audit", headers=alice).status_code in (401, 403)


def test_refused_requests_change_nothing_and_are_not_logged(service: Service) -> None:
    before = actions(service)
    assert service.http.post("/campaigns", json={"name": "x"}).status_code == 422
    assert service.http.post("/campaigns/ffffffff/cancel").status_code == 404
    assert service.http.post("/campaigns?dry_run=true", json=tiny_campaign()).status_code == 200
    assert actions(service) == before


def test_every_route_that_changes_something_is_known_here() -> None:
    """A new one needs an entry in the log, and in the list above or below."""
    changing = {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in json.loads(document())["paths"].items()
        for method in methods
        if method != "get"
    }
    assert changing == {
        "POST /campaigns",
        "POST /campaigns/{campaign_id}/cancel",
        "POST /campaigns/{campaign_id}/resume",
        "POST /campaigns/{campaign_id}/replications",
        "PATCH /campaigns/{campaign_id}",
        "POST /campaigns/{campaign_id}/gates",  # evaluates, changes nothing
        "DELETE /campaigns/{campaign_id}",
        "POST /runs/{run_id}/verify",
        "POST /verifications/{verification_id}/cancel",
        "POST /tokens",
        "POST /tokens/{token_id}/rotate",
        "DELETE /tokens/{token_id}",
        "POST /session",
        "DELETE /session",
        "POST /links",
        "POST /prune",  # test_retention.py
    }
