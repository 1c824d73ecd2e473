"""What a hostile label, page or link can do in a browser: nothing."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.conftest import Service, tiny_campaign

HOSTILE = '<img src=x onerror="window.owned = true">'
LINK = "<a href=javascript:window.owned=true>x</a>"


def test_labels_are_text_everywhere(service: Service, page: Page) -> None:
    engines = [
        {"label": label, "simulator": "tiny", "goodput": 10, "offset": at}
        for at, label in enumerate((HOSTILE, LINK), start=1)
    ]
    campaign = tiny_campaign("hostile", sweep={"engine": engines}, replications=2)
    ended = service.wait(service.submit(campaign | {"description": HOSTILE})["id"])
    address = f"{service.url}/campaigns/{ended['id']}"
    page.goto(f"{address}/comparison?metric=goodput_mbps&chart=dots")
    chart = page.get_by_role("img", name=re.compile("^cells by "))
    for part in ("onerror", "href=javascript"):
        # Long labels are shortened in figures; the table has them whole.
        expect(chart.locator("text", has_text=part[:4])).to_have_count(1)
        expect(page.get_by_test_id("cells").get_by_text(part)).to_have_count(1)
    run = service.runs(ended["id"])[0]["id"]
    for path in (
        service.url,
        address,
        f"{address}/runs",
        f"{address}/file",
        f"{service.url}/runs/{run}",
    ):
        page.goto(path)
        expect(page.get_by_text("onerror").first).to_be_visible()
        assert page.evaluate("window.owned") is None
        assert page.locator("img").count() == 0
        assert page.locator("a[href^=javascript]").count() == 0
    service.http.delete(f"/campaigns/{ended['id']}")


def test_the_browser_refuses_html_and_foreign_scripts(service: Service, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(service.url)
    refused = """(html) => {
        try { document.body.innerHTML = html } catch (error) { return String(error) }
    }"""
    assert "TrustedHTML" in str(page.evaluate(refused, HOSTILE))
    inline = """() => {
        const script = document.createElement("script")
        try { script.textContent = "window.owned = true" } catch (error) { return String(error) }
        document.body.append(script)
    }"""
    page.evaluate(inline)
    assert page.evaluate("window.owned") is None
    page.close()


def test_a_link_signs_in_once_and_signing_out_ends_it(service: Service, browser: Browser) -> None:
    link = service.url + service.http.post("/links", json={"next": "/"}).json()["path"]
    page = browser.new_page()
    page.goto(service.url)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(link)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(link)
    expect(page.get_by_text("This link was used before or has expired.")).to_be_visible()
    page.get_by_label("Token").fill("wt_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("the token is unknown, revoked or expired")).to_be_visible()
    page.get_by_label("Token").fill(service.running.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.close()
