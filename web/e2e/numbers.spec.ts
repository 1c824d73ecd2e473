/** Pages show no number that the API did not give: everything is found again in its JSON by the pages' formatter. */
import type { CellMetric, Comparison } from "../src/api/client";
import { formatInterval, formatRelative, formatSigned } from "../src/figures/numbers";
import { expect, get, open, pages, test } from "./pages";

/** A cell's text for a metric, as the table has it. */
function estimateText(metric: CellMetric | undefined, planned: number): string {
  const estimate = metric?.estimate;
  if (!estimate) return "–";
  const [low, high] = estimate.ci95 ?? [estimate.mean, estimate.mean];
  const { value, spread } = formatInterval({ mean: estimate.mean, low, high });
  return value + spread + (estimate.n < planned ? ` n = ${estimate.n}` : "");
}

function differenceText(metric: CellMetric | undefined): string {
  const difference = metric?.against_baseline;
  if (!difference) return "";
  if (difference.relative_mean === null) return formatSigned(difference.mean, difference.half_width);
  return difference.relative_mean === 0 ? "0 %" : formatRelative(1 + difference.relative_mean);
}

for (const name of ["incast", "coexistence", "completion-times", "two-flows"] as const) {
  test(`the comparison of ${name}`, async ({ signedIn: page }) => {
    const id = pages.campaigns[name];
    const comparison = await get<Comparison>(`/campaigns/${id}/comparison?default=true`);
    const primary = [...comparison.family.metrics, ...comparison.default_metrics].find((metric) =>
      comparison.metrics.some((known) => known.name === metric),
    );
    expect(primary).toBeDefined();
    await open(page, `/campaigns/${id}/comparison`);
    const rows = page.getByTestId("cells").locator("tbody tr");
    await expect(rows).toHaveCount(comparison.cells.length);
    for (const cell of comparison.cells) {
      const value = page.getByTestId(`value-${cell.index}`);
      const metric = cell.metrics[primary ?? ""];
      await expect(value).toHaveText(estimateText(metric, cell.planned));
      const row = rows.filter({ has: value });
      await expect(row.locator("td.d")).toHaveText(differenceText(metric));
      const others = comparison.default_metrics
        .filter((other) => other !== primary && comparison.metrics.some((known) => known.name === other))
        .map((other) => estimateText(cell.metrics[other], cell.planned));
      expect(await row.locator("td.v2").allInnerTexts()).toEqual(others);
      if (!cell.is_baseline && metric?.verdict) await expect(row.locator(".chip")).toHaveText(metric.verdict.label);
    }
  });

  test(`the figures' tables of ${name}`, async ({ signedIn: page }) => {
    const id = pages.campaigns[name];
    const json = new Set<string>();
    collect(await get<unknown>(`/campaigns/${id}/comparison?default=true`), json);
    await open(page, `/campaigns/${id}/comparison`);
    const texts = await page
      .locator(".fig-table td.r")
      .evaluateAll((cells) => cells.map((cell) => cell.textContent ?? ""));
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter((text) => text !== "–" && !json.has(text))).toEqual([]);
  });
}

/** Every number of a JSON value, as JavaScript writes it. */
function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "number") into.add(String(value));
  else if (value && typeof value === "object") for (const item of Object.values(value)) collect(item, into);
}
