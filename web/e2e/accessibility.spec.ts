/** No violation that axe knows on any page, in both themes, wide and narrow; titles, headings and the keyboard. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, loaded, open, pages, sidewaysScroll, signIn, test } from "./pages";

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
const { campaigns, run, failed } = pages;
const comparison = (name: keyof typeof campaigns, view = "") => `/campaigns/${campaigns?.[name]}/comparison${view}`;

const ADDRESSES: Record<string, string> = {
  list: "/campaigns",
  "filtered list": "/campaigns?q=nothing-has-this-name",
  start: "/new",
  editor: "/new?template=incast",
  overview: `/campaigns/${campaigns?.incast}`,
  "overview with failures": `/campaigns/${campaigns?.failing}`,
  "lines with bands": comparison("incast"),
  dots: comparison("incast", "?chart=dots"),
  heat: comparison("incast", "?chart=heat"),
  seeds: comparison("incast", "?chart=seeds"),
  coexistence: comparison("coexistence"),
  cdf: comparison("completion-times", "?chart=cdf"),
  against: comparison("incast", `?against=${campaigns?.["completion-times"]}`),
  runs: `/campaigns/${campaigns?.incast}/runs`,
  file: `/campaigns/${campaigns?.incast}/file`,
  signals: `/runs/${run}`,
  flows: `/runs/${run}?tab=flows`,
  topology: `/runs/${run}?tab=topology`,
  log: `/runs/${run}?tab=log`,
  specification: `/runs/${run}?tab=specification`,
  "failed run": `/runs/${failed}`,
  compare: `/compare?a=${campaigns?.incast}`,
  algorithms: "/catalogue",
  topologies: "/catalogue?tab=topologies",
  workloads: "/catalogue?tab=workloads",
  metrics: "/catalogue?tab=metrics",
  simulators: "/catalogue?tab=simulators",
  tokens: "/tokens",
  system: "/system",
  "not found": "/no/such/page",
};

/** What axe finds, a line each. */
async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).analyze();
  // The editor's scroller contains the text itself, which has the focus.
  const others = found.violations.filter(({ nodes }) => nodes.some(({ html }) => !html.includes("cm-scroller")));
  return others.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 4)
        .map(({ html }) => html.slice(0, 160))
        .join(" | ")}`,
  );
}

/** Half of the combinations by default; all four with PAGES_ALL=1. */
const isSkipped = (theme: string, size: string) =>
  process.env.PAGES_ALL !== "1" && (theme === "dark") !== (size === "narrow");

for (const theme of ["light", "dark"] as const) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    if (isSkipped(theme, size)) continue;
    test.describe(`${theme}, ${size}`, () => {
      test.use({ viewport, colorScheme: theme });

      test("every page", async ({ page }) => {
        test.setTimeout(600_000);
        await signIn(page);
        const titles = new Map<string, string>();
        for (const [name, address] of Object.entries(ADDRESSES)) {
          await test.step(name, async () => {
            await open(page, address);
            if (name === "editor") await expect(page.getByTestId("size")).toBeVisible();
            expect.soft(await violations(page), name).toEqual([]);
            expect.soft(await page.locator("h1").count(), `h1 of ${name}`).toBe(1);
            expect.soft(await sidewaysScroll(page), `${name} scrolls sideways`).toBeLessThanOrEqual(0);
            const title = await page.title();
            expect.soft(title, name).toMatch(/ · Windtunnel$/);
            const [path = ""] = address.split("?");
            expect.soft(titles.get(title) ?? path, `${name} has a title of its own`).toBe(path);
            titles.set(title, path);
          });
        }
      });

      test("the sign-in", async ({ page }) => {
        await page.goto(pages.url);
        await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
        expect(await violations(page)).toEqual([]);
        expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
        expect(await page.title()).toBe("Sign in · Windtunnel");
      });
    });
  }
}

test.describe("the keyboard", () => {
  test("shortcuts search, explain, and walk through rows", async ({ signedIn: page }) => {
    await open(page, "/campaigns");
    await page.keyboard.press("/");
    await expect(page.getByLabel("Search campaigns")).toBeFocused();
    await page.keyboard.type("incast");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/q=incast/);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Campaigns" }).click();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await open(page, "/campaigns");
    const rows = page.locator("[data-row]");
    await page.keyboard.press("j");
    await expect(rows.nth(0)).toBeFocused();
    await page.keyboard.press("j");
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press("k");
    await expect(rows.nth(0)).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/campaigns\/[0-9a-f]+/);
  });

  test("Tab reaches the main controls in order", async ({ signedIn: page }) => {
    await open(page, comparison("incast"));
    await loaded(page);
    const order: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press("Tab");
      order.push(
        await page.evaluate(() => {
          const element = document.activeElement as HTMLElement;
          return (
            element.getAttribute("aria-label") ??
            element.closest("label")?.querySelector("span")?.textContent ??
            element.textContent ??
            ""
          ).trim();
        }),
      );
    }
    const wanted = [
      "Skip to the content",
      "Campaigns",
      "Search campaigns",
      "Comparison",
      "Metric",
      "Figure",
      "SVG",
      "CSV",
    ];
    const places = wanted.map((name) => order.indexOf(name));
    expect(order).toEqual(expect.arrayContaining(wanted));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});
