/** Words for a run: its algorithms, what tells it from the others, its times. */
import type { Run } from "../../api/client";
import { BESIDE } from "../../figures/algorithms";
import { formatValue } from "../../figures/numbers";
import { axesOf, isAlgorithmAxis, parseQuantity } from "../comparison/axes";

type Json = Record<string, unknown>;
type Coordinates = Record<string, string>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The scenario of the run's spec. */
export function scenarioOf(run: Pick<Run, "spec">): Json {
  return isObject(run.spec.scenario) ? run.spec.scenario : {};
}

const kind = (value: unknown): string =>
  typeof value === "string" ? value : isObject(value) && typeof value.kind === "string" ? value.kind : "";

/** The kind of a part of the scenario: `dumbbell` of its topology. */
export const kindOf = (run: Pick<Run, "spec">, part: string): string => kind(scenarioOf(run)[part]);

/** Which of a campaign's axes are of algorithms, by the labels of its cells. */
export const algorithmAxes = (axes: string[], cells: readonly { coordinates: Coordinates }[]): string[] =>
  axesOf(axes, cells)
    .filter(isAlgorithmAxis)
    .map(({ name }) => name);

/** The algorithm as its campaign labels it, those of several groups joined; else its kind; else the simulator's name. */
export function algorithmOf(
  run: Pick<Run, "spec" | "simulator_name">,
  coordinates: Coordinates = {},
  axes: readonly string[] = [],
): string {
  const kinds = new Set(groupAlgorithms(run).values());
  return labelOf(coordinates, axes) || [...kinds].join(BESIDE) || kindOf(run, "algorithm") || run.simulator_name;
}

/** The labels of axes of algorithms, joined. */
export const labelOf = (coordinates: Coordinates, axes: readonly string[]): string =>
  axes.flatMap((axis) => coordinates[axis] ?? []).join(BESIDE);

/** The names that a run's name joins. */
export const algorithmsIn = (name: string): string[] => name.split(BESIDE);

/** The algorithm of each group of flows that the workload names: its label if the campaign has an axis of it. */
export function groupAlgorithms(
  run: Pick<Run, "spec">,
  coordinates: Coordinates = {},
  axes: readonly string[] = [],
): Map<string, string> {
  const { workload } = scenarioOf(run);
  const groups = isObject(workload) && Array.isArray(workload.groups) ? workload.groups : [];
  const shared = axes.filter((axis) => !axis.includes("groups["));
  const common = (shared.length === 1 && coordinates[shared[0] ?? ""]) || kindOf(run, "algorithm");
  return new Map(
    groups.flatMap((group, index): [string, string][] => {
      if (!isObject(group) || typeof group.name !== "string") return [];
      const axis = axes.find((name) => name.endsWith(`groups[${index}].algorithm`));
      const algorithm = (axis !== undefined && coordinates[axis]) || kind(group.algorithm) || common;
      return algorithm ? [[group.name, algorithm]] : [];
    }),
  );
}

/** The algorithm of each flow, as series name them (`flow0`), by the group in its record. */
export function flowAlgorithms(
  records: readonly Record<string, unknown>[],
  groups: ReadonlyMap<string, string>,
): Map<string, string> {
  return new Map(
    records.flatMap(({ flow, group }): [string, string][] => {
      const algorithm = typeof group === "string" ? groups.get(group) : undefined;
      return algorithm === undefined ? [] : [[`flow${flow}`, algorithm]];
    }),
  );
}

/** Seconds of a time such as `2000000000ns`; undefined for anything else. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const quantity = parseQuantity(value);
  const factor = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 }[quantity?.unit ?? ""];
  return quantity && factor ? quantity.value * factor : undefined;
}

/** `20 ms`, `1.57 s`. */
export const formatSeconds = (seconds: number): string =>
  seconds > 0 && seconds < 1 ? `${formatValue(1000 * seconds)} ms` : `${formatValue(seconds)} s`;

export const warmUpOf = (run: Pick<Run, "spec">): number => secondsOf(scenarioOf(run).warmup) ?? 0;

/** `single-path, servers 40`: coordinates other than the algorithms. */
export function placeOf(coordinates: Coordinates | undefined, axes: readonly string[]): string {
  return Object.entries(coordinates ?? {})
    .filter(([axis]) => !axes.includes(axis))
    .map(([axis, label]) => (Number.isFinite(Number(label)) ? `${axis.split(".").pop()} ${label}` : label))
    .join(", ");
}

export const STATE_WORDS: Record<string, string> = {
  queued: "queued",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
};
