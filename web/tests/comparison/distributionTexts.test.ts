import { describe, expect, it } from "vitest";
import type { Distributions } from "../../src/api/client";
import { cdfCaption, cdfTitle } from "../../src/pages/comparison/distributionTexts";

const cell = (index: number, n_values: number, n_missing: number, n_seeds: number) => ({
  cell: index,
  coordinates: {},
  n_values,
  n_missing,
  n_seeds,
  points: [],
});

const answer = (of: Distributions["of"], ...cells: Distributions["cells"]): Distributions => ({
  of,
  field: "f",
  title: of === "packets" ? "packet delay" : "flow completion time",
  unit: "ms",
  available: [],
  cells,
});

const label = (index: number) => ["cubic", "vegas", "bbr"][index] ?? "";

describe("the CDF's texts", () => {
  it("say what the fractions are of", () => {
    expect(cdfTitle(answer("flows"))).toBe("CDF over flows");
    expect(cdfTitle(answer("packets"))).toBe("CDF of packet delay");
  });

  it("count packets", () => {
    expect(cdfCaption(answer("packets", cell(0, 1234567, 0, 5), cell(1, 1, 0, 1)), label)).toBe(
      "Data packets of all flows and seeds pooled: cubic 1,234,567 packets of 5 seeds; vegas 1 packet of 1 seed.",
    );
  });

  it("count flows, also those without a value, and name cells without flows", () => {
    expect(cdfCaption(answer("flows", cell(0, 117, 3, 5), cell(1, 120, 0, 5), cell(2, 0, 0, 0)), label)).toBe(
      "Flows of all seeds pooled: cubic 117 flows of 5 seeds (3 of 120 flows without a value); vegas 120 flows of 5 " +
        "seeds. None of bbr. Flows without a value, such as unfinished transfers, are left out.",
    );
    expect(cdfCaption(answer("flows", cell(0, 120, 0, 5)), label)).toBe(
      "Flows of all seeds pooled: cubic 120 flows of 5 seeds.",
    );
  });

  it("say of a cell in which no flow has a value that it has none", () => {
    expect(cdfCaption(answer("flows", cell(0, 0, 4, 2)), label)).toContain(
      "cubic 0 flows of 2 seeds (4 of 4 flows without a value)",
    );
  });
});
