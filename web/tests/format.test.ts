import { describe, expect, it } from "vitest";
import type { Campaign, CampaignDetail, RunCounts } from "../src/api/client";
import { formatProgress, formatPruned, formatSize, formatStorage, progressSegments } from "../src/format";

describe("storage", () => {
  const storage = { shared_bytes: 0, runs_without_series: 0, runs_without_logs: 0 };
  const campaign = { stored_bytes: 3 * 2 ** 20, keep: false, pruned_runs: 0, storage } as CampaignDetail;

  it("is in bytes of powers of two, as on the command line", () => {
    expect([0, 1023, 1536, 2 ** 20, 1.9 * 2 ** 30].map(formatSize)).toEqual([
      "0 B",
      "1023 B",
      "1.5 KiB",
      "1 MiB",
      "1.9 GiB",
    ]);
    expect(formatStorage(campaign)).toBe("3 MiB stored");
    expect(formatStorage({ ...campaign, keep: true, storage: { ...storage, shared_bytes: 2 ** 20 } })).toBe(
      "3 MiB stored, 1 MiB of it shared with other campaigns; kept",
    );
  });

  it("says what was pruned", () => {
    expect(formatPruned(campaign)).toBe("");
    expect(
      formatPruned({
        ...campaign,
        pruned_runs: 2,
        storage: { ...storage, runs_without_series: 3, runs_without_logs: 4 },
      }),
    ).toBe(
      "2 runs were pruned after it was cancelled; the series of 3 runs were pruned; the logs of 4 runs were pruned",
    );
  });
});

const counts = (some: Partial<RunCounts>): RunCounts => ({
  queued: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  ...some,
});
const campaignOf = (runs: RunCounts, simulated = 0): Campaign =>
  ({
    runs,
    total_runs: Object.values(runs).reduce((sum, n) => sum + n, 0),
    planned_ns: 100,
    simulated_ns: simulated,
  }) as Campaign;

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
});
