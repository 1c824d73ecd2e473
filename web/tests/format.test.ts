import { describe, expect, it } from "vitest";
import type { CellMetric } from "../src/api/client";
import {
  formatAmount,
  formatDifference,
  formatDuration,
  formatEstimate,
  formatNumber,
  metricTitle,
} from "../src/format";

const metric = (mean: number, ci95: [number, number] | null, relative?: [number, [number, number] | null]): CellMetric => ({
  unit: "",
  values: {},
  estimate: { n: 3, mean, sd: null, ci95 },
  against_baseline: relative
    ? {
        difference: { n: 3, mean: -1, sd: null, ci95: null },
        relative_mean: relative[0],
        relative_ci95: relative[1],
      }
    : null,
});

describe("figures", () => {
  it("keep the digits that their interval leaves meaningful, as the command line does", () => {
    expect(formatEstimate(metric(12.3456, [11.7356, 12.9556]))).toBe("12.35 ± 0.61");
    expect(formatEstimate(metric(1480.2, [1360.2, 1600.2]))).toBe("1,480 ± 120");
    expect(formatEstimate(metric(0, [0, 0]))).toBe("0 ± 0");
    expect(formatEstimate(metric(579, null))).toBe("579");
    expect(formatNumber(4.855570053)).toBe("4.856");
  });

  it("are relative to the baseline where that is possible", () => {
    expect(formatDifference(metric(1, null, [-0.756, [-0.857, -0.655]]))).toBe("−75.6 % ± 10.1");
    expect(formatDifference(metric(1, null, [0.05, null]))).toBe("+5.0 %");
    expect(formatDifference(metric(1, null))).toBe("");
  });

  it("have readable units", () => {
    expect([0.4, 59, 70, 7500].map(formatDuration)).toEqual(["0 s", "59 s", "1 min 10 s", "2 h 5 min"]);
    expect([12, 1234, 1.9e6, 2e9].map(formatAmount)).toEqual(["12", "1.2 k", "1.9 M", "2.0 G"]);
    expect(metricTitle("packet_delay_ms_p99")).toBe("packet delay p99");
    expect(metricTitle("goodput_mbps:newcomer")).toBe("goodput newcomer");
  });
});
