"""How quick the pages are in real Chromium, over the real service.

- Interactive: from the navigation, with an empty cache, until the page shows its data and the main
  thread is idle. Goals: 1.5 s for the campaigns, 1 s for a comparison of 1,000 cells. Beside them
  the same pages with little data.
- Typing: from a key to the next frame that is painted, in the filter of that comparison (Event
  Timing, the measure of Interaction to Next Paint). Goal: 100 ms for the slowest of 20 keys.
- Transferred: bytes of the first page as compressed by the service. Goal: 250 KB.

    PYTHONPATH=. .venv/bin/python bench/pages.py
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.conftest import launch, sign_in
from tests.browser.large import CAMPAIGNS, CELLS, add_large
from tests.conftest import Service, start_service, tiny_campaign
from tests.workers import paused
from windtunnel.store.database import Database

VISITS = 7
CAMPAIGNS_GOAL_MS = 1500.0
COMPARISON_GOAL_MS = 1000.0
TYPING_GOAL_MS = 100.0
FIRST_PAGE_GOAL_KB = 250.0

# Milliseconds from the navigation until `selector` matches `count` elements and the thread is idle.
INTERACTIVE = """
({selector, count}) => new Promise((resolve) => {
  const seen = () => document.querySelectorAll(selector).length >= count;
  const done = () => resolve(performance.now());
  const idle = () => requestAnimationFrame(() => requestIdleCallback(done));
  if (seen()) return idle();
  const observer = new MutationObserver(() => {
    if (!seen()) return;
    observer.disconnect();
    idle();
  });
  observer.observe(document, {childList: true, subtree: true});
})
"""
TRANSFERRED = """
() => performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"))
  .filter((entry) => !entry.name.includes("/api/"))
  .map((entry) => ({name: entry.name.split("/").pop(), bytes: entry.encodedBodySize}))
"""
OBSERVE_EVENTS = """
() => {
  window.slowest = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.interactionId) window.slowest.push(entry.duration);
    }
  }).observe({type: "event", durationThreshold: 16, buffered: false});
}
"""


@dataclass(frozen=True)
class Target:
    """A page, and what it shows once its data is there."""

    path: str
    selector: str
    count: int = 1


def main() -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for service in start_service():
            _bench(browser, service)
        browser.close()


def _bench(browser: Browser, service: Service) -> None:
    ten_cells = {"offset": [9001, 9002], "modulus": [1, 2, 3, 4, 5]}
    few = service.submit(tiny_campaign(sweep=ten_cells))["id"]
    service.wait(few)
    rows, dots = '[data-testid="campaigns"] .camp', "figure svg.fig [data-cell]"
    few_campaigns = _visits(browser, service, Target("/campaigns", rows))
    few_cells = _visits(browser, service, Target(f"/campaigns/{few}/comparison", dots, 10))
    database = Database(service.database_url, pool_size=1)
    with paused(service):
        large = add_large(service.http, database)
    database.close()
    comparison = Target(f"/campaigns/{large['cells']}/comparison", dots, CELLS)
    many_campaigns = _visits(browser, service, Target("/campaigns", rows, 50))
    many_cells = _visits(browser, service, comparison)
    heading = f"median of {VISITS} first visits, ms"
    print(f"{heading:<44}{'little data':>12}{'much':>8}{'ratio':>8}")
    _line(f"campaigns: 1, {CAMPAIGNS:,}", few_campaigns, many_campaigns, CAMPAIGNS_GOAL_MS)
    _line(f"comparison: 10 cells, {CELLS:,}", few_cells, many_cells, COMPARISON_GOAL_MS)
    _typing(browser, service, comparison)
    _first_page(browser, service)


def _line(name: str, little: float, much: float, goal: float) -> None:
    print(f"{name:<44}{little:>12.0f}{much:>8.0f}{much / little:>8.1f}   goal: {goal:.0f} ms")


def _signed_in(browser: Browser, service: Service) -> tuple[BrowserContext, Page]:
    """A page of a new context, whose cache has at most the page of the sign-in."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    sign_in(page, service)
    page.wait_for_load_state("networkidle")
    return context, page


def _visits(browser: Browser, service: Service, target: Target) -> float:
    """Median of first visits, in ms."""
    times = []
    for _ in range(VISITS):
        context, page = _signed_in(browser, service)
        _without_cache(context, page)
        times.append(_open(page, service, target))
        context.close()
    return statistics.median(times)


def _without_cache(context: BrowserContext, page: Page) -> None:
    context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})


def _open(page: Page, service: Service, target: Target) -> float:
    page.goto(service.url + target.path, wait_until="commit")
    selector = {"selector": target.selector, "count": target.count}
    return float(page.evaluate(INTERACTIVE, selector))


def _typing(browser: Browser, service: Service, target: Target) -> None:
    """Each key alone: filters that leave many cells and few, and back by Backspace."""
    context, page = _signed_in(browser, service)
    _open(page, service, target)
    field = page.get_by_label("Find cells")
    field.click()
    page.evaluate(OBSERVE_EVENTS)
    for key in [*"1", "Backspace", *"19", *["Backspace"] * 2, *"modulus", *["Backspace"] * 7]:
        page.keyboard.press(key)
        page.wait_for_timeout(300)
    slowest = sorted(page.evaluate("window.slowest"))
    print(
        f"a key in the filter of {CELLS:,} cells: median {statistics.median(slowest):.0f} ms, "
        f"slowest {slowest[-1]:.0f} ms   goal: {TYPING_GOAL_MS:.0f} ms"
    )
    context.close()


def _first_page(browser: Browser, service: Service) -> None:
    context, page = _signed_in(browser, service)
    _without_cache(context, page)
    page.goto(f"{service.url}/campaigns", wait_until="networkidle")
    sizes = {entry["name"]: entry["bytes"] for entry in page.evaluate(TRANSFERRED)}
    fonts = sum(size for name, size in sizes.items() if name.endswith(".woff2"))
    total = sum(sizes.values())
    print(
        f"first page: {total / 1000:.0f} KB transferred, {fonts / 1000:.0f} KB of it fonts   "
        f"goal: {FIRST_PAGE_GOAL_KB:.0f} KB"
    )
    context.close()


if __name__ == "__main__":
    main()
