import { describe, expect, it } from "vitest";
import type { Campaign, CellMetric, MetricInfo, RunCounts } from "../src/api/client";
import {
  axisTitles,
  formatAmount,
  formatBuild,
  formatDifference,
  formatDuration,
  formatEstimate,
  formatNumber,
  formatProgress,
  formatUnlisted,
  metricTitleWithUnit,
  progressSegments,
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

const counts = (some: Partial<RunCounts>): RunCounts => ({ queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, ...some });
const campaignOf = (runs: RunCounts, simulated = 0): Campaign =>
  ({ runs, total_runs: Object.values(runs).reduce((sum, n) => sum + n, 0), planned_ns: 100, simulated_ns: simulated }) as Campaign;

describe("progress", () => {
  it("does not count cancelled runs as done", () => {
    expect(formatProgress(counts({ succeeded: 2, cancelled: 4 }))).toBe("2/6 runs, 4 cancelled");
    expect(formatProgress(counts({ succeeded: 1, failed: 1, queued: 2 }))).toBe("2/4 runs");
  });

  it("has a segment for each state", () => {
    expect(progressSegments(campaignOf(counts({ succeeded: 1, failed: 1, cancelled: 2 }), 30))).toEqual([
      { state: "succeeded", percent: 25 },
      { state: "failed", percent: 25 },
      { state: "cancelled", percent: 50 },
    ]);
    expect(progressSegments(campaignOf(counts({ succeeded: 1, running: 1, queued: 2 }), 35))).toEqual([
      { state: "succeeded", percent: 25 },
      { state: "running", percent: expect.closeTo(10) as number },
    ]);
    expect(progressSegments(campaignOf(counts({ queued: 3 })))).toEqual([]);
  });

  it("says how many failures are not listed", () => {
    expect(formatUnlisted(8, 5)).toBe("3 more failed runs are not listed.");
    expect(formatUnlisted(6, 5)).toBe("1 more failed run is not listed.");
    expect(formatUnlisted(5, 5)).toBe("");
  });
});

describe("axes", () => {
  it("have the shortest title that tells them apart", () => {
    expect(axisTitles(["algorithm", "topology.queue.limit"])).toEqual(["algorithm", "limit"]);
    expect(axisTitles(["workload.groups[0].algorithm", "workload.groups[1].algorithm"])).toEqual([
      "groups[0].algorithm",
      "groups[1].algorithm",
    ]);
    expect(axisTitles(["algorithm", "workload.algorithm"])).toEqual(["algorithm", "workload.algorithm"]);
  });
});
