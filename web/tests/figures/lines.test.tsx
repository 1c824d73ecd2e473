import { describe, expect, it, vi } from "vitest";
import { DotRank, type RankRow } from "../../src/figures/DotRank";
import { LineBand, type LineBandProps } from "../../src/figures/LineBand";
import { placeAfterKey } from "../../src/figures/PlacePicker";
import { draw, find, position, subpaths } from "./render";

const point = (x: number, mean: number | null, half = 0, n = 5) => ({
  x,
  mean,
  low: mean === null ? null : mean - half,
  high: mean === null ? null : mean + half,
  n,
  cell: `c${x}`,
});

const props: LineBandProps = {
  width: 1000,
  height: 470,
  series: [
    {
      name: "newreno",
      points: [point(1, 500, 100), point(2, 100, 300), point(4, null), point(8, 1000, 10, 3), point(16, 0)],
    },
  ],
  x: { title: "servers", log: true },
  y: { title: "goodput", unit: "Mb/s", direction: "higher", floor: 0, domain: [0, 1000] },
  planned: 5,
  label: "goodput over servers",
};

// a label of `newreno` takes 7 x 13 x 0.575 + 14 = 66.3 px at the right; the plot is 50 to 933.7 by 430 to 30
const RIGHT = 1000 - (7 * 13 * 0.575 + 14);
const atX = (x: number) => 58 + (Math.log2(x) / 4) * (RIGHT - 8 - 58);
const atY = (y: number) => 430 - 0.4 * y;

describe("LineBand", () => {
  const markup = draw(<LineBand {...props} />);

  it("is an image with a name", () => {
    expect(find(markup, "svg")[0]?.attributes).toMatchObject({ role: "img", "aria-label": "goodput over servers" });
  });

  it("puts a marker at every mean", () => {
    const markers = find(markup, "path", "mk").map(position);
    expect(markers).toHaveLength(4);
    [
      [1, 500],
      [2, 100],
      [8, 1000],
      [16, 0],
    ].forEach(([x = 0, y = 0], i) => {
      expect(markers[i]?.[0]).toBeCloseTo(atX(x), 0);
      expect(markers[i]?.[1]).toBeCloseTo(atY(y), 0);
    });
  });

  it("leaves a gap where a value is missing", () => {
    const parts = subpaths(find(markup, "path", "ln")[0]?.attributes.d ?? "");
    expect(parts.map((part) => part.length)).toEqual([2, 2]);
  });

  it("cuts bands at 0 and at the top", () => {
    const [first] = subpaths(find(markup, "path", "band")[0]?.attributes.d ?? "");
    const ys = first?.map(([, y]) => y) ?? [];
    // upper edge left to right (600, 400), then lower edge right to left (-200 cut at 0, 400)
    expect(ys).toEqual([atY(600), atY(400), atY(0), atY(400)]);
  });

  it("says n where seeds are missing", () => {
    expect(find(markup, "text", "note").map(({ text }) => text)).toEqual(["n = 3"]);
  });

  it("ends at a limit that no mean exceeds, not at one that they do", () => {
    const y = { title: "goodput", floor: 0 as const };
    const reference = { value: 900, label: "link rate", limit: true };
    const top = (mean: number) => {
      const drawn = draw(
        <LineBand {...props} y={y} reference={reference} series={[{ name: "bbr", points: [point(1, mean, 50)] }]} />,
      );
      return Number(find(drawn, "line", "ref")[0]?.attributes.y1);
    };
    expect(top(880)).toBe(30);
    expect(top(950)).toBeGreaterThan(30);
  });

  it("names lines at their ends without overlap, and above the plot on a phone", () => {
    const series = ["newreno", "cubic", "bbr"].map((name, i) => ({ name, points: [point(1, 10), point(2, 100 + i)] }));
    const wide = draw(<LineBand {...props} series={series} />);
    const ys = find(wide, "text", "label").map(({ attributes }) => Number(attributes.y));
    ys.sort((a, b) => a - b);
    for (let i = 1; i < ys.length; i += 1) expect((ys[i] ?? 0) - (ys[i - 1] ?? 0)).toBeGreaterThanOrEqual(16.9);
    const narrow = draw(<LineBand {...props} width={358} height={300} series={series} />);
    expect(find(narrow, "text", "label").map(({ attributes }) => Number(attributes.y))).toEqual([12, 12, 12]);
    expect(find(narrow, "path", "lead")).toHaveLength(0);
  });

  it("draws the baseline on top", () => {
    const series = [
      { name: "newreno", baseline: true, points: [point(1, 10)] },
      { name: "cubic", points: [point(1, 10)] },
    ];
    expect(
      [...draw(<LineBand {...props} series={series} />).matchAll(/data-series="(\w+)"/g)].map(([, name]) => name),
    ).toEqual(["cubic", "newreno"]);
  });

  it("is a slider for arrow keys if a place can be picked", () => {
    const onPick = vi.fn();
    const drawn = draw(<LineBand {...props} picked={2} onPick={onPick} />);
    expect(find(drawn, "svg")[0]?.attributes.role).toBe("group");
    expect(drawn).toContain('role="slider"');
    expect(drawn).toContain('aria-valuenow="2"');
    expect(placeAfterKey("ArrowRight", [1, 2, 4], 2)).toBe(4);
    expect(placeAfterKey("ArrowRight", [1, 2, 4], 4)).toBe(4);
    expect(placeAfterKey("ArrowLeft", [1, 2, 4], undefined)).toBe(1);
    expect(placeAfterKey("End", [1, 2, 4], 1)).toBe(4);
    expect(placeAfterKey("a", [1, 2, 4], 1)).toBeNull();
  });

  it("draws with no values at all", () => {
    const drawn = draw(<LineBand {...props} series={[{ name: "bbr", points: [point(1, null)] }]} />);
    expect(drawn).not.toMatch(/NaN|Infinity/);
  });
});

describe("DotRank", () => {
  const rows: RankRow[] = [
    { name: "dctcp", mean: 782.2, low: 781.4, high: 783, rank: 1 },
    { name: "newreno", mean: 151, low: -20, high: 322, rank: 2, tied: true, baseline: true },
    { name: "cubic", mean: 95, low: 77, high: 113, rank: 2, tied: true },
    { name: "vegas", mean: null, low: null, high: null, rank: null },
  ];
  const markup = draw(
    <DotRank width={340} rows={rows} ties={[[1, 2]]} x={{ floor: 0, domain: [0, 1000] }} label="ranking" />,
  );
  const scale = (value: number) => 7 + ((340 - 34 - 8 - 7) * value) / 1000;

  it("puts dots on the scale, in the order given", () => {
    const dots = find(markup, "path", "mk").map(position);
    expect(dots.map(([x]) => x)).toEqual([782.2, 151, 95].map((mean) => Math.round(10 * scale(mean)) / 10));
    expect(dots.map(([, y]) => y)).toEqual([25, 57, 89]);
  });

  it("cuts whiskers at 0", () => {
    expect(find(markup, "line", "ci").map(({ attributes }) => Number(attributes.x1))[1]).toBe(7);
  });

  it("joins tied neighbours with a bracket", () => {
    const [tie] = find(markup, "path", "tie");
    expect(tie?.attributes.d).toBe(`M310,${57 - 5}h5v${89 - 57 + 10}h-5`);
  });

  it("shows a missing value as a dash with a reason", () => {
    expect(find(markup, "text", "val").at(-1)?.text).toBe("– no value");
  });
});
