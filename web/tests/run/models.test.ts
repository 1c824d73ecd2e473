import { describe, expect, it } from "vitest";
import type { Series, SeriesInfo } from "../../src/api/client";
import { hueOf } from "../../src/figures/algorithms";
import { compareSettings, flatten, readable } from "../../src/pages/run/flatten";
import { difference, metricGroups } from "../../src/pages/run/metricRows";
import {
  algorithmAxes,
  algorithmOf,
  flowAlgorithms,
  groupAlgorithms,
  placeOf,
  secondsOf,
} from "../../src/pages/run/naming";
import { binsOf, columnsOf, sortRows } from "../../src/pages/run/recordColumns";
import { defaultSeries, panelsOf, splitSeries, visibleRange } from "../../src/pages/run/signalModel";
import { dropsByNode, hopName, ownersOf } from "../../src/pages/run/topologyModel";

const info = (name: string, maximum = 10): SeriesInfo => ({
  name,
  unit: "u",
  first_ns: 0,
  step_ns: 1e7,
  length: 3,
  maximum,
  mean: 2,
});

describe("signals of a run", () => {
  it("splits a series' name into probe and target", () => {
    expect(splitSeries("queue_length pod0.edge1.port2")).toEqual({ probe: "queue_length", target: "pod0.edge1.port2" });
    expect(splitSeries("goodput")).toEqual({ probe: "goodput", target: "" });
  });

  it("shows windows first and two flows of a probe, and no drops where there were none", () => {
    const series = ["goodput", "rtt flow0", "cwnd flow2", "cwnd flow0", "cwnd flow1", "queue_length bottleneck"].map(
      (name) => info(name),
    );
    expect(defaultSeries([...series, info("link_drops bottleneck", 0)])).toEqual([
      "cwnd flow0",
      "cwnd flow2",
      "queue_length bottleneck",
      "rtt flow0",
      "goodput",
    ]);
  });

  it("draws a probe as a panel, counts as ticks with the whole run's total", () => {
    const values = (name: string): Series => ({
      ...info(name),
      times_ns: [0, 1e7, 2e7],
      values: [0, 6, 0],
      preview: false,
    });
    const names = ["cwnd flow0", "link_drops bottleneck"];
    const run = { id: "1" } as never;
    const [windows, drops] = panelsOf(
      [
        {
          run,
          name: "cubic",
          overlay: false,
          loaded: names.map((name) => ({ info: info(name), values: values(name) })),
        },
      ],
      names,
    );
    expect(windows).toMatchObject({ kind: "lines", title: "congestion window", lines: [{ label: "cubic flow 0" }] });
    expect(drops).toMatchObject({ kind: "events", title: "drops at bottleneck", rows: [{ times: [0.01], total: 6 }] });
  });

  it("colours the line of a flow by the flow's algorithm, what all flows share by none", () => {
    const names = ["cwnd flow0", "cwnd flow1", "cwnd flow2", "queue_length bottleneck"];
    const values = { ...info(""), times_ns: [0], values: [1], preview: false };
    const flows = new Map([
      ["flow0", "cubic"],
      ["flow1", "vegas"],
      ["flow2", "vegas"],
    ]);
    const loaded = names.map((name) => ({ info: info(name), values }));
    const run = { run: { id: "1" } as never, name: "cubic / vegas", flows, overlay: false, loaded };
    const [windows, queue] = panelsOf([run], names);
    expect(windows).toMatchObject({
      lines: [
        { name: "cubic", label: "cubic flow 0", second: false },
        { name: "vegas", label: "vegas flow 1", second: false },
        { name: "vegas", label: "vegas flow 2", second: true },
      ],
    });
    expect(queue).toMatchObject({ lines: [{ name: "cubic / vegas" }] });
  });

  it("uses a range of the address only within the run", () => {
    expect(visibleRange([0, 20], 4, 8)).toEqual([4, 8]);
    expect(visibleRange([0, 20], -3, 99)).toEqual([0, 20]);
    expect(visibleRange([0, 20], 8, 4)).toEqual([0, 20]);
  });
});

