"""Browsers: sessions, sign-in links, what a session may not do, and headers of responses."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from datetime import timedelta

import httpx2
import pytest
from sqlalchemy import update

from tests.conftest import Service, new_data_folder, start_service
from windtunnel.embedded.service import EmbeddedService
from windtunnel.store.database import Database
from windtunnel.store.sessions import create_link
from windtunnel.store.tables import BrowserSession, SignInLink, Token
from windtunnel.store.tokens import create_token
from windtunnel.tokens import Scope
from windtunnel_api.routes.sessions import is_page


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service()


@pytest.fixture
def browser(service: Service) -> Iterator[httpx2.Client]:
    """A client that keeps cookies and has no token."""
    with httpx2.Client(base_url=service.url, timeout=30) as client:
        yield client


def follow(service: Service, browser: httpx2.Client, page: str = "/") -> httpx2.Response:
    """Ask for a link with the owner's token, and follow it in a browser."""
    link = service.http.post("/links", json={"next": page}).json()["path"]
    return browser.get(link)


def test_a_token_signs_a_browser_in_and_signing_out_ends_the_session(
    service: Service, browser: httpx2.Client, database: Database
) -> None:
    with database.transaction() as session:
        token = create_token(session, "reader", Scope.READ)[0]
    assert browser.get("/api/v1/session").json() == {"name": None, "scope": None}
    assert browser.post("/api/v1/session", json={"token": "wrong"}).status_code == 401
    answer = browser.post("/api/v1/session", json={"token": token})
    assert answer.json() == {"name": "reader", "scope": "read"}
    cookie = answer.headers["set-cookie"]
    assert token not in cookie
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert "secure" not in cookie.lower()  # over plain HTTP the browser would not send it back
    kept = dict(browser.cookies)
    assert browser.get("/api/v1/campaigns").status_code == 200
    assert browser.delete("/api/v1/session").status_code == 204
    assert browser.get("/api/v1/campaigns").status_code == 401
    stolen = httpx2.get(f"{service.url}/api/v1/campaigns", cookies=kept)
    assert (stolen.status_code, stolen.json()["detail"]) == (
        401,
        "the session has ended; sign in again",
    )
    bearer = {"Authorization": f"Bearer {token}"}
    assert browser.get("/api/v1/campaigns", headers=bearer).status_code == 200


def test_behind_tls_the_cookie_is_secure(service: Service, browser: httpx2.Client) -> None:
    answer = browser.post(
        "/api/v1/session",
        json={"token": service.running.token},
        headers={"Origin": "https://tunnel.example"},
    )
    assert "secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:1", "http://[::1", "null"]
)
def test_a_cookie_is_refused_from_pages_of_other_sites(
    service: Service, browser: httpx2.Client, origin: str
) -> None:
    follow(service, browser)
    foreign = browser.post("/api/v1/campaigns/ffffffff/cancel", headers={"Origin": origin})
    assert (foreign.status_code, foreign.json()["code"]) == (403, "foreign_origin")
    own = browser.post("/api/v1/campaigns/ffffffff/cancel", headers={"Origin": service.url})
    assert own.status_code == 404


