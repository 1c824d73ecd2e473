/** The four figures of the field: one view each, drawn from simulated data. */
import { resolve } from "node:path";
import type { Locator, Page } from "@playwright/test";
import type { Comparison, Run } from "../src/api/client";
import { expect, figure, get, open, pages, test } from "./pages";

const images = resolve(import.meta.dirname, "../../docs/images");

/** With UPDATE_SCREENSHOTS=1, write a picture of the documentation. */
async function picture(page: Page, name: string): Promise<void> {
  if (process.env.UPDATE_SCREENSHOTS !== "1") return;
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${images}/${name}.png`, animations: "disabled" });
}

const comparisonOf = (id: string) => get<Comparison>(`/campaigns/${id}/comparison?default=true`);
const paths = (place: Locator) => place.evaluateAll((all) => all.map((path) => path.getAttribute("d") ?? ""));

test("goodput against the number of servers, with bands", async ({ signedIn: page }) => {
  const id = pages.campaigns.incast;
  const { cells } = await comparisonOf(id);
  await open(page, `/campaigns/${id}/comparison`);
  const algorithms = new Set(cells.map((cell) => cell.coordinates.congestion_control));
  await expect(figure(page).locator("path.band")).toHaveCount(algorithms.size);
  await expect(figure(page).locator("path.ln")).toHaveCount(algorithms.size);
  const valued = cells.filter((cell) => cell.metrics.round_goodput_mbps?.estimate);
  expect(valued.length).toBeGreaterThan(10);
  await expect(figure(page).locator("[data-cell]")).toHaveCount(valued.length);
  for (const path of await paths(figure(page).locator("path.band"))) expect(path).toMatch(/^M[\d.-]+,.*Z$/);
  await expect(figure(page)).toContainText("log scale");
  await picture(page, "incast");
});

test("the CDF of completion times", async ({ signedIn: page }) => {
  const id = pages.campaigns["completion-times"];
  const { cells } = await comparisonOf(id);
  await open(page, `/campaigns/${id}/comparison?chart=cdf`);
  await expect(figure(page).locator("path.ln")).toHaveCount(cells.length);
  const shown = await page.getByLabel("Quantity").inputValue();
  const drawn = await get<{ cells: { points: number[][]; n_values: number }[] }>(
    `/campaigns/${id}/distributions?field=${shown}&${cells.map((cell) => `cell=${cell.index}`).join("&")}`,
  );
  const [path = ""] = await paths(figure(page).locator("path.ln"));
  expect(path.length).toBeGreaterThan((drawn.cells[0]?.points.length ?? 0) * 2);
  for (const cell of drawn.cells)
    await expect(page.locator("figcaption").first()).toContainText(`${cell.n_values.toLocaleString("en-US")} flow`);
  await picture(page, "completion-times");

  await page.getByLabel("Quantity").selectOption("packet_delay_ms");
  await expect(page.getByRole("heading", { name: /^CDF of packet delay/ })).toBeVisible();
  await expect(figure(page).locator("path.ln")).toHaveCount(cells.length);
  await expect(page.locator("figcaption").first()).toContainText(/[\d,]+ packets of \d+ seeds?/);
});

test("the coexistence heat map", async ({ signedIn: page }) => {
  const id = pages.campaigns.coexistence;
  const comparison = await comparisonOf(id);
  const [matrix] = comparison.coexistence;
  await open(page, `/campaigns/${id}/comparison`);
  await expect(figure(page)).toHaveAttribute("aria-label", /share of the max-min fair rate/);
  expect(matrix?.shares.length).toBe(16);
  await expect(figure(page).locator("g[data-tone]")).toHaveCount(16);
  await picture(page, "coexistence");
});

test("cwnd and queue over time", async ({ signedIn: page }) => {
  const run = await get<Run>(`/runs/${pages.run}`);
  await open(page, `/runs/${pages.run}?over=none`);
  const drawing = figure(page);
  await expect(drawing).toHaveAttribute("aria-label", /over simulated time/);
  const shown = run.series.filter(({ name }) => /^(cwnd|queue_length|goodput)/.test(name));
  expect(shown.length).toBeGreaterThan(2);
  await expect.poll(() => drawing.locator("path.signal").count()).toBeGreaterThan(2);
  for (const path of await paths(drawing.locator("path.signal"))) expect(path).not.toBe("");
  await expect(drawing).toContainText("packets");
  await picture(page, "run");
});
