/** From an empty service to a figure in a paper and an address for a colleague. */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import type { Comparison, Run } from "../src/api/client";
import { expect, figure, get, open, pages, signIn, test } from "./pages";

const service = pages.empty;

/** What a button of the first figure saves. */
async function saved(page: Page, button: string): Promise<{ name: string; content: Buffer }> {
  const started: Promise<Download> = page.waitForEvent("download");
  await page.getByRole("button", { name: button, exact: true }).first().click();
  const download = await started;
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
}

test("from a template to a figure and an address", async ({ page, browser }) => {
  test.setTimeout(300_000);
  await signIn(page, service);
  await expect(page.getByText("No campaign yet.")).toBeVisible();
  await page.getByRole("link", { name: "Start from a template" }).click();
  await page.getByTestId("templates").getByRole("link", { name: "incast" }).first().click();

  const editor = page.getByRole("textbox", { name: "Campaign file" });
  await expect(page.getByTestId("size")).toContainText("21 cells × 5 seeds = 105 runs");
  const shorter = (await editorText(page))
    .replace("replications: 5", "replications: 3")
    .replace("duration: 1s", "duration: 600ms")
    .replace("[1, 2, 4, 8, 16, 32, 48]", "[1, 4, 16, 48]")
    .replace("family:", "series_of_flows: none\nfamily:");
  await editor.fill(shorter);
  await expect(page.getByTestId("problems")).toContainText("series_of_flows");
  await expect(page.getByRole("button", { name: "Submit" })).toBeDisabled();
  await editor.fill(
    shorter
      .replace("series_of_flows: none\n", "")
      .replace("- {probe: queue_length, at: bottleneck, step: 1ms}", "- {probe: cwnd, at: flows, step: 1ms}"),
  );
  await expect(page.getByTestId("size")).toContainText("12 cells × 3 seeds = 36 runs");
  await page.getByRole("button", { name: "Submit 36 runs" }).click();

  await expect(page).toHaveURL(/\/campaigns\/[0-9a-f]+$/);
  await page.evaluate("window.notReloaded = true");
  await expect(page.getByTestId("progress")).toContainText("36/36 runs", { timeout: 200_000 });
  expect(await page.evaluate("window.notReloaded")).toBe(true);
  const id = /campaigns\/([0-9a-f]+)/.exec(page.url())?.[1] ?? "";
  const comparison = await get<Comparison>(`/campaigns/${id}/comparison?default=true`, service);
  const headline = comparison.headlines.round_goodput_mbps ?? "";
  expect(headline).not.toBe("");
  const plain = (text: string) => text.replaceAll(/[()\s]/g, "");
  await expect.poll(async () => plain((await page.getByTestId("headline").textContent()) ?? "")).toBe(plain(headline));

  await page.getByRole("link", { name: "See the comparison" }).click();
  await expect(page.getByRole("combobox", { name: "Figure" })).toHaveValue("line");
  await expect(page.getByLabel("Scale")).toHaveValue("log");
  await expect(figure(page).locator("path.band")).toHaveCount(3);
  await exports(page, comparison);
  const view = "?metric=round_goodput_mbps&at=48&scale=log";
  await open(page, `/campaigns/${id}/comparison${view}`, service);
  await openWorstRun(page, comparison);
  await compareWindows(page, id);

  const address = page.url();
  const other = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await signIn(other, service);
  await other.goto(address);
  await expect(other.locator("path.signal.overlay").first()).toBeVisible();
  for (const selector of ["path.signal", ".controls b", "h1"])
    expect(await other.locator(selector).count()).toBe(await page.locator(selector).count());
  expect(await other.locator(".controls select").first().inputValue()).toBe(
    await page.locator(".controls select").first().inputValue(),
  );
  await other.context().close();
});

/** All of the editor's text, also what is not drawn: read from the draft's source. */
async function editorText(page: Page): Promise<string> {
  const { templates } = await get<{ templates: { name: string; file: string }[] }>("/templates", service);
  await expect(page.getByRole("textbox", { name: "Campaign file" })).toContainText("name: incast");
  return templates.find((template) => template.name === "incast")?.file ?? "";
}

async function exports(page: Page, comparison: Comparison): Promise<void> {
  const svg = await saved(page, "SVG");
  expect(svg.name).toMatch(/\.svg$/);
  const blank = await page.context().newPage(); // without the pages' Trusted Types
  const paths = await blank.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    return parsed.querySelector("parsererror") ? -1 : parsed.querySelectorAll("path").length;
  }, svg.content.toString());
  await blank.close();
  expect(paths).toBeGreaterThanOrEqual(3 + 3 + comparison.cells.length);
  const png = await saved(page, "PNG");
  expect(png.content.subarray(1, 4).toString()).toBe("PNG");
  expect(png.content.readUInt32BE(16)).toBeGreaterThan(1000);
  const csv = await saved(page, "CSV");
  const [head = "", ...rows] = csv.content.toString().trim().split("\r\n");
  const mean = head.split(",").indexOf("round_goodput_mbps mean");
  expect(rows.map((row) => Number(row.split(",")[mean])).sort()).toEqual(
    comparison.cells.map((cell) => cell.metrics.round_goodput_mbps?.estimate?.mean ?? 0).sort(),
  );
}

/** From the table, sorted by the metric, to the first run of the worst cell. */
async function openWorstRun(page: Page, comparison: Comparison): Promise<void> {
  const mean = (cell: Comparison["cells"][number]) => cell.metrics.round_goodput_mbps?.estimate?.mean ?? 0;
  const worst = [...comparison.cells].sort((a, b) => mean(a) - mean(b))[0];
  const table = page.getByTestId("cells");
  const heading = table.getByRole("columnheader").filter({ has: page.locator("button") });
  await heading
    .filter({ hasText: /goodput/i })
    .first()
    .getByRole("button")
    .click();
  if (
    (await heading
      .filter({ hasText: /goodput/i })
      .first()
      .getAttribute("aria-sort")) === "descending"
  )
    await heading
      .filter({ hasText: /goodput/i })
      .first()
      .getByRole("button")
      .click();
  await expect(table.locator("tbody tr").first().getByTestId(`value-${worst?.index}`)).toBeVisible();
  await table.locator("tbody tr").first().locator("td.runs a").click();
  await expect(page).toHaveURL(new RegExp(`/runs/${Object.values(worst?.runs ?? {})[0]}`));
}

/** The congestion windows of two algorithms over each other. */
async function compareWindows(page: Page, campaign: string): Promise<void> {
  const current = await get<Run>(`/runs/${/runs\/([0-9a-f]+)/.exec(page.url())?.[1]}`, service);
  expect(current.campaigns).toContain(campaign);
  const over = page.getByLabel("Laid over it");
  const runs = async () => {
    const values = await over
      .locator("option")
      .evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
    return values.filter((value) => /^[0-9a-f]{64}$/.test(value));
  };
  await expect.poll(async () => (await runs()).length).toBeGreaterThan(0);
  await over.selectOption((await runs())[0] ?? "");
  await expect(page).toHaveURL(/over=/);
  await expect(page.locator("path.signal.overlay").first()).toBeVisible();
  await expect(page.locator("path.signal:not(.overlay)").first()).toBeVisible();
}
