"""The pages in real Chromium, over the real service."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import sign_in
from tests.conftest import FAT_TREE, Service, tiny_campaign

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
    campaign = service.submit(tiny_campaign(name="live", sweep={"offset": [1, 2, 3, 4]}, wall=2))
    page.goto(f"{service.url}/campaigns/{campaign['id']}")
    page.evaluate("window.notReloaded = true")
    expect(page.get_by_test_id("progress")).to_contain_text("0/4 runs")
    expect(page.get_by_test_id("progress")).to_contain_text("2/4 runs", timeout=20_000)
    expect(page.get_by_test_id("progress")).to_contain_text("4/4 runs", timeout=20_000)
    expect(page.get_by_test_id("runs").get_by_text("succeeded")).to_have_count(4)
    expect(page.get_by_test_id("comparison").get_by_role("row")).to_have_count(5)
    assert page.evaluate("window.notReloaded")


def test_the_table_shows_the_numbers_of_the_api(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    page.goto(f"{service.url}/campaigns/{ended['id']}")
    comparison = service.get(f"/campaigns/{ended['id']}/comparison")
    shown = ("ideal_throughput_pct", "packet_delay_ms_mean", "packet_delay_ms_p99", "drops_total")
    for cell in comparison["cells"]:
        for name in shown:
            estimate = cell["metrics"][name]["estimate"]
            place = page.get_by_test_id(f"mean-{cell['index']}-{name}")
            expect(place).to_have_attribute("data-mean", str(_javascript(estimate["mean"])))
            text, width = place.inner_text().replace(",", ""), estimate["half_width"]
            if width == 0:
                assert text == f"{estimate['mean']:g} in all 3 seeds"
                continue
            mean, half = re.split(" ± ", text)
            assert float(half) == pytest.approx(width, rel=0.06)
            assert float(mean) == pytest.approx(estimate["mean"], abs=max(width * 0.06, 1e-9))


def test_the_page_explains_its_figures_and_names_the_build(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    page.goto(f"{service.url}/campaigns/{ended['id']}")
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
    page.goto(f"{service.url}/campaigns/{ended['id']}?columns=%5B%22goodput_mbps%22%5D")
    expect(page.get_by_test_id("mean-1-goodput_mbps")).to_have_text("n = 0")
    notes = page.get_by_test_id("notes")
    expect(notes).to_contain_text("broken: 0 of 2 runs (seeds 1, 2 failed: sim_crashed)")
    expect(notes).to_contain_text("no value in 2 runs (not reported): silent")
    expect(page.get_by_test_id("comparison").get_by_text("0 of 2")).to_be_visible()


def _javascript(number: float) -> float | int:
    return int(number) if number == int(number) else number


def test_bars_have_intervals_and_the_address_keeps_the_view(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    page.goto(f"{service.url}/campaigns/{ended['id']}?metric=packet_delay_ms_mean")
    chart = page.get_by_role("img", name="bar chart of packet_delay_ms_mean")
    expect(chart.locator("svg")).to_be_visible()
    expect(chart.locator("svg text", has_text="vegas")).to_be_visible()
    # Three lines an interval, three cells.
    expect(chart.locator("svg path[stroke='#222']")).to_have_count(9)
    page.get_by_role("combobox", name="Chart").click()
    page.get_by_role("option", name="drops total").click()
    expect(page).to_have_url(re.compile("metric=drops_total"))
    expect(page.get_by_role("img", name="bar chart of drops_total")).to_be_visible()


def test_a_runs_page_draws_its_fullest_queue(
    service: Service, page: Page, ended: dict[str, Any]
) -> None:
    run = service.get(f"/runs/{service.runs(ended['id'])[0]['id']}")
    page.goto(f"{service.url}/campaigns/{ended['id']}")
    page.get_by_role("link", name=run["id"][:10]).first.click()
    name = next(
        series["name"] for series in run["series"] if series["name"].startswith("queue_length")
    )
    chart = page.get_by_role("img", name=f"{name} over simulated time")
    expect(chart.locator("svg path[stroke='#0072B2']")).to_have_count(1)
    expect(page.get_by_text("4,000 samples")).to_be_visible()
    expect(page.get_by_text(f"windtunnel simulate --run {run['id'][:12]}")).to_be_visible()


def test_a_failed_run_shows_its_reason(service: Service, page: Page) -> None:
    campaign = service.wait(service.submit(tiny_campaign(name="ill", misbehave="crash"))["id"])
    page.goto(f"{service.url}/campaigns/{campaign['id']}")
    expect(page.get_by_test_id("runs")).to_contain_text("sim_crashed")
    page.get_by_role("link", name=service.runs(campaign["id"])[0]["id"][:10]).click()
    expect(page.get_by_test_id("failure")).to_contain_text("the model exploded at step 17")


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


def test_a_lost_connection_is_shown_until_it_is_back(service: Service, browser: Browser) -> None:
    page = browser.new_page()
    sign_in(page, service)
    campaign = service.submit(tiny_campaign(name="interrupted", wall=60))
    page.goto(f"{service.url}/campaigns/{campaign['id']}")
    expect(page.get_by_test_id("progress")).to_contain_text("1 running", timeout=20_000)
    api = next(part for part in service.running._parts if part.name == "API")
    api.child.kill()
    api.child.wait()
    lost = page.get_by_text(re.compile("connection to the service is lost|not responding"))
    expect(lost.first).to_be_visible(timeout=20_000)
    service.running.restart_dead()
    expect(lost).to_have_count(0, timeout=30_000)
    service.http.delete(f"/campaigns/{campaign['id']}")
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_their_width(
    service: Service, browser: Browser, ended: dict[str, Any], width: str, tmp_path: Path
) -> None:
    size = WIDTHS[width]
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    sign_in(page, service)
    run = service.runs(ended["id"])[0]["id"]
    for address in ("/", f"/campaigns/{ended['id']}", f"/runs/{run}"):
        page.goto(service.url + address)
        page.wait_for_load_state("networkidle")
        inner = page.evaluate("document.documentElement.scrollWidth")
        assert inner <= size[0], f"{address} is {inner} px wide"
        badges = page.locator(".mantine-Badge-label").all()
        for badge in badges:
            assert badge.evaluate("label => label.scrollWidth <= label.clientWidth")
    page.close()
