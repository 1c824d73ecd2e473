/** What a comparison page shows, derived from the comparison and the view in the address. No statistics. */
import type { CellMetric, ComparedCell, Comparison, MetricInfo } from "../../api/client";
import { type Axis, axesOf, isAlgorithmAxis } from "./axes";

export type ChartKind = "line" | "dots" | "heat" | "coexistence" | "cdf" | "seeds";
export const CHARTS: readonly ChartKind[] = ["line", "dots", "heat", "coexistence", "cdf", "seeds"];

/** View state in the address. */
export interface ComparisonView {
  metric?: string;
  x?: string;
  facet?: string;
  where?: string[];
  chart?: ChartKind;
  scale?: "log" | "linear";
  at?: string;
  columns?: string[];
  sort?: string;
  find?: string;
  against?: string;
  baseline?: string[];
  incomplete?: boolean;
  field?: string;
}

/** Cells with the same coordinates but x and facet: one line, one colour. */
export interface Group {
  key: string;
  /** Names hue and marker: the algorithm where there is one axis of algorithms. */
  name: string;
  label: string;
  baseline: boolean;
  cells: ComparedCell[];
}

export interface Model {
  metric: MetricInfo;
  axes: Axis[];
  x: Axis | null;
  facet: Axis | null;
  charts: ChartKind[];
  chart: ChartKind;
  log: boolean;
  /** Label on the x axis at which cells are ranked. */
  at: string | null;
  cells: ComparedCell[];
  groups: Group[];
  columns: MetricInfo[];
  /** Labels chosen by the filter, by axis. */
  chosen: Map<string, string[]>;
}

const MAX_DEFAULT_FACETS = 6;
const WHERE = /^(.+?)=(.*)$/;

/** `["algorithm=vegas", "algorithm=cubic"]` by axis; entries that name no axis or label are left out. */
export function parseWhere(where: readonly string[] | undefined, axes: readonly Axis[]): Map<string, string[]> {
  const chosen = new Map<string, string[]>();
  for (const entry of where ?? []) {
    const [, name = "", label = ""] = WHERE.exec(entry) ?? [];
    const axis = axes.find((candidate) => candidate.name === name);
    if (axis?.labels.includes(label)) chosen.set(name, [...(chosen.get(name) ?? []), label]);
  }
  return chosen;
}

export const toWhere = (chosen: ReadonlyMap<string, readonly string[]>): string[] =>
  [...chosen].flatMap(([axis, labels]) => labels.map((label) => `${axis}=${label}`));

/** What the view names but the comparison lacks, as sentences. */
export function unknownParts(view: ComparisonView, comparison: Comparison, axes: readonly Axis[]): string[] {
  const names = new Set(comparison.available.map((metric) => metric.name));
  const axisNames = new Set(axes.map((axis) => axis.name));
  const unknown: string[] = [];
  for (const metric of [view.metric, ...(view.columns ?? [])]) {
    if (metric && !names.has(metric)) unknown.push(`no run reports the metric ${metric}`);
  }
  for (const axis of [view.x, view.facet]) {
    if (axis && axis !== "none" && !axisNames.has(axis)) unknown.push(`${axis} is not an axis of this campaign`);
  }
  const x = axes.find((axis) => axis.name === view.x);
  if (view.at && !axes.some((axis) => labelOn(axis, view.at ?? "")))
    unknown.push(`at=${view.at} is no label of ${x?.title ?? "an axis"}`);
  const known = toWhere(parseWhere(view.where, axes));
  for (const entry of view.where ?? []) if (!known.includes(entry)) unknown.push(`the filter ${entry} fits no cell`);
  return [...new Set(unknown)];
}

/** The axis along which values are drawn: the numeric axis with most labels, if it has three or more. */
function defaultX(axes: readonly Axis[]): Axis | null {
  const numeric = axes.filter((axis) => axis.numbers && axis.labels.length > 2 && !isAlgorithmAxis(axis));
  return numeric.sort((a, b) => b.labels.length - a.labels.length)[0] ?? null;
}

/** The facet axis asked for; by default an axis with few labels, where two would remain beside x. */
function chosenFacet(view: ComparisonView, rest: readonly Axis[]): Axis | null {
  if (view.facet !== undefined) return rest.find((axis) => axis.name === view.facet) ?? null;
  if (rest.length < 2) return null;
  return rest.find((axis) => !isAlgorithmAxis(axis) && axis.labels.length <= MAX_DEFAULT_FACETS) ?? null;
}

/** Whether the numbers are spread over so many powers that a log scale shows them better. */
export function spreadsWidely(axis: Axis): boolean {
  const values = [...(axis.numbers?.values() ?? [])];
  return values.length > 2 && Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= 8;
}

function labelOf(cell: ComparedCell, axes: readonly Axis[]): string {
  return axes.map((axis) => cell.coordinates[axis.name]).join(" / ");
}

/** The name that gives a cell its hue: its algorithm, or all of its labels. */
export function nameOf(cell: ComparedCell, axes: readonly Axis[], others: readonly Axis[]): string {
  const algorithms = axes.filter((axis) => isAlgorithmAxis(axis));
  const only = algorithms.length === 1 ? algorithms[0] : undefined;
  return (only && cell.coordinates[only.name]) || labelOf(cell, others) || "all";
}

