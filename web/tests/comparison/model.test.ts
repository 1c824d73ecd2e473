import { describe, expect, it } from "vitest";
import { axesOf } from "../../src/pages/comparison/axes";
import {
  buildModel,
  isNonNegative,
  parseWhere,
  rankingAt,
  toWhere,
  unknownParts,
} from "../../src/pages/comparison/model";
import { rankRows, tieSpans } from "../../src/pages/comparison/RankedDots";
import { nextSort, parseSort, sortRows } from "../../src/pages/comparison/sorting";
import { relevanceZone } from "../../src/pages/comparison/TradeOff";
import { incast, measured, metric } from "./fixtures";

const model = (view = {}) => {
  const built = buildModel(incast(), view);
  if (!built) throw new Error("no model");
  return built;
};

describe("the view follows from the data", () => {
  it("shows the family's metric over the numeric axis, a line an algorithm", () => {
    const shown = model();
    expect(shown.metric.name).toBe("goodput");
    expect(shown.x?.name).toBe("workload.servers");
    expect(shown.chart).toBe("line");
    expect(shown.log).toBe(true);
    expect(shown.groups.map(({ key, baseline, cells }) => [key, baseline, cells.length])).toEqual([
      ["newreno", true, 3],
      ["cubic", false, 3],
    ]);
    expect(shown.columns.map(({ name }) => name)).toEqual(["drops"]);
  });

  it("looks where the difference with a verdict is largest, or where the address says", () => {
    expect(model().at).toBe("8");
    expect(model({ at: "32" }).at).toBe("32");
    expect(model({ at: "7" }).at).toBe("8");
    expect(model({ at: "32.0" }).at).toBe("32");
  });

  it("can be changed", () => {
    const shown = model({ metric: "drops", x: "none", facet: "none", chart: "heat", scale: "linear" });
    expect([shown.metric.name, shown.x, shown.chart, shown.log]).toEqual(["drops", null, "heat", false]);
    expect(shown.groups.map(({ key }) => key)).toContain("cubic / 32");
  });

  it("filters cells without losing the axes' labels", () => {
    const shown = model({ where: ["algorithm=cubic", "workload.servers=1", "workload.servers=8"] });
    expect(shown.cells.map(({ index }) => index)).toEqual([3, 4]);
    expect(shown.axes[0]?.labels).toEqual(["newreno", "cubic"]);
  });

  it("names what it can't show", () => {
    const comparison = incast();
    const axes = axesOf(comparison.axes, comparison.cells);
    const view = { metric: "speed", x: "topology.k", where: ["algorithm=reno", "algorithm=cubic"] };
    expect(unknownParts(view, comparison, axes)).toEqual([
      "no run reports the metric speed",
      "topology.k is not an axis of this campaign",
      "the filter algorithm=reno fits no cell",
    ]);
    expect(toWhere(parseWhere(view.where, axes))).toEqual(["algorithm=cubic"]);
  });
});

describe("ranks", () => {
  it("are the server's, at the chosen place", () => {
    const comparison = incast();
    expect(rankingAt(comparison, model())?.places[0]?.cell).toBe(4);
    expect(rankingAt(comparison, model({ at: "32" }))).toBeUndefined();
    const { rows } = rankRows(comparison, model(), metric("goodput"));
    expect(rows.map(({ name, rank }) => [name, rank])).toEqual([
      ["cubic", 1],
      ["newreno", 2],
    ]);
  });

  it("that are shared are bracketed", () => {
    const row = (rank: number, tied: boolean) => ({ rank, tied });
    expect(tieSpans([row(1, false), row(2, true), row(2, true), row(4, true), row(4, true)])).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(tieSpans([row(1, true)])).toEqual([]);
  });
});

describe("sorting", () => {
  const order = (sort: string) => sortRows(model().cells, parseSort(sort), model()).map(({ index }) => index);

  it("is by number where labels are numbers", () => {
    expect(order("-workload.servers")).toEqual([2, 5, 1, 4, 0, 3]);
  });

  it("has cells without a value last, both ways", () => {
    expect(order("verdict")).toEqual([4, 3, 5, 0, 1, 2]);
    expect(order("-verdict")).toEqual([5, 3, 4, 0, 1, 2]);
  });

  it("goes from ascending to descending to the order of submission", () => {
    expect(nextSort(parseSort(undefined), "value")).toBe("value");
    expect(nextSort(parseSort("value"), "value")).toBe("-value");
    expect(nextSort(parseSort("-value"), "value")).toBeUndefined();
  });
});

describe("axes of values", () => {
  it("start at zero unless a value is negative", () => {
    const { cells } = model();
    expect(isNonNegative(cells, "goodput")).toBe(true);
    expect(isNonNegative([{ ...(cells[0] as (typeof cells)[0]), metrics: { goodput: measured(-1) } }], "goodput")).toBe(
      false,
    );
  });

  it("show the relevance threshold in their own unit only", () => {
    expect(relevanceZone(metric("goodput"), true)).toBe(0.05);
    expect(relevanceZone(metric("goodput"), false)).toBeNull();
    expect(relevanceZone({ ...metric("delay"), relevance: "1 ms" }, false)).toBe(1);
    expect(relevanceZone({ ...metric("drops"), relevance: "none" }, true)).toBeNull();
  });
});
