"""Every route of the OpenAPI document, with every kind of token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest
from fastapi import APIRouter
from sqlalchemy.orm import Session

from tests.conftest import Service, second_api, start_service, tiny_campaign
from windtunnel.errors import ConflictError
from windtunnel.settings import Settings
from windtunnel.store import submitters
from windtunnel.store.database import Database
from windtunnel.store.submitters import ANONYMOUS
from windtunnel.store.tables import Campaign, Token
from windtunnel.store.tokens import (
    create_bootstrap_token,
    create_token,
    list_tokens,
    revoke_token,
)
from windtunnel.tokens import Scope, is_token, new_token, token_digest
from windtunnel_api.app import create_app
from windtunnel_api.openapi import document
from windtunnel_api.routes import health

# Who may use what. A route that is not here fails the test: say who may use it.
PUBLIC = "open"
RULES = {
    "GET /health": PUBLIC,
    "GET /ready": PUBLIC,
    "GET /session": PUBLIC,
    "POST /session": PUBLIC,
    "DELETE /session": PUBLIC,
    "GET /workers": "read",
    "GET /catalogue": "read",
    "GET /schema": "read",
    "GET /templates": "read",
    "GET /campaigns": "read",
    "GET /campaigns/facets": "read",
    "GET /campaigns/{campaign_id}": "read",
    "GET /campaigns/{campaign_id}/runs": "read",
    "GET /campaigns/{campaign_id}/grid": "read",
    "GET /campaigns/{campaign_id}/failures": "read",
    "GET /campaigns/{campaign_id}/distributions": "read",
    "GET /campaigns/{campaign_id}/fairness": "read",
    "GET /campaigns/{campaign_id}/flow-percentiles": "read",
    "GET /campaigns/{campaign_id}/export": "read",
    "GET /campaigns/{campaign_id}/file": "read",
    "GET /campaigns/{campaign_id}/comparison": "read",
    "GET /campaigns/{campaign_id}/gates": "read",
    "POST /campaigns/{campaign_id}/gates": "read",
    "GET /campaigns/{campaign_id}/events": "read",
    "GET /runs/{run_id}": "read",
    "GET /runs/{run_id}/series/{name}": "read",
    "GET /runs/{run_id}/siblings": "read",
    "GET /runs/{run_id}/flows": "read",
    "GET /runs/{run_id}/ports": "read",
    "GET /runs/{run_id}/packet-delays": "read",
    "GET /runs/{run_id}/log": "read",
    "GET /runs/{run_id}/topology": "read",
    "GET /runs/{run_id}/verifications": "read",
    "GET /history": "read",
    "GET /campaigns/{campaign_id}/sensitivity": "read",
    "GET /references": "read",
    "GET /usage": "read",
    "GET /verifications": "read",
    "GET /verifications/{verification_id}": "read",
    "POST /campaigns": "submit",
    "POST /campaigns/{campaign_id}/cancel": "submit",
    "POST /campaigns/{campaign_id}/resume": "submit",
    "POST /campaigns/{campaign_id}/replications": "submit",
    "PATCH /campaigns/{campaign_id}": "submit",
    "DELETE /campaigns/{campaign_id}": "submit",
    "POST /runs/{run_id}/verify": "submit",
    "POST /verifications/{verification_id}/cancel": "submit",
    "POST /links": "read",
    "GET /tokens": "admin",
    "POST /tokens": "admin",
    "POST /tokens/{token_id}/rotate": "admin",  # others' tokens; one's own: test_rotation
    "DELETE /tokens/{token_id}": "admin",
    "GET /audit": "admin",
    "GET /system": "admin",
    "POST /prune": "admin",
}
SCOPES = ("read", "submit", "admin")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The service, whose database has its owner's admin token."""
    yield from start_service()


@pytest.fixture(scope="module")
def tokens(database: Database) -> dict[str, str]:
    """A token of every scope, and a revoked one."""
    with database.transaction() as session:
        secrets_by_name = {
            name: create_token(session, f"the-{name}", Scope(name))[0] for name in SCOPES
        }
        secrets_by_name["revoked"], row = create_token(session, "the-revoked", Scope.ADMIN)
        row.revoked_at = row.created_at
        session.merge(row)
    return secrets_by_name


@pytest.fixture(scope="module")
def guarded(service: Service, tokens: dict[str, str]) -> Iterator[str]:
    """Address of a second API on the same database."""
    with second_api(service) as url:
        yield url


def operations() -> list[str]:
    paths = json.loads(document())["paths"]
    return [
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in paths.items()
        for method in methods
    ]


def ask(url: str, operation: str, token: str | None) -> httpx2.Response:
    """Send a request with unknown ids: 404 and 422 mean that it was authorized.

    Each operation has an address of its own: wrong tokens meet a brake.
    """
    method, path = operation.split()
    for name in ("campaign_id", "run_id", "verification_id", "token_id", "name"):
        path = path.replace(f"{{{name}}}", "ffffffff")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    address = f"127.0.0.{2 + list(RULES).index(operation)}"
    with httpx2.Client(transport=httpx2.HTTPTransport(local_address=address)) as client:
        return client.request(method, f"{url}/api/v1{path}", headers=headers, timeout=30)


