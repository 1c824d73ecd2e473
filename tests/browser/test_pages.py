"""The pages in real Chromium, over the real service."""

from __future__ import annotations

import re
import signal
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import sign_in
from tests.conftest import FAT_TREE, Service, tiny_campaign
from tests.workers import paused
from windtunnel.numbers import number

WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def ended(service: Service) -> dict[str, Any]:
    campaign = {
        "name": "pages",
        "scenario": FAT_TREE,
        "sweep": {"algorithm": ["newreno", "vegas", "cubic"]},
        "replications": 3,
        "baseline": {"algorithm": "newreno"},
        "series": [{"probe": "queue_length", "at": "core", "step": "100us"}],
    }
    return service.wait(service.submit(campaign)["id"])


def test_a_campaign_progresses_without_a_reload(service: Service, page: Page) -> None:
    sweep = {"offset": [1, 2, 3, 4]}
    with paused(service):
        campaign = service.submit(tiny_campaign(name="live", sweep=sweep, wall=2))
        page.goto(f"{service.url}/campaigns/{campaign['id']}")
        page.evaluate("window.notReloaded = true")
        progress, tiles = page.get_by_test_id("progress"), page.get_by_test_id("tiles")
        expect(progress).to_contain_text("0/4 runs")
        expect(page.get_by_label("Verdict")).to_contain_text("No verdict yet")
    expect(progress).to_contain_text(re.compile("[123]/4 runs"), timeout=20_000)
    expect(progress).to_contain_text("4/4 runs", timeout=20_000)
    expect(tiles.get_by_role("button", name=re.compile("succeeded"))).to_have_count(4)
    page.get_by_role("navigation", name="Campaign").get_by_role("link", name="Runs").click()
    expect(page.get_by_test_id("runs").get_by_text("succeeded")).to_have_count(4)
    page.get_by_role("link", name="Comparison").click()
    expect(page.get_by_test_id("cells").get_by_role("row")).to_have_count(5)
    assert page.evaluate("window.notReloaded")


def test_the_comparison_follows_runs_that_end(service: Service, page: Page) -> None:
    # Some ten seconds on two slots: the page asks again every four.
    sweep = {"offset": list(range(11, 21))}
    with paused(service):
        campaign = service.submit(tiny_campaign(name="followed", sweep=sweep, wall=2))
        page.goto(f"{service.url}/campaigns/{campaign['id']}/comparison")
        page.evaluate("window.notReloaded = true")
        expect(page.get_by_text("No result yet.")).to_be_visible()
    expect(page.get_by_text("So far: runs are under way")).to_be_visible(timeout=20_000)
    for cell in range(10):
        expect(page.get_by_test_id(f"value-{cell}")).to_have_text(f"{cell + 12}", timeout=20_000)
    expect(page.get_by_text("So far: runs are under way")).to_have_count(0)
    assert page.evaluate("window.notReloaded")


