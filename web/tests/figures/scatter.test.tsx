import { describe, expect, it } from "vitest";
import { frontPath, Scatter, type ScatterProps } from "../../src/figures/Scatter";
import { draw, find, position } from "./render";

const interval = (mean: number | null, half = 0) => ({
  mean,
  low: mean === null ? null : mean - half,
  high: mean === null ? null : mean + half,
});

const props: ScatterProps = {
  width: 722,
  height: 472,
  points: [
    { name: "dctcp", group: "12", cell: "a", x: interval(4), y: interval(80, 100) },
    { name: "cubic", group: "12", cell: "b", x: interval(16, 4), y: interval(95) },
    { name: "cubic", group: "48", cell: "c", x: interval(64), y: interval(10) },
    { name: "bbr", group: "12", cell: "d", x: interval(8), y: interval(null) },
  ],
  x: { title: "delay", unit: "ms", direction: "lower", log: true, domain: [1, 64] },
  y: { title: "goodput", unit: "Mb/s", direction: "higher", floor: 0, domain: [0, 100] },
  picked: "12",
  front: ["a", "b"],
  label: "goodput over delay",
};

// the plot is 50 to 700 by 430 to 30; 1 ms is at its right end
const atX = (x: number) => 700 - (650 * Math.log2(x)) / 6;
const atY = (y: number) => 430 - 4 * y;

describe("Scatter", () => {
  const markup = draw(<Scatter {...props} />);

  it("has less delay at the right and more throughput above", () => {
    const markers = find(markup, "path", "mk").map(position);
    expect(markers).toHaveLength(3);
    const [far, dctcp, cubic] = markers;
    expect(far?.[0]).toBeCloseTo(50, 1);
    expect(dctcp?.[0]).toBeCloseTo(atX(4), 0);
    expect(dctcp?.[1]).toBeCloseTo(atY(80), 1);
    expect(cubic?.[0]).toBeCloseTo(atX(16), 0);
    expect(markup).toContain("inverted, log scale");
    expect(markup).toContain("better ↗");
  });

  it("cuts intervals at the ends of the axes", () => {
    const vertical = find(markup, "line", "ci").find(({ attributes }) => attributes.y1 !== attributes.y2);
    expect([Number(vertical?.attributes.y1), Number(vertical?.attributes.y2)]).toEqual([430, 30]);
  });

  it("steps along the given front from axis to axis", () => {
    expect(
      frontPath(
        [
          [100, 50],
          [300, 200],
        ],
        10,
        400,
      ),
    ).toBe("M300,400H300V200H100V50H10");
    const d = find(markup, "path", "front")[0]?.attributes.d ?? "";
    expect(d.startsWith(`M${Math.round(10 * atX(4)) / 10},430`)).toBe(true);
    expect(d.endsWith("H50")).toBe(true);
    expect(find(draw(<Scatter {...props} front={[]} />), "path", "front")).toHaveLength(0);
  });

  it("names the picked group beside its marks, others by their group", () => {
    expect(find(markup, "text", "halo").map(({ text }) => text)).toEqual(["dctcp", "cubic"]);
    expect(find(markup, "text", "nano").map(({ text }) => text)).toEqual(["48"]);
  });
});
