/** The `windtunnel plot` command that draws a chart of the pages again, for a paper. */
import type { Comparison, MetricInfo } from "../../api/client";
import type { Axis } from "./axes";
import { type Model, spreadsWidely } from "./model";

/** Options in the order in which the command has them; a list repeats its option. */
export type PlotOptions = Record<string, string | number | readonly string[] | undefined>;

const PLAIN = /^[\w.,:=+/@%-]+$/;

/** A word as a POSIX shell reads it back. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** `windtunnel plot c0ffee --kind line --x servers -o figure.pdf`. */
export function plotCommand(campaign: string, options: PlotOptions): string {
  const words = Object.entries(options).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => option(name, String(one))),
  );
  return ["windtunnel plot", shellWord(campaign), ...words, "-o figure.pdf"].join(" ");
}

/** A value that begins with a dash would be read as an option. */
const option = (name: string, value: string): string =>
  value.startsWith("-") ? `--${name}=${shellWord(value)}` : `--${name} ${shellWord(value)}`;

/** Of the main figure, or of one panel of it: a line, dots at the chosen place, or a heat map. */
export function figureCommand(comparison: Comparison, model: Model): string | undefined {
  const { metric, x } = model;
  const [y, where] = [metric.name, whereOf(model)];
  const by = seriesAxes(model).map(({ title }) => title);
  if (model.chart === "seeds") return undefined;
  if (model.chart === "line" && x?.numbers) {
    const scale = model.log === spreadsWidely(x) ? {} : { [model.log ? "log" : "linear"]: "x" };
    return plotCommand(comparison.campaign, { kind: "line", x: x.title, y, by, where, ...scale });
  }
  if (model.chart === "heat") {
    const columns = x ?? seriesAxes(model)[1];
    const rows = seriesAxes(model).find((axis) => axis !== columns);
    return plotCommand(comparison.campaign, { kind: "heatmap", x: columns?.title, y, by: rows?.title, where });
  }
  return plotCommand(comparison.campaign, { kind: "dots", y, by, where: [...where, ...placeOf(model)] });
}

/** Of the matrix of coexistence in one setting. */
export const coexistenceCommand = (comparison: Comparison, setting: Record<string, string>, axes: readonly Axis[]) =>
  plotCommand(comparison.campaign, {
    kind: "heatmap",
    where: Object.entries(setting).map(([name, label]) => `${titleOf(name, axes)}=${label}`),
  });

/** Of two metrics against each other. */
export const scatterCommand = (comparison: Comparison, model: Model, vertical: MetricInfo, horizontal: MetricInfo) =>
  plotCommand(comparison.campaign, { kind: "scatter", y: [vertical.name, horizontal.name], where: whereOf(model) });

/** Of a field's distribution in all cells, or in those at the chosen place. */
export const cdfCommand = (comparison: Comparison, model: Model, field: string, atPlace: boolean) =>
  plotCommand(comparison.campaign, {
    kind: "cdf",
    x: field,
    facet: "none",
    where: [...whereOf(model), ...(atPlace ? placeOf(model) : [])],
  });

/** Of a run's signals; the range is in seconds, null for the whole run. */
export const seriesCommand = (
  campaign: string,
  run: string,
  names: readonly string[],
  range: readonly [number, number] | null,
) => plotCommand(campaign, { run, series: names, from: range?.[0], to: range?.[1] });

const titleOf = (name: string, axes: readonly Axis[]) => axes.find((axis) => axis.name === name)?.title ?? name;

const whereOf = (model: Model): string[] =>
  [...model.chosen].flatMap(([name, labels]) => labels.map((label) => `${titleOf(name, model.axes)}=${label}`));

const placeOf = ({ x, at }: Model): string[] => (x && at !== null ? [`${x.title}=${at}`] : []);

/** The axes that tell lines or rows of the model apart. */
const seriesAxes = ({ axes, x, facet }: Model): Axis[] =>
  axes.filter((axis) => axis !== x && axis !== facet && axis.labels.length > 1);
