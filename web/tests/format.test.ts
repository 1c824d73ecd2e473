import { describe, expect, it } from "vitest";
import type { CellMetric, MetricInfo } from "../src/api/client";
import {
  formatAmount,
  formatBuild,
  formatDifference,
  formatDuration,
  formatEstimate,
  formatNumber,
  metricTitleWithUnit,
} from "../src/format";

const metric = (mean: number, half: number | null, relative?: [number | null, number | null]): CellMetric => ({
  unit: "",
  values: { 1: mean, 2: mean, 3: mean },
  estimate: { n: 3, mean, sd: null, half_width: half, ci95: null },
  missing: [],
  against_baseline: relative
    ? {
        paired: true,
        n: 3,
        mean: -3,
        half_width: 0.25,
        ci95: null,
        relative_mean: relative[0],
        relative_half_width: relative[1],
        relative_ci95: null,
      }
    : null,
});

describe("figures", () => {
  it("keep the digits that their interval leaves meaningful, as the command line does", () => {
    expect(formatEstimate(metric(12.3456, 0.61), 3)).toBe("12.35 ± 0.61");
    expect(formatEstimate(metric(1480.2, 120), 3)).toBe("1,480 ± 120");
    expect(formatEstimate(metric(579, null), 3)).toBe("579");
    expect(formatNumber(4.855570053)).toBe("4.856");
  });

  it("say how many seeds they are made of", () => {
    expect(formatEstimate(metric(0, 0), 3)).toBe("0 in all 3 seeds");
    expect(formatEstimate(metric(12.3456, 0.61), 5)).toBe("12.35 ± 0.61 (n = 3)");
    expect(formatEstimate({ ...metric(0, 0), values: {}, estimate: null }, 3)).toBe("n = 0");
  });

  it("are relative to the baseline where that is possible", () => {
    expect(formatDifference(metric(1, null, [-0.756, 0.101]))).toBe("−75.6 % ± 10.1");
    expect(formatDifference(metric(1, null, [0.05, null]))).toBe("+5.0 %");
    expect(formatDifference(metric(1, null, [null, null]))).toBe("-3.00 ± 0.25");
    expect(formatDifference(metric(1, null))).toBe("");
  });

  it("have readable units", () => {
    expect([0.4, 59, 70, 7500].map(formatDuration)).toEqual(["0 s", "59 s", "1 min 10 s", "2 h 5 min"]);
    expect([12, 1234, 1.9e6, 2e9].map(formatAmount)).toEqual(["12", "1.2 k", "1.9 M", "2.0 G"]);
    const delay = { title: "packet delay p99", unit: "ms" } as MetricInfo;
    expect(metricTitleWithUnit(delay)).toBe("packet delay p99 (ms)");
    expect(formatBuild({ name: "tiny", digest: "2cbfa375".padEnd(64, "0"), built_at: null })).toBe("tiny 2cbfa375");
  });
});
