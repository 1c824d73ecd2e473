"""What a hostile label, page or link can do in a browser: nothing."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from tests.conftest import Service, tiny_campaign

HOSTILE = '<img src=x onerror="window.owned = true">'
LINK = "<a href=javascript:window.owned=true>x</a>"


def test_labels_are_text_also_in_tooltips(service: Service, page: Page) -> None:
    engines = [
        {"label": label, "simulator": "tiny", "goodput": 10, "offset": at}
        for at, label in enumerate((HOSTILE, LINK), start=1)
    ]
    campaign = tiny_campaign("hostile", sweep={"engine": engines}, replications=2)
    ended = service.wait(service.submit(campaign)["id"])
    page.goto(f"{service.url}/campaigns/{ended['id']}?metric=goodput_mbps")
    chart = page.get_by_role("img", name="bar chart of goodput_mbps")
    expect(chart.locator("svg text", has_text="onerror")).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    for label, share in (("href=javascript", 0.4), ("onerror", 0.2)):
        page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * share)
        # On the axis, and in the tooltip.
        expect(chart.locator("svg text", has_text=label)).to_have_count(2)
    assert page.evaluate("window.owned") is None
    assert page.locator("img").count() == 0
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
    expect(page.get_by_text("owner")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(link)
    expect(page.get_by_text("This link was used before or has expired.")).to_be_visible()
    page.get_by_label("Token").fill("wt_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("the token is unknown, revoked or expired")).to_be_visible()
    page.get_by_label("Token").fill(service.running.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("owner")).to_be_visible()
    page.close()
