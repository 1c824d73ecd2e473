import { describe, expect, it } from "vitest";
import { forestScale } from "../../src/figures/forestScale";
import {
  formatCompact,
  formatInterval,
  formatRelative,
  formatRelativeSpan,
  formatSigned,
  formatTick,
  formatValue,
} from "../../src/figures/numbers";
import {
  assignLanes,
  intervalEnds,
  linearScale,
  logScale,
  logTicks,
  niceDomain,
  placeTicks,
  spreadLabels,
} from "../../src/figures/scales";

const labels = (ticks: { label: string }[]) => ticks.map(({ label }) => label);

describe("scales", () => {
  it("maps values to px", () => {
    const scale = linearScale([0, 1000], [400, 0]);
    expect([scale(0), scale(250), scale(1000)]).toEqual([400, 300, 0]);
    const log = logScale([1, 16], [0, 400]);
    expect([1, 2, 4, 16].map((value) => Math.round(log(value)))).toEqual([0, 100, 200, 400]);
    expect(log.invert(300)).toBeCloseTo(8);
  });

  it("has round ticks with few digits", () => {
    expect(labels(linearScale([0, 1000], [0, 1]).ticks)).toEqual(["0", "200", "400", "600", "800", "1,000"]);
    expect(labels(linearScale([-12.150126240365054, 3], [0, 1], 4).ticks)).toEqual(["−10", "−5", "0"]);
    expect(labels(linearScale([0, 0.004], [0, 1], 4).ticks)).toEqual(["0", "0.001", "0.002", "0.003", "0.004"]);
    expect(labels(linearScale([0, 5e6], [0, 1]).ticks)).toEqual(["0", "1M", "2M", "3M", "4M", "5M"]);
    expect(formatTick(2e-6, 1e-6)).toBe("2e−6");
  });

  it("doubles on a log axis, or counts decades", () => {
    expect(labels(logTicks([2, 1024]))).toEqual(["2", "4", "8", "16", "32", "64", "128", "256", "512", "1,024"]);
    expect(labels(logTicks([0.01, 1]))).toEqual(["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]);
    expect(labels(logTicks([1, 1e6]))).toEqual(["1", "10", "100", "1,000", "10,000", "100,000", "1M"]);
  });

  it("ends axes at round values, from 0 if values cannot be negative", () => {
    expect(niceDomain([31, 957], { floor: 0 })).toEqual([0, 1000]);
    expect(niceDomain([-40, 90], { floor: 0 })).toEqual([0, 100]);
    expect(niceDomain([-40, 90])).toEqual([-40, 100]);
    expect(niceDomain([3, 700], { log: true })).toEqual([2, 1024]);
    expect(niceDomain([0, 0], { floor: 0 })).toEqual([0, 1]);
    expect(niceDomain([])).toEqual([0, 1]);
    const many = Array.from({ length: 300_000 }, (_, i) => i);
    expect(niceDomain(many)).toEqual([0, 300_000]);
  });

  it("does not let one wide interval squash everything", () => {
    expect(Math.max(...intervalEnds([{ mean: 10, low: -1000, high: 1020 }]))).toBe(25);
  });

  it("labels doublings and leaves stubs between them", () => {
    const places = [1, 2, 4, 8, 12, 16, 24, 32, 48];
    const ticks = placeTicks(places, logScale([1, 48], [0, 800]), true);
    expect(ticks.map(({ value }) => value)).toEqual(places);
    expect(labels(ticks)).toEqual(["1", "2", "4", "8", "", "16", "", "32", ""]);
  });

  it("labels as many linear places as fit, always the ends", () => {
    const places = [0, 1, 2, 3, 100];
    const ticks = placeTicks(places, linearScale([0, 100], [0, 200]), false);
    expect(labels(ticks)).toEqual(["0", "", "", "", "100"]);
  });
});

describe("label spreading", () => {
  it("leaves labels alone that are apart", () =>
    expect(spreadLabels([10, 100, 50], 17, 0, 200)).toEqual([10, 100, 50]));

  it("moves two that collide equally far", () => expect(spreadLabels([50, 50], 20, 0, 200)).toEqual([40, 60]));

  it("never overlaps, never leaves the range, keeps the order", () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    for (let trial = 0; trial < 200; trial += 1) {
      const positions = Array.from({ length: 1 + Math.floor(random() * 20) }, () => random() ** 3 * 400);
      const spread = spreadLabels(positions, 17, 10, 390);
      const order = positions.map((_, i) => i).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
      const sorted = order.map((i) => spread[i] ?? Number.NaN);
      for (let i = 1; i < sorted.length; i += 1)
        expect((sorted[i] ?? 0) - (sorted[i - 1] ?? 0)).toBeGreaterThan(17 - 1e-6);
      expect(sorted[0]).toBeGreaterThan(10 - 1e-6);
      expect(sorted.at(-1)).toBeLessThan(390 + 1e-6);
    }
  });

  it("shares the room out if there is too little", () =>
    expect(spreadLabels([5, 5, 5], 17, 0, 20)).toEqual([0, 10, 20]));

  it("puts overlapping ranges into lanes", () => {
    expect(
      assignLanes([
        [0, 2],
        [1, 3],
        [3, 4],
        [4, 5],
      ]),
    ).toEqual([0, 1, 0, 1]);
  });
});

describe("numbers", () => {
  it("has the digits that an interval leaves", () => {
    expect(formatInterval({ mean: 782.19, low: 781.35, high: 783.03 })).toEqual({ value: "782.2", spread: " ± 0.8" });
    expect(formatInterval({ mean: 1188.6, low: 940.2, high: 1437 })).toEqual({ value: "1,189", spread: " ± 248" });
    expect(formatInterval({ mean: 899.86, low: 899.6, high: 900.12 })).toEqual({ value: "899.86", spread: " ± 0.26" });
    expect(formatInterval({ mean: 417, low: 0, high: 833 })).toEqual({ value: "417", spread: " ± 416" });
    expect(formatInterval({ mean: 10, low: 9, high: 20 })).toEqual({ value: "10", spread: " 9 to 20" });
    expect(formatInterval({ mean: 12.3456, low: null, high: null })).toEqual({ value: "12.3", spread: "" });
    expect(formatInterval({ mean: null, low: null, high: null })).toEqual({ value: "–", spread: "" });
    expect(formatValue(-0.0004, 0.5)).toBe("0.0");
  });

  it("writes ratios as percent up to double", () => {
    expect([3.94, 1.19, 0.17, 1.052, 12.4].map(formatRelative)).toEqual(["× 3.9", "+19 %", "−83 %", "+5.2 %", "× 12"]);
    expect(formatRelativeSpan(2.9, -0.2, 5.51)).toBe("0.00 to 5.5");
    expect(formatRelativeSpan(0.67, 0.21, 1.68)).toBe("−79 to +68");
    expect(formatRelativeSpan(3, 1.4, Number.POSITIVE_INFINITY)).toBe("1.40 to ?");
    expect([formatSigned(1.26, 0.4), formatSigned(-3, 1), formatSigned(0)]).toEqual(["+1.3", "−3.0", "0"]);
    expect([0.25, 7.31, 42.49, 950, 12_345, 2.5e6].map(formatCompact)).toEqual([
      "0.250",
      "7.31",
      "42.5",
      "950",
      "12k",
      "2.5M",
    ]);
  });
});

describe("forest axis", () => {
  const row = (value: number, low: number, high: number) => ({ name: "a", label: "", value, low, high, outcome: null });

  it("doubles, equally far in both directions", () => {
    const scale = forestScale("ratio", [row(3, 0.3, 5)], [0, 500]);
    expect(labels(scale.ticks)).toEqual(["÷4", "÷2", "equal", "×2", "×4", "×8"]);
    expect([0.5, 1, 2].map((ratio) => Math.round(scale(ratio)))).toEqual([100, 200, 300]);
  });

  it("ends at a factor of 16", () => {
    expect(forestScale("ratio", [row(3, -0.5, Number.POSITIVE_INFINITY)], [0, 1]).domain).toEqual([1 / 16, 16]);
  });

  it("has percent if all are near", () => {
    expect(labels(forestScale("ratio", [row(1.02, 0.96, 1.08)], [0, 1]).ticks)).toEqual(["−10 %", "equal", "+10 %"]);
  });

  it("is linear for differences", () => {
    const scale = forestScale("difference", [row(3, -1, 7)], [0, 100]);
    expect(labels(scale.ticks)).toEqual(["−2", "0", "+2", "+4", "+6", "+8"]);
  });
});
