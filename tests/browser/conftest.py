"""Chromium, and pages that are signed in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.conftest import Service

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium."""
    program = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    assert program is not None, "Chromium is missing: apt-get install chromium"
    arguments = ["--no-sandbox", "--disable-quic", "--disable-background-networking"]
    return playwright.chromium.launch(executable_path=program, args=arguments)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield launch(playwright)


def sign_in(page: Page, service: Service) -> None:
    page.goto(service.url + service.http.post("/links", json={"next": "/"}).json()["path"])


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    """A page that is signed in."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    sign_in(page, service)
    errors: list[str] = []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []
