import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { lanesOf, MOST_LANES, TopologyMap, utilizationStep } from "../../src/figures/TopologyMap";
import { layoutTopology } from "../../src/figures/topologyLayout";

const FRAME = { left: 0, right: 800, top: 40, bottom: 440 };
const link = (from: string, to: string) => ({ from, to, up: `${from}>${to}`, down: `${to}>${from}` });

/** A fat-tree of even k, as its description lays it out. */
function fatTree(k: number) {
  const half = k / 2;
  const range = (n: number) => Array.from({ length: n }, (_, i) => i);
  const pods = range(k).flatMap((pod) => range(half).map((i) => [pod, i] as const));
  const nodes = [
    ...range(k * half * half).map((i) => ({ name: `host${i}`, tier: "host" })),
    ...pods.map(([pod, i]) => ({ name: `pod${pod}.edge${i}`, tier: "edge" })),
    ...pods.map(([pod, i]) => ({ name: `pod${pod}.aggregation${i}`, tier: "aggregation" })),
    ...range(half * half).map((i) => ({ name: `core${i}`, tier: "core" })),
  ];
  const links = [
    ...range(k * half * half).map((i) =>
      link(`host${i}`, `pod${Math.floor(i / half / half)}.edge${Math.floor(i / half) % half}`),
    ),
    ...pods.flatMap(([pod, i]) => range(half).map((j) => link(`pod${pod}.edge${i}`, `pod${pod}.aggregation${j}`))),
    ...pods.flatMap(([pod, i]) => range(half).map((j) => link(`pod${pod}.aggregation${i}`, `core${i * half + j}`))),
  ];
  return { nodes, links };
}

const dumbbell = {
  nodes: ["host0", "host1", "host2", "host3"]
    .map((name) => ({ name, tier: "host" }))
    .concat([
      { name: "left", tier: "left" },
      { name: "right", tier: "right" },
    ]),
  links: [
    link("host0", "left"),
    link("host1", "left"),
    link("host2", "right"),
    link("host3", "right"),
    link("left", "right"),
  ],
};

const draw = (network: ReturnType<typeof fatTree>, width: number, more: object = {}) =>
  renderToStaticMarkup(
    createElement(TopologyMap, {
      ...network,
      width,
      utilization: new Map(),
      drops: new Map(),
      label: "network",
      ...more,
    }),
  );

describe("layout of a topology", () => {
  it("has a row for each distance from the hosts", () => {
    expect(layoutTopology(fatTree(4).nodes, fatTree(4).links, FRAME).rows.map(({ tiers }) => tiers)).toEqual([
      ["host"],
      ["edge"],
      ["aggregation"],
      ["core"],
    ]);
    expect(layoutTopology(dumbbell.nodes, dumbbell.links, FRAME).rows.map(({ tiers }) => tiers)).toEqual([
      ["host"],
      ["left", "right"],
    ]);
  });

  it("groups what only the top row connects, and names a group by its nodes", () => {
    expect(layoutTopology(fatTree(4).nodes, fatTree(4).links, FRAME).groups.map(({ label }) => label)).toEqual([
      "pod0",
      "pod1",
      "pod2",
      "pod3",
    ]);
    expect(layoutTopology(dumbbell.nodes, dumbbell.links, FRAME).groups).toEqual([]);
  });

  it("puts hosts beside those of their switch, whatever their order", () => {
    const nodes = [...dumbbell.nodes].sort(
      (a, b) =>
        a.tier.localeCompare(b.tier) ||
        "host0 host2 host1 host3".indexOf(a.name) - "host0 host2 host1 host3".indexOf(b.name),
    );
    const { nodes: placed } = layoutTopology(nodes, dumbbell.links, FRAME);
    const hosts = [...placed.values()].filter(({ row }) => row === 0).sort((a, b) => a.x - b.x);
    expect(new Set(hosts.slice(0, 2).map(({ name }) => name))).toEqual(new Set(["host0", "host1"]));
  });

  it("keeps nodes of a row apart and inside the frame", () => {
    const { nodes } = layoutTopology(fatTree(8).nodes, fatTree(8).links, FRAME);
    for (const row of [1, 2, 3]) {
      const xs = [...nodes.values()]
        .filter((node) => node.row === row)
        .map(({ x }) => x)
        .sort((a, b) => a - b);
      expect(Math.min(...xs)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...xs)).toBeLessThanOrEqual(800);
      expect(Math.min(...xs.slice(1).map((x, i) => x - (xs[i] ?? 0)))).toBeGreaterThan(8);
    }
  });

  it("draws a mark for the hosts of a switch where each has no room", () => {
    const { nodes } = layoutTopology(fatTree(16).nodes, fatTree(16).links, FRAME);
    const marks = [...nodes.values()].filter(({ row }) => row === 0);
    expect(marks).toHaveLength(128);
    expect(marks.every(({ count }) => count === 8)).toBe(true);
  });
});

describe("lanes", () => {
  it("has one a direction with its port's utilization, the busiest last", () => {
    const lanes = lanesOf([link("a", "b")], new Map([["a>b", 30]]), new Map());
    expect(lanes.map(({ from, to, percent }) => [from, to, percent])).toEqual([
      ["b", "a", 0],
      ["a", "b", 30],
    ]);
  });

  it("shows the busiest of the links that share a mark", () => {
    const drawnAs = new Map([
      ["h0", "hosts of s"],
      ["h1", "hosts of s"],
    ]);
    const lanes = lanesOf(
      [link("h0", "s"), link("h1", "s")],
      new Map([
        ["h0>s", 10],
        ["h1>s", 90],
      ]),
      drawnAs,
    );
    expect(lanes.find(({ from }) => from === "hosts of s")).toMatchObject({ percent: 90, ports: ["h0>s", "h1>s"] });
  });

  it("steps at the ends of the scale", () => {
    expect([0, 1.9, 2, 19, 20, 94.9, 95, 100].map(utilizationStep)).toEqual([0, 0, 1, 1, 2, 5, 6, 6]);
  });
});

describe("the map", () => {
  it("draws two lanes a link and names each node", () => {
    const markup = draw(dumbbell, 800, {
      utilization: new Map([["left>right", 99.7]]),
      drops: new Map([["left", 226]]),
    });
    expect(markup.match(/class="lane"/g)).toHaveLength(10);
    expect(markup).toContain("left to right: 100 % busy, left&gt;right");
    expect(markup).toContain("left, 226 packets dropped");
    expect(markup).toContain("var(--s6)");
  });

  it("shows a path in ink and the rest quiet", () => {
    const markup = draw(dumbbell, 390, { path: new Set(["host0>left", "left>right"]), ends: ["host0"] });
    expect(markup.match(/class="lane on"/g)).toHaveLength(2);
    expect(markup.match(/class="lane off"/g)).toHaveLength(8);
    expect(markup.match(/class="node on"/g)).toHaveLength(1);
  });

  it("leaves idle lanes out where there are very many", () => {
    const tree = fatTree(16);
    const lanes = lanesOf(tree.links, new Map(), layoutTopology(tree.nodes, tree.links, FRAME).drawnAs);
    expect(lanes.length).toBeGreaterThan(MOST_LANES);
    const markup = draw(tree, 900, { utilization: new Map([["pod0.edge0>pod0.aggregation0", 50]]) });
    expect(markup.match(/class="lane"/g)).toHaveLength(1);
  });

  it("draws nothing that is not a number", () => {
    for (const width of [200, 390, 1440]) expect(draw(fatTree(4), width)).not.toContain("NaN");
    expect(draw({ nodes: [], links: [] }, 800)).not.toMatch(/NaN|Infinity/);
  });
});
