import { describe, expect, it } from "vitest";
import { axesOf, axisTitles, isAlgorithmAxis, parseQuantity } from "../../src/pages/comparison/axes";

const cells = (axis: string, labels: string[]) => labels.map((label) => ({ coordinates: { [axis]: label } }));
const axis = (labels: string[]) => axesOf(["a"], cells("a", labels))[0];

describe("titles", () => {
  it("are the shortest that tell axes apart", () => {
    expect(axisTitles(["algorithm", "topology.queue.limit"])).toEqual(["algorithm", "limit"]);
    expect(axisTitles(["workload.groups[0].algorithm", "workload.groups[1].algorithm"])).toEqual([
      "groups[0].algorithm",
      "groups[1].algorithm",
    ]);
    expect(axisTitles(["algorithm", "workload.algorithm"])).toEqual(["algorithm", "workload.algorithm"]);
  });
});

describe("labels", () => {
  it("are quantities with a unit", () => {
    expect(parseQuantity("128KiB")).toEqual({ value: 128, unit: "KiB" });
    expect(parseQuantity("0.01")).toEqual({ value: 0.01, unit: "" });
    expect(parseQuantity("1e-3 s")).toEqual({ value: 0.001, unit: "s" });
    expect(parseQuantity("vegas")).toBeUndefined();
    expect(parseQuantity("10 parsecs")).toBeUndefined();
  });

  it("of one dimension are numbers in the first label's unit", () => {
    expect(axis(["500us", "1ms", "2s"])).toMatchObject({ unit: "us" });
    expect([...(axis(["500us", "1ms", "2s"])?.numbers?.values() ?? [])]).toEqual([500, 1000, 2_000_000]);
    expect([...(axis(["0", "1ms"])?.numbers?.values() ?? [])]).toEqual([0, 1]);
  });

  it("of several dimensions, or with a name among them, are names", () => {
    expect(axis(["10p", "10KiB"])?.numbers).toBeNull();
    expect(axis(["1", "2", "none"])?.numbers).toBeNull();
    expect(axis([])?.numbers).toBeNull();
  });

  it("keep the order in which they appear", () => {
    expect(axis(["48", "1", "48", "2"])?.labels).toEqual(["48", "1", "2"]);
  });
});

describe("an axis of algorithms", () => {
  it("has the name, or labels that are all algorithms", () => {
    expect(isAlgorithmAxis({ name: "workload.groups[0].algorithm", labels: ["mine"] })).toBe(true);
    expect(isAlgorithmAxis({ name: "congestion_control", labels: ["newreno", "vegas Alpha=1"] })).toBe(true);
    expect(isAlgorithmAxis({ name: "congestion_control", labels: ["newreno", "mine"] })).toBe(false);
    expect(isAlgorithmAxis({ name: "buffer", labels: [] })).toBe(false);
  });
});