def test_every_route_is_covered_here() -> None:
    assert sorted(operations()) == sorted(RULES)


@pytest.mark.parametrize("operation", operations())
def test_routes_authorize_by_scope(guarded: str, tokens: dict[str, str], operation: str) -> None:
    rule = RULES[operation]
    refused = {None: 401, "revoked": 401, "unknown": 401, "read": 403, "submit": 403, "admin": 403}
    known: dict[str | None, str | None] = {None: None, "unknown": new_token()}
    known.update(tokens)
    for holder, status in refused.items():
        answer = ask(guarded, operation, known[holder])
        allowed = rule == PUBLIC or (
            holder in SCOPES and SCOPES.index(str(holder)) >= SCOPES.index(rule)
        )
        if allowed:
            assert answer.status_code not in (401, 403) or operation == "POST /session", holder
            assert answer.status_code < 500 or operation == "GET /ready", holder
        else:
            assert answer.status_code == status, holder
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["code"] == {401: "unauthenticated", 403: "forbidden"}[status]
    method, path = operation.split()
    described = json.loads(document())["paths"][f"/api/v1{path}"][method.lower()]
    assert rule == PUBLIC or "security" in described


def test_a_route_without_a_rule_stops_the_application(monkeypatch: pytest.MonkeyPatch) -> None:
    router = APIRouter()

    @router.get("/forgotten")
    def forgotten() -> str:
        return "who may see this?"

    monkeypatch.setattr(health, "router", router)
    settings = Settings(database_url="postgresql+psycopg:///none", redis_url="redis:///0")
    with pytest.raises(LookupError, match="GET /forgotten"):
        create_app(settings)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


