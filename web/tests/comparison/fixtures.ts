import type { CellMetric, ComparedCell, Comparison, MetricInfo } from "../../src/api/client";

export const metric = (name: string, direction: MetricInfo["direction"] = "higher"): MetricInfo => ({
  name,
  unit: "Mb/s",
  direction,
  title: name,
  group: "throughput",
  definition: "",
  absent: "",
  relevance: "5 %",
});

export const measured = (mean: number, half = 1, outcome?: "better" | "worse" | "inconclusive"): CellMetric => ({
  unit: "Mb/s",
  values: { 1: mean - half, 2: mean + half },
  estimate: { n: 2, mean, sd: half, half_width: half, ci95: [mean - half, mean + half] },
  against_baseline: outcome
    ? {
        paired: true,
        n: 2,
        mean: mean - 10,
        half_width: half,
        ci95: [mean - 10 - half, mean - 10 + half],
        relative_mean: (mean - 10) / 10,
        relative_half_width: half / 10,
        relative_ci95: [(mean - 10 - half) / 10, (mean - 10 + half) / 10],
      }
    : null,
  verdict: outcome
    ? { outcome, label: outcome, p: 0.01, p_equivalence: null, needed: null, reason: "", incomplete: false }
    : null,
  missing: [],
});

export function cell(
  index: number,
  coordinates: Record<string, string>,
  metrics: Record<string, CellMetric>,
): ComparedCell {
  return {
    index,
    coordinates,
    simulator: { name: "ns3", digest: "d" },
    is_baseline: coordinates.algorithm === "newreno",
    deterministic: false,
    paired: true,
    planned: 2,
    finished: 2,
    missing: [],
    metrics,
    digests: {},
    runs: { 1: `a${index}`, 2: `b${index}` },
  };
}

/** Two algorithms at three numbers of servers; cubic is better at 8 by 50 %, worse at 32 by 20 %. */
export function incast(): Comparison {
  const goodput: Record<string, [number, CellMetric][]> = {
    newreno: [1, 8, 32].map((servers) => [servers, measured(10)]),
    cubic: [
      [1, measured(10, 1, "inconclusive")],
      [8, measured(15, 1, "better")],
      [32, measured(8, 1, "worse")],
    ],
  };
  const cells = Object.entries(goodput).flatMap(([algorithm, row]) =>
    row.map(([servers, value]) => [{ algorithm, "workload.servers": String(servers) }, value] as const),
  );
  return {
    campaign: "c0ffee",
    axes: ["algorithm", "workload.servers"],
    baseline: { algorithm: "newreno" },
    declared_baseline: { algorithm: "newreno" },
    confidence: 0.95,
    family: { comparisons: 3, metrics: ["goodput"], size: 3 },
    metrics: [metric("drops", "lower"), metric("goodput")],
    available: [metric("drops", "lower"), metric("goodput"), metric("delay", "lower")],
    default_metrics: ["drops", "goodput"],
    cells: cells.map(([coordinates, value], index) =>
      cell(index, coordinates, { goodput: value, drops: measured(index) }),
    ),
    rankings: [
      {
        metric: "goodput",
        setting: { "workload.servers": "8" },
        places: [
          { cell: 4, rank: 1, tied: false, mean: 15 },
          { cell: 1, rank: 2, tied: false, mean: 10 },
        ],
        unranked: [],
      },
    ],
    pareto: [],
    coexistence: [],
    summary: ["servers 8: cubic has the highest goodput"],
    headlines: { goodput: "cubic has a higher goodput" },
    notes: [],
    against: null,
  };
}