describe("metrics of two runs", () => {
  it("has a ratio, or the difference where the other is 0", () => {
    expect(difference(24.5, 23.6)).toEqual({ text: "+3.8 %", far: false });
    expect(difference(200, 33)).toEqual({ text: "× 6.1", far: true });
    expect(difference(1, 0)).toEqual({ text: "+1", far: true });
    expect(difference(3, 3)).toEqual({ text: "=", far: false });
    expect(difference(3, undefined)).toEqual({ text: "", far: false });
  });

  it("groups by subject", () => {
    const metric = (name: string, group: string | null) => ({
      name,
      title: name,
      value: 1,
      unit: "",
      group,
      direction: null,
      definition: null,
    });
    const run = { metrics: [metric("a", "delay"), metric("b", null), metric("c", "throughput")] };
    expect(metricGroups(run, undefined).map(({ group }) => group)).toEqual(["throughput", "delay", "metrics"]);
  });
});

describe("settings", () => {
  it("flattens paths, and lists what differs first", () => {
    const own = flatten({ queue: { limit: "40p" }, algorithm: { kind: "cubic", C: 0.4 }, groups: [] });
    expect(own.map(({ path }) => path)).toEqual(["queue.limit", "algorithm.kind", "algorithm.C", "groups"]);
    const compared = compareSettings(
      own,
      flatten({ queue: { limit: "40p" }, algorithm: { kind: "newreno" }, groups: [], ecn: true }),
    );
    expect(compared.map(({ path, other }) => [path, other])).toEqual([
      ["algorithm.kind", "newreno"],
      ["algorithm.C", "–"],
      ["ecn", "true"],
      ["queue.limit", undefined],
      ["groups", undefined],
    ]);
  });

  it("shows quantities as people write them", () => {
    expect(
      ["2000000000ns", "+1e+06ns", "20000000bps", "1000mbdp", "40p", "524288B", "1448B", "true"].map(readable),
    ).toEqual(["2 s", "1 ms", "20 Mbps", "1 BDP", "40 packets", "512 KiB", "1,448 bytes", "true"]);
  });
});

