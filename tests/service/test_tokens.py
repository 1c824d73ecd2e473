"""Every route of the OpenAPI document, with every kind of token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi import APIRouter

from tests.conftest import Service, second_api, start_service, tiny_campaign
from windtunnel.embedded.service import EmbeddedService
from windtunnel.errors import UnavailableError
from windtunnel.settings import Settings
from windtunnel.store.database import Database
from windtunnel.store.tables import Token
from windtunnel.store.tokens import create_bootstrap_token, create_token
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
    "GET /campaigns": "read",
    "GET /campaigns/{campaign_id}": "read",
    "GET /campaigns/{campaign_id}/runs": "read",
    "GET /campaigns/{campaign_id}/comparison": "read",
    "GET /campaigns/{campaign_id}/events": "read",
    "GET /runs/{run_id}": "read",
    "GET /runs/{run_id}/series/{name}": "read",
    "GET /runs/{run_id}/flows": "read",
    "GET /runs/{run_id}/ports": "read",
    "GET /runs/{run_id}/log": "read",
    "GET /runs/{run_id}/verifications": "read",
    "GET /verifications": "read",
    "GET /verifications/{verification_id}": "read",
    "POST /campaigns": "submit",
    "POST /campaigns/{campaign_id}/cancel": "submit",
    "POST /campaigns/{campaign_id}/resume": "submit",
    "POST /campaigns/{campaign_id}/replications": "submit",
    "DELETE /campaigns/{campaign_id}": "submit",
    "POST /runs/{run_id}/verify": "submit",
    "POST /verifications/{verification_id}/cancel": "submit",
    "GET /tokens": "admin",
    "POST /tokens": "admin",
    "DELETE /tokens/{token_id}": "admin",
}
SCOPES = ("read", "submit", "admin")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Tokens are required, as in the compose stack; the database has an admin token."""
    yield from start_service()


@pytest.fixture(scope="module")
def database(service: Service) -> Iterator[Database]:
    database = Database(service.database_url)
    yield database
    database.close()


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
    """Address of a second API on the same database that requires tokens."""
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
    """Send a request with unknown ids: 404 and 422 mean that it was authorized."""
    method, path = operation.split()
    for name in ("campaign_id", "run_id", "verification_id", "token_id", "name"):
        path = path.replace(f"{{{name}}}", "ffffffff")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.request(method, f"{url}/api/v1{path}", headers=headers, timeout=30)


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
    service: Service, guarded: str, tokens: dict[str, str]
) -> None:
    path = f"/campaigns/{service.submit(tiny_campaign(offset=2))['id']}/cancel"
    client = httpx2.Client(base_url=f"{guarded}/api/v1")
    refused = client.post(path, headers=bearer(tokens["submit"]))
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "nobody with a token" in refused.json()["detail"]
    assert client.post(path, headers=bearer(tokens["admin"])).is_success
    assert service.http.post(path).is_success  # tokens are off here


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


def test_the_last_admin_token_cannot_be_revoked(guarded: str, tokens: dict[str, str]) -> None:
    headers = {"Authorization": f"Bearer {tokens['admin']}"}
    client = httpx2.Client(base_url=f"{guarded}/api/v1", headers=headers)
    admin = next(t for t in client.get("/tokens").json()["tokens"] if t["name"] == "the-admin")
    refused = client.delete(f"/tokens/{admin['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


def test_a_page_exchanges_a_token_for_a_cookie(guarded: str, tokens: dict[str, str]) -> None:
    client = httpx2.Client(base_url=f"{guarded}/api/v1")
    assert client.get("/session").json() == {"tokens": True, "name": None, "scope": None}
    assert client.post("/session", json={"token": tokens["revoked"]}).status_code == 401
    answer = client.post("/session", json={"token": tokens["submit"]})
    assert answer.json()["name"] == "the-submit"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie  # over plain HTTP the browser would not send it back
    behind_tls = client.post(
        "/session", json={"token": tokens["submit"]}, headers={"Origin": "https://tunnel.example"}
    )
    assert "secure" in behind_tls.headers["set-cookie"].lower()
    client.cookies.clear()
    client.post("/session", json={"token": tokens["submit"]})
    assert client.get("/campaigns").status_code == 200
    foreign = client.post("/campaigns/ffffffff/cancel", headers={"Origin": "http://evil.example"})
    assert (foreign.status_code, foreign.json()["code"]) == (403, "foreign_origin")
    assert client.post("/campaigns/ffffffff/cancel").status_code == 404
    client.delete("/session")
    assert client.get("/campaigns").status_code == 401


def test_without_tokens_remote_clients_are_rejected(service: Service) -> None:
    """A remote client with the Host header 127.0.0.1."""
    from windtunnel_api.guards import _foreign

    scope = {"type": "http", "headers": [(b"host", b"127.0.0.1")], "client": ("192.0.2.7", 5)}
    assert _foreign(scope) is not None
    assert _foreign({**scope, "client": ("127.0.0.1", 5)}) is None


def test_beyond_loopback_the_service_does_not_start_without_a_token(service: Service) -> None:
    """With an admin token it starts, and requires tokens."""
    from tests.conftest import new_data_folder

    folders = new_data_folder()
    with (
        pytest.raises(UnavailableError, match="there is no admin token"),
        EmbeddedService(folders, lambda _: None, slots=1, bind="0.0.0.0"),
    ):
        pass
    with EmbeddedService(folders, lambda _: None, slots=1) as running:
        answer = httpx2.post(f"{running.url}/api/v1/tokens", json={"name": "me", "scope": "admin"})
        token = answer.json()["token"]
    with EmbeddedService(folders, lambda _: None, slots=1, bind="0.0.0.0") as running:
        assert httpx2.get(f"{running.url}/api/v1/campaigns").status_code == 401
        command = [sys.executable, "-m", "windtunnel.cli.main"]
        environment = {**os.environ, "WINDTUNNEL_TOKEN": token, "WINDTUNNEL_SERVER": running.url}
        program = "from windtunnel.cli.main import main; main()"
        command = [sys.executable, "-c", program, "token", "list"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert "me" in done.stdout
        environment.pop("WINDTUNNEL_TOKEN")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "WINDTUNNEL_TOKEN" in done.stderr


def test_the_bootstrap_token_is_created_once(service: Service, database: Database) -> None:
    with database.transaction() as session:
        assert not create_bootstrap_token(session, new_token())  # there are some by now
