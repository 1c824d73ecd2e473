import { knownKinds, splitName } from "../../figures/algorithms";

/** What the labels of a campaign's axes are: names, or numbers with a unit. */

export interface Axis {
  name: string;
  /** The shortest ending of the name that tells it from the other axes. */
  title: string;
  /** In order of appearance. */
  labels: string[];
  /** The labels' numbers in `unit`, or null if they are names. */
  numbers: Map<string, number> | null;
  unit: string;
}

interface Unit {
  dimension: string;
  factor: number;
}

const UNITS: Record<string, Unit> = {
  "": { dimension: "", factor: 1 },
  "%": { dimension: "%", factor: 1 },
  p: { dimension: "packets", factor: 1 },
  bdp: { dimension: "BDP", factor: 1000 },
  mbdp: { dimension: "BDP", factor: 1 },
  ns: { dimension: "time", factor: 1e-9 },
  us: { dimension: "time", factor: 1e-6 },
  ms: { dimension: "time", factor: 1e-3 },
  s: { dimension: "time", factor: 1 },
  min: { dimension: "time", factor: 60 },
  h: { dimension: "time", factor: 3600 },
  B: { dimension: "bytes", factor: 1 },
  kB: { dimension: "bytes", factor: 1e3 },
  KB: { dimension: "bytes", factor: 1e3 },
  MB: { dimension: "bytes", factor: 1e6 },
  GB: { dimension: "bytes", factor: 1e9 },
  KiB: { dimension: "bytes", factor: 2 ** 10 },
  MiB: { dimension: "bytes", factor: 2 ** 20 },
  GiB: { dimension: "bytes", factor: 2 ** 30 },
  bps: { dimension: "rate", factor: 1 },
  kbps: { dimension: "rate", factor: 1e3 },
  Mbps: { dimension: "rate", factor: 1e6 },
  Gbps: { dimension: "rate", factor: 1e9 },
  Tbps: { dimension: "rate", factor: 1e12 },
};

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z%]*)$/;

/** `128KiB` as a number and the name of its unit; undefined for anything else. */
export function parseQuantity(label: string): { value: number; unit: string } | undefined {
  const [, digits, unit = ""] = QUANTITY.exec(label.trim()) ?? [];
  return digits !== undefined && unit in UNITS ? { value: Number(digits), unit } : undefined;
}

/** The labels' numbers in one unit: the first label's. Undefined unless all are numbers of one dimension. */
function numbersOf(labels: readonly string[]): { numbers: Map<string, number>; unit: string } | undefined {
  const parsed = labels.map(parseQuantity);
  const first = parsed.find((quantity) => quantity && quantity.value !== 0 && quantity.unit !== "") ?? parsed[0];
  if (!first) return undefined;
  const target = UNITS[first.unit] as Unit;
  const numbers = new Map<string, number>();
  for (const [index, quantity] of parsed.entries()) {
    const unit = quantity && (UNITS[quantity.unit] as Unit);
    const fits = unit && (unit.dimension === target.dimension || (quantity.value === 0 && quantity.unit === ""));
    if (!fits) return undefined;
    numbers.set(
      labels[index] as string,
      quantity.unit === first.unit
        ? quantity.value
        : Number(((quantity.value * unit.factor) / target.factor).toPrecision(12)),
    );
  }
  return { numbers, unit: first.unit === "p" ? "packets" : first.unit };
}

/** The shortest endings of axis names that tell them apart: two axes `groups[0].algorithm`, `groups[1].algorithm`. */
export function axisTitles(axes: string[]): string[] {
  const ending = (axis: string, parts: number) => axis.split(".").slice(-parts).join(".");
  return axes.map((axis) => {
    let parts = 1;
    while (
      axes.some((other) => other !== axis && ending(other, parts) === ending(axis, parts)) &&
      parts < axis.split(".").length
    )
      parts += 1;
    return ending(axis, parts);
  });
}

/** The axes of these cells, with their labels in order of appearance. */
export function axesOf(names: string[], cells: readonly { coordinates: Record<string, string> }[]): Axis[] {
  const titles = axisTitles(names);
  return names.map((name, index) => {
    const labels = [...new Set(cells.map((cell) => cell.coordinates[name]).filter((label) => label !== undefined))];
    const numeric = labels.length > 0 ? numbersOf(labels) : undefined;
    return { name, title: titles[index] ?? name, labels, numbers: numeric?.numbers ?? null, unit: numeric?.unit ?? "" };
  });
}

const KNOWN = new Set(knownKinds);

/** Whether an axis is one of algorithms: by its name, or because all of its labels are algorithms. */
export function isAlgorithmAxis({ name, labels }: { name: string; labels: readonly string[] }): boolean {
  return (
    name === "algorithm" ||
    name.endsWith(".algorithm") ||
    (labels.length > 0 && labels.every((label) => KNOWN.has(splitName(label)[0])))
  );
}
