import { describe, expect, it } from "vitest";
import { Cdf, valueAt } from "../../src/figures/Cdf";
import { SeedStrip } from "../../src/figures/SeedStrip";
import { SignalStack, type SignalStackProps } from "../../src/figures/SignalStack";
import { Sparkline } from "../../src/figures/Sparkline";
import { sampleAt, visibleEvents, visibleSamples } from "../../src/figures/signals";
import { timeAfterKey } from "../../src/figures/TimePicker";
import { draw, find, position, subpaths } from "./render";

describe("samples of signals", () => {
  const signal = { times: [0, 1, 2, 3], values: [10, null, 30, 40] };

  it("holds a value until the next sample", () => {
    expect([-1, 0, 0.5, 1, 2.9, 9].map((time) => sampleAt(signal, time))).toEqual([null, 10, 10, null, 30, 40]);
  });

  it("keeps one sample at either side of what is visible", () => {
    expect(visibleSamples(signal, 1.5, 2.5, 100).map(([time]) => time)).toEqual([1, 2, 3]);
  });

  it("keeps peaks, ends and gaps of ten thousand samples", () => {
    const times = Float64Array.from({ length: 10_000 }, (_, i) => i / 1000);
    const values = Array.from({ length: 10_000 }, (_, i): number | null =>
      i === 4321 ? 999 : i === 7000 ? null : i % 7,
    );
    const kept = visibleSamples({ times, values }, 0, 10, 100);
    expect(kept.length).toBeLessThan(450);
    expect(kept).toContainEqual([4.321, 999]);
    expect(kept).toContainEqual([7, null]);
    expect(kept[0]).toEqual([0, 0]);
    expect(kept.at(-1)?.[0]).toBe(9.999);
    const ascending = kept.map(([time]) => time);
    expect(ascending).toEqual([...ascending].sort((a, b) => a - b));
  });

  it("draws one event for each column", () => {
    expect(visibleEvents([0, 0.1, 5, 5.01, 9, 11], 0, 10, 10)).toEqual([0, 5, 9]);
  });
});

describe("SignalStack", () => {
  const props: SignalStackProps = {
    width: 1000,
    range: [0, 10],
    warmUp: 2,
    panels: [
      {
        kind: "lines",
        title: "congestion window",
        unit: "segments",
        height: 100,
        max: 40,
        lines: [
          { name: "cubic", times: [0, 5, 6, 10], values: [10, 40, null, 20] },
          { name: "newreno", overlay: true, times: [0, 10], values: [20, 20] },
        ],
      },
      { kind: "events", title: "drops", rows: [{ name: "cubic", times: [1, 5], total: 1300 }] },
    ],
    label: "signals",
  };
  const markup = draw(<SignalStack {...props} />);
  const right = 1000 - ("cubic 000".length * 11.5 * 0.575 + 14);
  const atX = (time: number) => 50 + ((right - 50) * time) / 10;

  it("draws the run over the one laid over it, with gaps", () => {
    const lines = find(markup, "path", "signal").map(({ attributes }) => attributes);
    expect(lines.map((line) => line.class)).toEqual(["signal overlay", "signal"]);
    const [first = []] = subpaths(lines[1]?.d ?? "");
    expect(first[0]).toEqual([50, 101]);
    expect(first[1]?.[0]).toBeCloseTo(atX(5), 0);
    expect(first[1]?.[1]).toBe(26);
    expect(lines[1]?.d).toMatch(/Z$/); // the last sample alone, after the gap
  });

  it("shades the warm-up up to its end", () => {
    const [shade] = find(markup, "rect", "warm-up");
    expect(Number(shade?.attributes.x)).toBe(50);
    expect(Number(shade?.attributes.width)).toBeCloseTo(atX(2) - 50, 0);
    expect(find(draw(<SignalStack {...props} range={[3, 10]} />), "rect", "warm-up")).toHaveLength(0);
  });

  it("draws events as ticks and says how many there were", () => {
    expect(find(markup, "path", "event")[0]?.attributes.d?.match(/M/g)).toHaveLength(2);
    expect(markup).toContain("1,300");
  });

  it("says the values under the crosshair", () => {
    const drawn = draw(<SignalStack {...props} crosshair={5.5} />);
    const [readout] = find(drawn, "text", "note");
    expect(readout?.text).toBe("4020at 5.50 s");
    expect(find(drawn, "line", "cursor")).toHaveLength(1);
    expect(find(draw(<SignalStack {...props} crosshair={11} />), "line", "cursor")).toHaveLength(0);
  });

  it("can be moved and zoomed by keys", () => {
    expect(timeAfterKey("ArrowRight", [0, 10], 5)).toEqual({ crosshair: 5.2 });
    expect(timeAfterKey("ArrowLeft", [0, 10], 0)).toEqual({ crosshair: 0 });
    expect(timeAfterKey("+", [0, 10], 2)).toEqual({ zoom: [1, 6] });
    expect(timeAfterKey("Escape", [4, 5], null)).toEqual({ zoom: null });
    expect(timeAfterKey("x", [0, 10], 2)).toBeNull();
  });
});

describe("Cdf", () => {
  const points = [
    [1, 0.25],
    [2, 0.5],
    [4, 0.75],
    [10, 1],
  ] as const;
  const markup = draw(
    <Cdf
      width={1000}
      height={470}
      series={[{ name: "cubic", points }]}
      x={{ title: "ms", log: false, domain: [0, 10] }}
      label="cdf"
    />,
  );

  it("reads quantiles off the steps", () => {
    expect([0.1, 0.25, 0.5, 0.51, 0.99, 1].map((fraction) => valueAt(points, fraction))).toEqual([1, 1, 2, 4, 10, 10]);
    expect(valueAt([[1, 0.4]], 0.5)).toBeNull();
  });

  it("marks median and p99 on their guide lines", () => {
    // the plot is 54 to 952 by 430 to 30
    const marks = find(markup, "path", "mk").map(position);
    expect(marks).toEqual([
      [233.6, 230],
      [952, 34],
    ]);
    expect(find(markup, "line", "guide").map(({ attributes }) => Number(attributes.y1))).toEqual([230, 34]);
  });

  it("rises at each value, from 0", () => {
    const d = find(markup, "path", "ln")[0]?.attributes.d ?? "";
    expect(d.startsWith("M143.8,430L143.8,430L143.8,330L233.6,330L233.6,230")).toBe(true);
  });
});

describe("small figures", () => {
  it("puts each seed on the common scale and skips missing ones", () => {
    const seeds = find(
      draw(<SeedStrip name="cubic" values={[0, null, 500, 1000]} domain={[0, 1000]} width={108} />),
      "line",
      "seed",
    );
    expect(seeds.map(({ attributes }) => Number(attributes.x1))).toEqual([4, 54, 104]);
  });

  it("is hidden from screen readers unless it has a label", () => {
    expect(draw(<SeedStrip name="cubic" values={[1]} domain={[0, 1]} />)).toContain('aria-hidden="true"');
    expect(draw(<SeedStrip name="cubic" values={[1]} domain={[0, 1]} label="seeds" />)).not.toContain("aria-hidden");
  });

  it("draws progress from the lower left to the upper right", () => {
    const drawn = draw(
      <Sparkline
        points={[
          [0, 0],
          [10, 1],
        ]}
        width={100}
        height={20}
        state="running"
      />,
    );
    expect(find(drawn, "path", "edge")[0]?.attributes.d).toBe("M1,18.5L99,1.5");
    expect(find(draw(<Sparkline points={[]} width={100} height={20} />), "path")).toHaveLength(0);
  });
});