def test_the_table_shows_the_numbers_of_the_api(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    comparison = service.get(f"/campaigns/{ended['id']}/comparison")
    shown = ("ideal_throughput_pct", "packet_delay_ms_mean", "packet_delay_ms_p99", "drops_total")
    for name in shown:
        page.goto(f"{service.url}/campaigns/{ended['id']}/comparison?metric={name}")
        for cell in comparison["cells"]:
            place = page.get_by_test_id(f"value-{cell['index']}")
            expect(place).to_have_text(_shown(cell["metrics"][name]["estimate"]))


def _shown(estimate: dict[str, Any]) -> str:
    """An estimate as the table shows it, by the rules of the command line."""
    mean, half = estimate["mean"], estimate["half_width"]
    if half == 0:
        return number(mean)
    low, high = estimate["ci95"]
    if low == 0 or high - mean == pytest.approx(mean - low, rel=0.04):
        return f"{number(mean, half)} ± {number(half, half)}"
    width = (high - low) / 2
    return f"{number(mean, width)} {number(low, width)} to {number(high, width)}"


def test_the_page_explains_its_figures_and_names_the_build(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    page.goto(f"{service.url}/campaigns/{ended['id']}/comparison")
    comparison = service.get(f"/campaigns/{ended['id']}/comparison", default=True)
    for note in comparison["notes"]:
        expect(page.get_by_test_id("notes").get_by_text(note)).to_be_visible()
    digest = ended["simulators"][0]["digest"]
    expect(page.get_by_test_id("simulators")).to_contain_text(f"on ns3 {digest[:8]}, built ")


def test_two_simulators_and_missing_values_are_shown(service: Service, page: Page) -> None:
    engines = [
        {"label": "measures", "simulator": "tiny", "goodput": 10, "offset": 1},
        {"label": "silent", "simulator": "tiny", "offset": 2},
        {"label": "broken", "simulator": "tiny", "misbehave": "crash"},
    ]
    campaign = tiny_campaign("missing", sweep={"engine": engines}, replications=2)
    ended = service.wait(service.submit(campaign)["id"])
    page.goto(f"{service.url}/campaigns/{ended['id']}/comparison?metric=goodput_mbps")
    for cell in (1, 2):
        expect(page.get_by_test_id(f"value-{cell}")).to_have_text("–")
    why = page.get_by_test_id("value-1").locator("[title]")
    expect(why).to_have_attribute("title", re.compile("not reported"))
    notes = page.get_by_test_id("notes")
    expect(notes).to_contain_text("broken: 0 of 2 runs (seeds 1, 2 failed: sim_crashed)")
    expect(notes).to_contain_text("no value in 2 runs (not reported): silent")


def test_figures_have_intervals_and_the_address_keeps_the_view(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    page.goto(
        f"{service.url}/campaigns/{ended['id']}/comparison?metric=packet_delay_ms_mean&chart=dots"
    )
    figure = page.get_by_role("img", name=re.compile("^cells by .*delay"))
    expect(figure.locator("path.mk")).to_have_count(3)
    expect(figure.locator(".interval, .iv, .ci").first).to_be_attached()
    expect(figure.locator("text", has_text="vegas")).to_be_visible()
    page.get_by_label("Metric").select_option("drops_total")
    expect(page).to_have_url(re.compile("metric=drops_total"))
    expect(page.get_by_role("img", name=re.compile("^cells by drops", re.I))).to_be_visible()
    page.reload()
    expect(page.get_by_label("Metric")).to_have_value("drops_total")


def test_a_runs_page_draws_its_fullest_queue(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    run = service.get(f"/runs/{service.runs(ended['id'])[0]['id']}")
    page.goto(f"{service.url}/campaigns/{ended['id']}/runs")
    page.get_by_role("link", name=run["id"][:10]).first.click()
    queues = [series for series in run["series"] if series["name"].startswith("queue_length")]
    fullest = max(queues, key=lambda series: series["mean"])["name"]
    chart = page.get_by_label(re.compile("over simulated time"))
    expect(chart.locator("path.signal:not(.overlay)").first).to_be_visible()
    page.get_by_text("Numbers of this figure").first.click()
    numbers = page.get_by_role("region", name="Numbers of this figure").first
    expect(numbers).to_contain_text(fullest)
    expect(page.get_by_text(f"windtunnel simulate --run {run['id'][:12]}")).to_be_visible()


def test_a_failed_run_shows_its_reason(service: Service, page: Page) -> None:
    campaign = service.wait(service.submit(tiny_campaign(name="ill", misbehave="crash"))["id"])
    page.goto(f"{service.url}/campaigns/{campaign['id']}")
    expect(page.get_by_test_id("failures")).to_contain_text("sim_crashed")
    page.goto(f"{service.url}/campaigns/{campaign['id']}/runs")
    expect(page.get_by_test_id("runs")).to_contain_text("sim_crashed")
    page.get_by_role("link", name=service.runs(campaign["id"])[0]["id"][:10]).click()
    expect(page.get_by_role("alert")).to_contain_text("sim crashed")
    expect(page.get_by_label("stderr of attempt 1")).to_contain_text(
        "the model exploded at step 17"
    )


def test_an_unknown_campaign_is_reported(service: Service, browser: Browser) -> None:
    page = browser.new_page()
    sign_in(page, service)
    page.goto(f"{service.url}/campaigns/ffffffffff")
    expect(page.get_by_text("campaign ffffffffff does not exist")).to_be_visible()
    page.close()


def test_a_deleted_campaign_is_said_to_be_gone(service: Service, browser: Browser) -> None:
    page = browser.new_page()
    sign_in(page, service)
    campaign = service.submit(tiny_campaign(name="doomed", wall=60))
    page.goto(f"{service.url}/campaigns/{campaign['id']}")
    expect(page.get_by_test_id("progress")).to_contain_text("1 running", timeout=20_000)
    assert service.http.delete(f"/campaigns/{campaign['id']}").status_code == 204
    gone = f"campaign {campaign['id']} does not exist"
    expect(page.get_by_text(gone)).to_be_visible(timeout=20_000)
    page.close()


@pytest.mark.parametrize("cause", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lost_connection_is_shown_until_it_is_back(
    service: Service, browser: Browser, cause: signal.Signals
) -> None:
    """A process that is stopped and a network that was cut look alike: connections stay open."""
    page = browser.new_page()
    sign_in(page, service)
    campaign = service.submit(tiny_campaign(name="interrupted", wall=60))
    page.goto(f"{service.url}/campaigns/{campaign['id']}")
    expect(page.get_by_test_id("progress")).to_contain_text("1 running", timeout=20_000)
    api = next(part for part in service.running._parts if part.name == "API")
    api.child.send_signal(cause)
    lost = page.get_by_text(re.compile("connection to the service is lost|does not answer"))
    try:
        expect(lost.first).to_be_visible(timeout=20_000)
    finally:
        if cause is signal.SIGSTOP:
            api.child.send_signal(signal.SIGCONT)
        else:
            api.child.wait()
            service.running.restart_dead()
    expect(lost).to_have_count(0, timeout=30_000)
    service.http.delete(f"/campaigns/{campaign['id']}")
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_their_width(
    service: Service, browser: Browser, ended: dict[str, Any], width: str
) -> None:
    size = WIDTHS[width]
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    sign_in(page, service)
    campaign, run = f"/campaigns/{ended['id']}", f"/runs/{service.runs(ended['id'])[0]['id']}"
    tabs = [f"{run}?tab={name}" for name in ("flows", "topology", "log", "specification")]
    parts = [f"{campaign}/{part}" for part in ("comparison", "runs", "file")]
    for address in ("/", campaign, *parts, run, *tabs, "/new", "/catalogue", "/tokens", "/system"):
        page.goto(service.url + address)
        expect(page.locator("h1")).to_have_count(1)
        expect(page.get_by_role("status", name="loading")).to_have_count(0)
        inner = page.evaluate("document.documentElement.scrollWidth")
        assert inner <= size[0], f"{address} is {inner} px wide"
    page.close()


def test_a_revoked_token_leads_to_the_sign_in(service: Service, browser: Browser) -> None:
    answer = service.http.post("/tokens", json={"name": "leaving", "scope": "submit"}).json()
    page = browser.new_page()
    page.goto(service.url)
    page.get_by_label("Token").fill(answer["token"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    assert service.http.delete(f"/tokens/{answer['id']}").status_code == 200
    page.get_by_role("link", name="Catalogue").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=10_000)
    page.close()
