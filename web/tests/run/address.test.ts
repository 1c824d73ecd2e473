import { describe, expect, it } from "vitest";
import { changed } from "../../src/pages/run/useChange";

describe("the address of a run", () => {
  it("keeps what is laid over, the series and the time from tab to tab", () => {
    const old = { tab: "signals", campaign: "c", over: "2", series: ["cwnd flow0"], from: 1, to: 2 } as const;
    expect(changed(old, { tab: "flows" })).toEqual({ ...old, tab: "flows" });
  });

  it("loses what is set to undefined, and what was rejected", () => {
    const old = { over: "2", from: 1, nonsense: undefined, rejected: ["nonsense is not a parameter of this page"] };
    expect(Object.entries(changed(old, { from: undefined }))).toEqual([["over", "2"]]);
  });
});