CHANGES = {
    "cancel": ("POST", "/cancel", None),
    "resume": ("POST", "/resume", None),
    "extend": ("POST", "/replications", {"replications": 2}),
    "delete": ("DELETE", "", None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_its_submitter_or_an_admin_changes_a_campaign(
    guarded: str, tokens: dict[str, str], database: Database, change: str
) -> None:
    method, path, body = CHANGES[change]
    with database.transaction() as session:
        other = create_token(session, f"not-allowed-to-{change}", Scope.SUBMIT)[0]
    client = httpx2.Client(base_url=f"{guarded}/api/v1")
    campaigns = [
        client.post("/campaigns", json=tiny_campaign(offset=1), headers=bearer(tokens["submit"]))
        for _ in range(2)
    ]
    own, of_admin = (campaign.json() for campaign in campaigns)
    assert own["submitted_by"] == "the-submit"

    def apply(campaign: dict[str, Any], token: str) -> httpx2.Response:
        url = f"/campaigns/{campaign['id']}{path}"
        return client.request(method, url, json=body, headers=bearer(token))

    refused = apply(own, other)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert f"campaign {own['id']} was submitted by the-submit" in refused.json()["detail"]
    for campaign, token in ((own, tokens["submit"]), (of_admin, tokens["admin"])):
        assert apply(campaign, token).is_success
        shown = client.get(f"/campaigns/{campaign['id']}", headers=bearer(token))
        assert shown.status_code == (404 if change == "delete" else 200)


def test_campaigns_submitted_without_a_token_belong_to_admins(
    service: Service, guarded: str, tokens: dict[str, str], database: Database
) -> None:
    """Earlier versions had services that asked for none."""
    campaign = service.submit(tiny_campaign(offset=2))["id"]
    with database.transaction() as session:
        session.get_one(Campaign, campaign).submitted_by = ANONYMOUS
        submitters.register(session, ANONYMOUS)
    assert service.get(f"/campaigns/{campaign}")["submitted_by"] is None
    path = f"/campaigns/{campaign}/cancel"
    client = httpx2.Client(base_url=f"{guarded}/api/v1")
    refused = client.post(path, headers=bearer(tokens["submit"]))
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "nobody with a token" in refused.json()["detail"]
    assert client.post(path, headers=bearer(tokens["admin"])).is_success


def test_an_idempotency_key_belongs_to_its_submitter(
    guarded: str, tokens: dict[str, str], database: Database
) -> None:
    with database.transaction() as session:
        bob = create_token(session, "bob", Scope.SUBMIT)[0]
    client = httpx2.Client(base_url=f"{guarded}/api/v1")

    def submit(token: str) -> Any:
        headers = {**bearer(token), "Idempotency-Key": "the same"}
        return client.post("/campaigns", json=tiny_campaign(offset=3), headers=headers).json()

    first, of_bob, again = submit(tokens["submit"]), submit(bob), submit(tokens["submit"])
    assert (first["submitted_by"], of_bob["submitted_by"]) == ("the-submit", "bob")
    assert again["id"] == first["id"] != of_bob["id"]


def test_tokens_are_created_listed_revoked_and_never_stored(
    guarded: str, tokens: dict[str, str], database: Database
) -> None:
    headers = {"Authorization": f"Bearer {tokens['admin']}"}
    client = httpx2.Client(base_url=f"{guarded}/api/v1", headers=headers)
    created = client.post("/tokens", json={"name": "ci", "scope": "submit"})
    assert created.status_code == 201
    token = created.json()["token"]
    assert is_token(token)
    again = client.post("/tokens", json={"name": "ci", "scope": "submit"})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    bad = client.post("/tokens", json={"name": "two words", "scope": "submit"})
    assert bad.json()["errors"][0]["path"] == "name"
    listed = client.get("/tokens").text
    assert token not in listed
    assert created.json()["id"] in listed
    with database.transaction() as session:
        row = session.get_one(Token, created.json()["id"])
        assert row.digest == token_digest(token)
        assert token not in str(vars(row))
    ci_headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/campaigns", headers=ci_headers).status_code == 200
    gone = client.delete(f"/tokens/{created.json()['id']}")
    assert gone.json()["revoked_at"] is not None
    assert client.get("/campaigns", headers=ci_headers).status_code == 401
    assert client.post("/tokens", json={"name": "ci", "scope": "read"}).status_code == 201


def test_a_stream_ends_when_its_token_is_revoked(
    guarded: str, tokens: dict[str, str], database: Database
) -> None:
    with database.transaction() as session:
        token, row = create_token(session, "watcher", Scope.SUBMIT)
    client = httpx2.Client(base_url=f"{guarded}/api/v1", timeout=40)
    headers = {"Authorization": f"Bearer {token}"}
    admin = {"Authorization": f"Bearer {tokens['admin']}"}
    campaign = client.post(
        "/campaigns", json=tiny_campaign(offset=7, wall=60), headers=headers
    ).json()
    with client.stream("GET", f"/campaigns/{campaign['id']}/events", headers=headers) as stream:
        lines = stream.iter_lines()
        first = next(line for line in lines if line.startswith("data: "))
        assert not json.loads(first.removeprefix("data: "))["ended"]
        assert client.delete(f"/tokens/{row.id}", headers=admin).status_code == 200
        rest = [line for line in lines if line.startswith("data: ")]  # until the stream ends
    assert not any(json.loads(line.removeprefix("data: "))["ended"] for line in rest)
    assert not client.get(f"/campaigns/{campaign['id']}", headers=admin).json()["ended"]
    client.delete(f"/campaigns/{campaign['id']}", headers=admin)


def test_the_last_admin_token_cannot_be_revoked(tokens: dict[str, str], database: Database) -> None:
    with Session(database.engine) as session:  # never committed
        admins = [row for row in list_tokens(session) if row.scope == Scope.ADMIN]
        first, *others = [row.id for row in admins if row.revoked_at is None]
        for other in others:
            revoke_token(session, other)
        with pytest.raises(ConflictError, match="is the last admin token"):
            revoke_token(session, first)


def test_an_expired_token_is_no_token(guarded: str, database: Database) -> None:
    with database.transaction() as session:
        token, row = create_token(session, "for-a-day", Scope.READ, timedelta(days=1))
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx2.get(f"{guarded}/api/v1/campaigns", headers=headers).status_code == 200
    with database.transaction() as session:
        earlier = session.get_one(Token, row.id)
        assert earlier.last_used_at is not None
        earlier.expires_at = earlier.created_at
    answer = httpx2.get(f"{guarded}/api/v1/campaigns", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (
        401,
        "the token is unknown, revoked or expired",
    )
    with database.transaction() as session:  # its name is free again
        assert create_token(session, "for-a-day", Scope.READ)[1].expires_at is None


def test_rotation_replaces_a_token(guarded: str, tokens: dict[str, str]) -> None:
    client = httpx2.Client(base_url=f"{guarded}/api/v1")
    admin = {"Authorization": f"Bearer {tokens['admin']}"}
    body = {"name": "rotated", "scope": "submit", "days": 30}
    old = client.post("/tokens", json=body, headers=admin).json()
    own = {"Authorization": f"Bearer {old['token']}"}
    somebody = client.get("/tokens", headers=admin).json()["tokens"][-1]["id"]
    refused = client.post(f"/tokens/{somebody}/rotate", headers=own)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    new = client.post(f"/tokens/{old['id']}/rotate", headers=own).json()
    assert (new["name"], new["scope"]) == ("rotated", "submit")
    lifetime = datetime.fromisoformat(new["expires_at"]) - datetime.fromisoformat(new["created_at"])
    assert lifetime == timedelta(days=30)
    assert client.get("/campaigns", headers=own).status_code == 401
    again = client.post(f"/tokens/{old['id']}/rotate", headers=admin)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    own = {"Authorization": f"Bearer {new['token']}"}
    assert client.get("/campaigns", headers=own).status_code == 200


def test_the_bootstrap_token_is_created_once(service: Service, database: Database) -> None:
    with database.transaction() as session:
        assert not create_bootstrap_token(session, new_token())  # there are some by now