def test_a_link_signs_in_once(service: Service, browser: httpx2.Client) -> None:
    link = service.http.post("/links", json={"next": "/campaigns/ffff"}).json()["path"]
    answer = browser.get(link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/campaigns/ffff")
    assert browser.get("/api/v1/session").json()["name"] == "owner"
    other = httpx2.get(service.url + link)
    assert other.headers["location"] == "/campaigns?sign-in=ended"
    assert "set-cookie" not in other.headers


def test_links_and_sessions_expire(
    service: Service, browser: httpx2.Client, database: Database
) -> None:
    follow(service, browser)
    with database.transaction() as session:
        token_id = session.query(Token).filter_by(name="owner").one().id
        code = create_link(session, token_id)
        past = {"expires_at": SignInLink.expires_at - timedelta(hours=2)}
        session.execute(update(SignInLink).values(past))
        session.execute(
            update(BrowserSession).values(expires_at=BrowserSession.expires_at - timedelta(days=31))
        )
    assert "ended" in browser.get(f"/sign-in?code={code}").headers["location"]
    assert browser.get("/api/v1/campaigns").status_code == 401


@pytest.mark.parametrize(
    "page", ["//evil.example", "/\\evil.example", "https://evil.example", "/\n"]
)
def test_links_lead_to_pages_of_this_service_only(service: Service, page: str) -> None:
    assert not is_page(page)
    assert service.http.post("/links", json={"next": page}).status_code == 422
    link = service.http.post("/links", json={"next": "/"}).json()["path"]
    code = link.partition("code=")[2].partition("&")[0]
    answer = httpx2.get(f"{service.url}/sign-in", params={"code": code, "next": page})
    assert answer.headers["location"] == "/"


def test_a_session_cannot_manage_tokens(service: Service, browser: httpx2.Client) -> None:
    """A script that got into a page could otherwise give itself a token that lasts."""
    follow(service, browser)
    assert browser.get("/api/v1/tokens").status_code == 200
    owner = next(t for t in service.get("/tokens")["tokens"] if t["name"] == "owner")
    for method, path, body in (
        ("POST", "/tokens", {"name": "mallory", "scope": "admin"}),
        ("POST", f"/tokens/{owner['id']}/rotate", None),
        ("DELETE", f"/tokens/{owner['id']}", None),
        ("POST", "/links", {"next": "/"}),
    ):
        answer = browser.request(method, f"/api/v1{path}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), path
        assert "not with a browser's session" in answer.json()["detail"]


def test_revoking_a_token_signs_its_browsers_out(service: Service, browser: httpx2.Client) -> None:
    created = service.http.post("/tokens", json={"name": "short", "scope": "read"}).json()
    browser.post("/api/v1/session", json={"token": created["token"]})
    assert browser.get("/api/v1/campaigns").status_code == 200
    service.http.delete(f"/tokens/{created['id']}")
    assert browser.get("/api/v1/campaigns").status_code == 401


@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/api/v1/campaigns", "/nothing", "/api/x"])
def test_every_response_restricts_what_browsers_do(service: Service, path: str) -> None:
    headers = httpx2.get(service.url + path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/" + "a" * 300, "/" + "a/" * 2000, "/%2e%2e/%2e%2e/etc/passwd"])
def test_a_path_of_no_page_is_answered_with_the_page_that_says_so(
    service: Service, path: str
) -> None:
    answer = httpx2.get(service.url + path)
    assert answer.status_code == 404
    assert '<div id="root">' in answer.text


def test_the_owners_token_is_private_and_survives_restarts() -> None:
    folders = new_data_folder()
    with EmbeddedService(folders, lambda _: None, slots=1) as first:
        token, url = first.token, first.url
        assert stat.S_IMODE(folders.token.stat().st_mode) == 0o600
        assert folders.token.read_text().strip() == token
        assert httpx2.get(f"{url}/api/v1/campaigns").status_code == 401
        bearer = {"Authorization": f"Bearer {token}"}
        revoked = httpx2.get(f"{url}/api/v1/tokens", headers=bearer).json()["tokens"][0]
        other = httpx2.post(
            f"{url}/api/v1/tokens", json={"name": "b", "scope": "admin"}, headers=bearer
        ).json()["token"]
    with EmbeddedService(folders, lambda _: None, slots=1) as second:
        assert second.token == token
        bearer = {"Authorization": f"Bearer {other}"}
        path = f"{second.url}/api/v1/tokens/{revoked['id']}"
        assert httpx2.delete(path, headers=bearer).status_code == 200
    with EmbeddedService(folders, lambda _: None, slots=1) as third:
        assert third.token != token
        assert folders.token.read_text().strip() == third.token
        bearer = {"Authorization": f"Bearer {third.token}"}
        assert httpx2.get(f"{third.url}/api/v1/campaigns", headers=bearer).status_code == 200