describe("names", () => {
  const algorithms = { "workload.groups[0].algorithm": "cubic", "workload.groups[1].algorithm": "vegas" };
  const coexisting = (algorithm: unknown = null) => ({
    spec: {
      scenario: {
        algorithm,
        workload: {
          kind: "bulk",
          groups: [
            { name: "first", algorithm: { kind: "cubic" } },
            { name: "second", algorithm: algorithm ? null : { kind: "vegas" } },
          ],
        },
      },
    },
    simulator_name: "ns3",
  });

  it("takes the algorithm from the campaign's label, else from the spec", () => {
    const run = { spec: { scenario: { algorithm: { kind: "vegas" } } }, simulator_name: "ns3" };
    expect(algorithmOf(run, { algorithm: "vegas Alpha=1" }, ["algorithm"])).toBe("vegas Alpha=1");
    expect(algorithmOf(run)).toBe("vegas");
    expect(algorithmOf({ ...run, spec: {} })).toBe("ns3");
  });

  it("finds the axes of algorithms by name, or because all labels are algorithms", () => {
    const cells = [
      { coordinates: { congestion_control: "dctcp", "workload.servers": "32" } },
      { coordinates: { congestion_control: "newreno", "workload.servers": "48" } },
    ];
    const axes = algorithmAxes(["congestion_control", "workload.servers"], cells);
    expect(axes).toEqual(["congestion_control"]);
    const { coordinates } = cells[0] as (typeof cells)[0];
    expect(algorithmOf({ spec: {}, simulator_name: "ns3" }, coordinates, axes)).toBe("dctcp");
    expect(placeOf(coordinates, axes)).toBe("servers 32");
  });

  it("joins the algorithms of groups, whether the scenario has one or not", () => {
    const axes = algorithmAxes(Object.keys(algorithms), [{ coordinates: algorithms }]);
    for (const run of [coexisting(), coexisting({ kind: "bbr" })])
      expect(algorithmOf(run, algorithms, axes)).toBe("cubic / vegas");
    expect(algorithmOf(coexisting())).toBe("cubic / vegas");
    expect(placeOf({ ...algorithms, "topology.queue": "40p" }, axes)).toBe("40p");
    expect(hueOf("cubic / vegas")).toBeUndefined();
  });

  it("knows the algorithm of a flow by the group in its record", () => {
    const records = [
      { flow: 0, group: "first" },
      { flow: 1, group: "second" },
      { flow: 2, group: "other" },
    ];
    const flows = (...given: Parameters<typeof groupAlgorithms>) => [
      ...flowAlgorithms(records, groupAlgorithms(...given)),
    ];
    expect(flows(coexisting())).toEqual([
      ["flow0", "cubic"],
      ["flow1", "vegas"],
    ]);
    // a group without an algorithm has the scenario's, with its label where there is one
    expect(flows(coexisting({ kind: "bbr" }))[1]).toEqual(["flow1", "bbr"]);
    expect(flows(coexisting({ kind: "bbr" }), { algorithm: "bbr x=1" }, ["algorithm"])[1]).toEqual([
      "flow1",
      "bbr x=1",
    ]);
    const labels = { ...algorithms, "workload.groups[1].algorithm": "vegas Alpha=1" };
    expect(flows(coexisting(), labels, Object.keys(labels))[1]).toEqual(["flow1", "vegas Alpha=1"]);
  });

  it("names numbers by their axis", () => {
    const coordinates = { algorithm: "cubic", "topology.servers": "12", "topology.routing": "ecmp-flow" };
    expect(placeOf(coordinates, ["algorithm"])).toBe("servers 12, ecmp-flow");
    expect(secondsOf("2000000000ns")).toBe(2);
    expect(secondsOf(7)).toBeUndefined();
  });
});

describe("records", () => {
  it("finds units and numbers in the simulator's names", () => {
    const columns = columnsOf([
      { flow: 0, goodput_mbps: 1.5, path: ["a"] },
      { flow: 1, goodput_mbps: null, late: true },
    ]);
    expect(columns.map(({ title, unit, numeric }) => [title, unit, numeric])).toEqual([
      ["flow", "", true],
      ["goodput", "Mb/s", true],
      ["path", "", false],
      ["late", "", false],
    ]);
  });

  it("sorts missing values last either way", () => {
    const rows = [{ v: 2 }, { v: null }, { v: 10 }];
    expect(sortRows(rows, { column: "v", descending: false }).map(({ v }) => v)).toEqual([2, 10, null]);
    expect(sortRows(rows, { column: "v", descending: true }).map(({ v }) => v)).toEqual([10, 2, null]);
  });

  it("counts every value in one bin", () => {
    const bins = binsOf([0, 1, 2, 10], [0, 10]);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(bins.at(-1)?.count).toBe(1);
    expect(binsOf([3, 3], [3, 3])).toEqual([{ from: 3, to: 4, count: 2 }]);
  });
});

describe("ports on a map", () => {
  it("counts the drops of a port at the node that sends", () => {
    const owners = ownersOf([{ from: "host0", to: "left", up: "host0.nic", down: "left.port0" }]);
    expect([
      ...dropsByNode(
        [
          ["left.port0", 3],
          ["host0.nic", 0],
          ["elsewhere", 9],
        ],
        owners,
      ),
    ]).toEqual([["left", 3]]);
    expect([hopName("a"), hopName({ port: "b", share: 0.5 })]).toEqual(["a", "b"]);
  });
});
