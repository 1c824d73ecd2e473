/**
 * Hue, marker and dash pattern of an algorithm, by name and never by position. `algorithms.json` is the table;
 * plotting commands in other languages read the same file.
 */
import table from "./algorithms.json";

export type MarkerName =
  | "circle"
  | "square"
  | "triangle-up"
  | "diamond"
  | "triangle-down"
  | "hexagon"
  | "plus"
  | "star";

export interface AlgorithmStyle {
  /** The algorithm without parameters and implementation: `vegas` of `vegas Alpha=1`, `cubic` of `linux/cubic`. */
  kind: string;
  /** Index of the custom properties `--a0` to `--a11`. */
  hue: number;
  marker: MarkerName;
  /** Index into `dashPatterns`; 0 is a solid line. */
  dash: number;
}

export const hues = table.hues;
export const textHues = table.text;
export const markerNames = table.markers as MarkerName[];
export const dashPatterns: number[][] = table.dashes;
export const knownKinds = Object.keys(table.kinds);

const HUES = table.hues.light.length;
const KINDS = new Map(Object.entries(table.kinds as unknown as Record<string, [number, MarkerName]>));

/** FNV-1a, 32 bits, over UTF-8. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** `["vegas", "Alpha=1"]` of `vegas Alpha=1`; `["cubic", "linux"]` of `linux/cubic`. */
export function splitName(name: string): [kind: string, variant: string] {
  const [algorithm = "", ...parameters] = name.trim().split(/\s+/);
  const slash = algorithm.lastIndexOf("/");
  const kind = algorithm.slice(slash + 1);
  return [kind, [algorithm.slice(0, Math.max(0, slash)), ...parameters].filter(Boolean).join(" ")];
}

/** Known kinds have a fixed place; any other gets one from its hash, so that it looks the same everywhere. */
export function algorithmStyle(name: string): AlgorithmStyle {
  const [kind, variant] = splitName(name);
  const dash = variant === "" ? 0 : 1 + (fnv1a(variant) % (dashPatterns.length - 1));
  const known = KINDS.get(kind);
  if (known) return { kind, hue: known[0], marker: known[1], dash };
  const hash = fnv1a(kind);
  return { kind, hue: hash % HUES, marker: markerNames[(hash >>> 8) % markerNames.length] ?? "circle", dash };
}

/** Between the algorithms of groups in the name of what has several: `cubic / vegas`. */
export const BESIDE = " / ";

/** The hue of a name's algorithm; undefined, drawn without a hue, where it has several. */
export const hueOf = (name: string): number | undefined =>
  name.includes(BESIDE) ? undefined : algorithmStyle(name).hue;

/**
 * Dash patterns of the names of one figure. Each has its own by name; where two variants of a kind share one,
 * the later name takes the next free pattern.
 */
export function dashesOf(names: readonly string[]): Map<string, number> {
  const taken = new Map<string, Set<number>>();
  const dashes = new Map<string, number>();
  for (const name of [...new Set(names)].sort()) {
    const { kind, dash } = algorithmStyle(name);
    const used = taken.get(kind) ?? new Set();
    taken.set(kind, used);
    let free = dash;
    for (let step = 0; step < dashPatterns.length && used.has(free) && dash > 0; step += 1) {
      free = (free % (dashPatterns.length - 1)) + 1;
    }
    used.add(free);
    dashes.set(name, free);
  }
  return dashes;
}

/** Dash patterns of the lines of one figure, in their order: lines of the same name get different ones. */
export function dashesOfLines(names: readonly string[]): number[] {
  const dashes = dashesOf(names);
  const seen = new Map<string, number>();
  return names.map((name) => {
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return ((dashes.get(name) ?? 0) + nth) % dashPatterns.length;
  });
}

/** Value of `stroke-dasharray`; undefined for a solid line. */
export const dashArray = (dash: number): string | undefined => dashPatterns[dash]?.join(" ") || undefined;
