import { describe, expect, it } from "vitest";
import { Forest, type ForestProps, type ForestRow, forestLines } from "../../src/figures/Forest";
import { draw, find, position } from "./render";

const row = (
  label: string,
  value: number | null,
  low: number | null,
  high: number | null,
  rest: Partial<ForestRow> = {},
): ForestRow => ({
  name: "dctcp",
  label,
  value,
  low,
  high,
  outcome: "better",
  ...rest,
});

const props: ForestProps = {
  width: 800,
  scale: "ratio",
  rows: [
    row("1", 1, 1, 1, { same: true, outcome: "equivalent" }),
    row("2", 2, 1.5, 3.9),
    row("4", 1.2, -0.1, 40, { outcome: "inconclusive" }),
    row("8", null, null, null, { outcome: null, note: "baseline is 0: no ratio" }),
  ],
  title: "goodput, ratio to newreno",
  direction: "higher",
  relevance: 0.05,
  label: "ratios",
};

describe("Forest", () => {
  const markup = draw(<Forest {...props} />);
  const ticks = find(markup, "text", "tick").filter(({ attributes }) => attributes["text-anchor"] === "middle");
  const atTick = (label: string) => Number(ticks.find(({ text }) => text === label)?.attributes.x);

  it("has equal steps of doubling, and a value at its tick", () => {
    expect(ticks.map(({ text }) => text)).toEqual(["÷16", "÷8", "÷4", "÷2", "equal", "×2", "×4", "×8", "×16"]);
    expect(atTick("×2") - atTick("equal")).toBeCloseTo(atTick("equal") - atTick("÷2"), 0);
    expect(find(markup, "path", "mk").map(position)[2]?.[0]).toBeCloseTo(atTick("×2"), 0);
  });

  it("is hollow when inconclusive, and only then", () => {
    expect(find(markup, "path", "hollow")).toHaveLength(1);
    expect(find(markup, "g", "dim")).toHaveLength(1);
  });

  it("has an arrow at each end that leaves the axis", () => {
    expect(find(markup, "path", "arrow")).toHaveLength(2);
    const intervals = find(markup, "line", "ci").map(({ attributes }) => [
      Number(attributes.x1),
      Number(attributes.x2),
    ]);
    expect(intervals).toHaveLength(2);
    expect(intervals[1]?.[0]).toBeCloseTo(atTick("÷16"), 0);
    expect(intervals[1]?.[1]).toBeCloseTo(atTick("×16"), 0);
  });

  it("shades the zone of relevance around equal", () => {
    const [zone] = find(markup, "rect", "zone");
    const from = Number(zone?.attributes.x);
    expect(from).toBeLessThan(atTick("equal"));
    expect(from + Number(zone?.attributes.width)).toBeGreaterThan(atTick("equal"));
    expect(find(draw(<Forest {...props} relevance={null} />), "rect", "zone")).toHaveLength(0);
  });

  it("says why there is no ratio", () => expect(markup).toContain("baseline is 0: no ratio"));

  it("says same without an interval", () => expect(find(markup, "text", "ink")[0]?.text).toBe("same"));

  it("gives each outcome a shape and a word", () => {
    expect(find(markup, "path", "vg").map(({ text }) => text)).toEqual(["equivalent", "better", "inconclusive"]);
  });

  it("says which side is better", () => {
    const words = (direction: ForestProps["direction"]) =>
      find(draw(<Forest {...props} direction={direction} />), "text", "note")
        .slice(0, 2)
        .map(({ text }) => text);
    expect(words("higher")).toEqual(["← worse", "better →"]);
    expect(words("lower")).toEqual(["← better", "worse →"]);
    expect(words("none")).toEqual(["← lower", "higher →"]);
  });

  it("groups rows of an algorithm under its name if it has several", () => {
    expect(forestLines(props.rows).filter((line) => "header" in line)).toHaveLength(1);
    expect(
      forestLines([row("dctcp", 1, 1, 1), row("bbr", 1, 1, 1, { name: "bbr" })]).some((line) => "header" in line),
    ).toBe(false);
  });

  it("has a linear axis in the unit for differences", () => {
    const rows = [row("dctcp", -4, -6, -2, { outcome: "better" })];
    const drawn = draw(
      <Forest {...props} scale="difference" unit="ms" direction="lower" rows={rows} relevance={null} />,
    );
    expect(find(drawn, "text", "ink")[0]?.text).toBe("−4.0");
    expect(find(drawn, "text", "title")[0]?.text).toContain("ms");
    expect(drawn).toContain("−6.0 to −2.0");
  });
});
