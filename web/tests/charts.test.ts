import { describe, expect, it } from "vitest";
import type { ComparedCell, Series } from "../src/api/client";
import { barRows, barsOption } from "../src/charts/bars";
import { seriesPoints } from "../src/charts/series";

const cell = (index: number, label: string, mean?: number, ci95: [number, number] | null = null): ComparedCell => ({
  index,
  coordinates: { algorithm: label },
  simulator: { name: "ns3", digest: "" },
  is_baseline: index === 0,
  deterministic: false,
  paired: null,
  planned: 3,
  finished: 3,
  missing: [],
  digests: {},
  runs: {},
  metrics:
    mean === undefined
      ? {}
      : {
          delay: {
            unit: "ms",
            values: {},
            estimate: { n: 3, mean, sd: null, half_width: null, ci95 },
            against_baseline: null,
            missing: [],
          },
        },
});

describe("bars", () => {
  it("keep the campaign's order and leave out cells without the metric", () => {
    const rows = barRows([cell(0, "newreno", 5, [4, 6]), cell(1, "none"), cell(2, "vegas", 1)], "delay");
    expect(rows.map((row) => [row.label, row.low, row.mean, row.high])).toEqual([
      ["newreno", 4, 5, 6],
      ["vegas", 1, 1, 1],
    ]);
  });

  it("draw one interval a bar", () => {
    const info = { name: "delay", unit: "ms", direction: "lower" as const, title: "delay", group: "", definition: "", absent: "" };
    const option = barsOption([cell(0, "a", 5, [4, 6]), cell(1, "b", 3, [2, 4])], info);
    const series = option.series as { data: unknown[] }[];
    expect(series[1]?.data).toEqual([
      [0, 4, 6],
      [1, 2, 4],
    ]);
  });
});

describe("series", () => {
  it("are drawn over seconds", () => {
    const series = { times_ns: [0, 500_000_000], values: [1, 2] } as Series;
    expect(seriesPoints(series)).toEqual([
      [0, 1],
      [0.5, 2],
    ]);
  });
});
