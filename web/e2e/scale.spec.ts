/** Large lists and comparisons: 10,000 campaigns, 1,000 cells, 20,000 runs. No times: those are the benchmark's. */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, figure, open, sidewaysScroll, test } from "./pages";

const root = resolve(import.meta.dirname, "../..");
let large: { cells: string; runs: string };

test.beforeAll(() => {
  test.setTimeout(240_000);
  const answer = execFileSync(resolve(root, ".venv/bin/python"), ["-m", "tests.browser.pages_service", "large"], {
    cwd: root,
    encoding: "utf8",
  });
  large = JSON.parse(answer);
});

test("the list of 10,000 campaigns pages on", async ({ signedIn: page }) => {
  await open(page, "/campaigns");
  const rows = page.getByTestId("campaigns").locator(".camp");
  await expect(rows).toHaveCount(50);
  await page.getByRole("button", { name: "Show more than 50" }).click();
  await expect(rows).toHaveCount(100);
  await open(page, "/campaigns?q=9999");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("copy 9999");
});

test("a comparison of 1,000 cells is drawn, and its table as far as it is seen", async ({ signedIn: page }) => {
  await open(page, `/campaigns/${large.cells}/comparison`);
  await expect(figure(page).locator("[data-cell]")).toHaveCount(1000);
  const table = page.getByTestId("cells");
  await expect(table).toHaveAttribute("aria-rowcount", "1001");
  const rows = table.locator("tbody tr[aria-rowindex]");
  expect(await rows.count()).toBeLessThan(100);
  await expect(table.locator('tr[aria-rowindex="1001"]')).toHaveCount(0);
  await page.getByRole("region", { name: "Cells" }).evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await expect(table.locator('tr[aria-rowindex="1001"]')).toBeVisible();
  await page.getByLabel("Find cells").fill("200");
  await expect(rows).toHaveCount(5);
  await expect(page.getByText("5 of 1000 cells")).toBeVisible();
  expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
});

test("20,000 runs are drawn as tiles", async ({ signedIn: page }) => {
  await open(page, `/campaigns/${large.runs}`);
  const tiles = page.getByTestId("tiles");
  await expect(tiles.getByRole("button", { name: "cell 0, seed 100: succeeded" })).toBeAttached();
  const last = tiles.getByRole("button", { name: "cell 199, seed 100: succeeded" });
  await expect(last).toHaveCount(0);
  await tiles.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await last.click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f]{64}/);
});
