import { describe, expect, it } from "vitest";
import { type HeatCell, HeatMap, type HeatMapProps } from "../../src/figures/HeatMap";
import { cellNumber, divergingTone, heatLayout, sequentialTone } from "../../src/figures/heatLayout";
import { draw, find } from "./render";

const names = ["newreno", "cubic", "bbr"];
const lines = names.map((key) => ({ key, algorithm: key }));
const cell = (row: string, column: string, mean: number | null, half: number | null = 5): HeatCell => ({
  row,
  column,
  mean,
  half,
  low: mean === null || half === null ? null : mean - half,
  high: mean === null || half === null ? null : mean + half,
});

const props: HeatMapProps = {
  width: 600,
  rows: lines,
  columns: lines,
  cells: [
    cell("newreno", "newreno", 100),
    cell("newreno", "cubic", 20, 7),
    cell("cubic", "newreno", 173),
    cell("bbr", "bbr", null),
  ],
  colours: "diverging",
  title: "against",
  label: "shares",
};

describe("HeatMap", () => {
  const markup = draw(<HeatMap {...props} />);

  it("has number, half-width and tone in every cell", () => {
    expect(find(markup, "text", "number").map(({ text }) => text)).toEqual(["100", "20", "173"]);
    expect(find(markup, "g", "cell").map(({ attributes }) => attributes["data-tone"])).toEqual(["d4", "d0", "d7"]);
    expect(markup).toContain("± 7");
  });

  it("hatches cells without a value, also those that are not there", () => {
    expect(find(markup, "g", "missing")).toHaveLength(6);
    expect(find(markup, "path", "hatch")).toHaveLength(6);
  });

  it("is paper at 100 and in steps around it", () => {
    expect([0, 25, 60, 80, 92.5, 107.5, 108, 126, 160, 200].map(divergingTone)).toEqual([
      "d0",
      "d1",
      "d2",
      "d3",
      "d4",
      "d4",
      "d5",
      "d6",
      "d7",
      "d8",
    ]);
  });

  it("has seven steps from low to high, or in ratio", () => {
    expect([0, 13, 15, 99, 100].map((value) => sequentialTone(value, [0, 100]))).toEqual([
      "q0",
      "q0",
      "q1",
      "q6",
      "q6",
    ]);
    expect([1, 2, 64, 128].map((value) => sequentialTone(value, [1, 128], true))).toEqual(["q0", "q1", "q6", "q6"]);
    expect(sequentialTone(5, [5, 5])).toBe("q3");
  });

  it.each([2, 5, 12, 24])("is legible with %i rows and columns, wide or narrow", (count) => {
    const many = Array.from({ length: count }, (_, i) => ({ key: `algorithm-${i}`, algorithm: "cubic" }));
    const cells = many.flatMap((row) => many.map((column) => cell(row.key, column.key, 196)));
    for (const width of [904, 358]) {
      const layout = heatLayout(width, many, many, cells);
      expect(layout.font).toBeGreaterThanOrEqual(11);
      expect(3 * 0.6 * layout.font).toBeLessThanOrEqual(layout.cellWidth);
      expect(layout.cellHeight).toBeGreaterThan(layout.font * 1.5);
      expect(layout.width).toBeGreaterThanOrEqual(layout.left + count * layout.cellWidth);
    }
  });

  it("shortens numbers that do not fit", () => {
    const narrow = heatLayout(
      358,
      lines,
      Array.from({ length: 12 }, (_, i) => ({ key: `${i}` })),
      [cell("a", "b", 1_234_567)],
    );
    expect(narrow.compact).toBe(true);
    expect(cellNumber(1_234_567, 1000, narrow.compact)).toBe("1.2M");
  });

  it("has buttons that say what they stand for if cells can be picked", () => {
    const drawn = draw(<HeatMap {...props} picked={{ row: "newreno", column: "cubic" }} onPick={() => {}} unit="%" />);
    const cells = find(drawn, "g", "cell").map(({ attributes }) => attributes);
    expect(cells.map(({ role }) => role)).toEqual(["button", "button", "button"]);
    expect(cells[1]?.["aria-label"]).toBe("newreno against cubic: 20 ± 7 %");
    expect(find(drawn, "g", "on")).toHaveLength(1);
  });
});