/** The metric shown first: the family's first, on which verdicts are given, else the first default. */
export function primaryMetric(comparison: Comparison): MetricInfo | undefined {
  const names = [...comparison.family.metrics, ...comparison.default_metrics];
  return (
    names.map((name) => comparison.metrics.find((metric) => metric.name === name)).find(Boolean) ??
    comparison.metrics[0]
  );
}

export function buildModel(comparison: Comparison, view: ComparisonView): Model | null {
  const axes = axesOf(comparison.axes, comparison.cells);
  const chosen = parseWhere(view.where, axes);
  const cells = comparison.cells.filter((cell) =>
    [...chosen].every(([axis, labels]) => labels.includes(cell.coordinates[axis] ?? "")),
  );
  const metric = comparison.metrics.find((candidate) => candidate.name === view.metric) ?? primaryMetric(comparison);
  if (!metric) return null;
  const x =
    view.x === "none" ? null : (axes.find((axis) => axis.name === view.x && axis.labels.length > 1) ?? defaultX(axes));
  const rest = axes.filter((axis) => axis !== x && axis.labels.length > 1);
  const facet = chosenFacet(view, rest);
  const seriesAxes = rest.filter((axis) => axis !== facet);
  const groups = new Map<string, Group>();
  for (const cell of cells) {
    const key = labelOf(cell, seriesAxes);
    const group = groups.get(key) ?? {
      key,
      name: nameOf(cell, axes, seriesAxes),
      label: key || "all cells",
      baseline: false,
      cells: [],
    };
    group.cells.push(cell);
    group.baseline ||= cell.is_baseline;
    groups.set(key, group);
  }
  const charts: ChartKind[] = [];
  if (comparison.coexistence.length > 0) charts.push("coexistence");
  if (x?.numbers) charts.push("line");
  charts.push("dots");
  // A heat map shows two axes: with more, cells would cover each other.
  if (rest.filter((axis) => axis !== facet).length === (x ? 1 : 2)) charts.push("heat");
  charts.push("cdf", "seeds");
  const chart = charts.find((kind) => kind === view.chart) ?? charts[0] ?? "dots";
  const columns = (view.columns ?? comparison.default_metrics)
    .map((name) => comparison.metrics.find((candidate) => candidate.name === name))
    .filter((column) => column !== undefined && column.name !== metric.name) as MetricInfo[];
  return {
    metric,
    axes,
    x,
    facet,
    charts,
    chart,
    log: view.scale ? view.scale === "log" : x !== null && spreadsWidely(x),
    at: x ? pickedLabel(x, view.at, cells, metric.name) : null,
    cells,
    groups: [...groups.values()],
    columns,
    chosen,
  };
}

/** The label of an axis that an address means: `1.0` is the label `1` of an axis of numbers. */
function labelOn(axis: Axis, asked: string): string | undefined {
  if (axis.labels.includes(asked)) return asked;
  const value = asked.trim() === "" ? Number.NaN : Number(asked);
  return axis.labels.find((label) => Number(label) === value);
}

/** The label on the x axis that the view asks for, or where the verdicts are clearest. */
function pickedLabel(
  x: Axis,
  asked: string | undefined,
  cells: readonly ComparedCell[],
  metric: string,
): string | null {
  const known = asked === undefined ? undefined : labelOn(x, asked);
  if (known !== undefined) return known;
  let best: { label: string; size: number } | undefined;
  for (const cell of cells) {
    const { verdict, against_baseline: difference } = cell.metrics[metric] ?? {};
    if (verdict?.outcome !== "better" && verdict?.outcome !== "worse") continue;
    const size = Math.abs(difference?.relative_mean ?? 0);
    if (!best || size > best.size) best = { label: cell.coordinates[x.name] ?? "", size };
  }
  return best?.label ?? x.labels[Math.floor(x.labels.length / 2)] ?? null;
}

/** What tells the cell from others of its algorithm. */
export function restLabel(cell: ComparedCell, model: Model): string {
  const axes = model.axes.filter((axis) => axis.labels.length > 1 && !isAlgorithmAxis(axis));
  return axes.map((axis) => cell.coordinates[axis.name]).join(" / ");
}

/** The mean of an estimate with the ends of its interval, or the mean alone. */
export function interval(
  metric: CellMetric | undefined,
): { mean: number; low: number; high: number; n: number } | null {
  const estimate = metric?.estimate;
  if (!estimate) return null;
  const [low, high] = estimate.ci95 ?? [estimate.mean, estimate.mean];
  return { mean: estimate.mean, low, high, n: estimate.n };
}

/** Whether no value of the metric is negative: its axis starts at 0 and no interval is drawn below. */
export const isNonNegative = (cells: readonly ComparedCell[], metric: string): boolean =>
  cells.every((cell) => Object.values(cell.metrics[metric]?.values ?? {}).every((value) => value >= 0));

/** Whether a setting of the server holds in the shown cells: at the picked place, within filter and facet. */
export function settingFits(setting: Record<string, string>, model: Model): boolean {
  return Object.entries(setting).every(([axis, label]) => {
    if (axis === model.x?.name) return label === model.at;
    return model.chosen.get(axis)?.includes(label) ?? true;
  });
}

/** The server's ranking of this metric in the shown cells, if it is only one. */
export function rankingAt(comparison: Comparison, model: Model): Comparison["rankings"][number] | undefined {
  const fitting = comparison.rankings.filter(
    (ranking) => ranking.metric === model.metric.name && settingFits(ranking.setting, model),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
