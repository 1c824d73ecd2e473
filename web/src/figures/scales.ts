/** Scales, ticks and the spreading of labels. */
import { scaleLinear, scaleLog } from "d3-scale";
import { formatTick } from "./numbers";
import type { Interval } from "./types";

export interface Tick {
  value: number;
  /** Empty for a tick without a label. */
  label: string;
}

export interface Scale {
  /** Position in px. */
  (value: number): number;
  invert(position: number): number;
  domain: readonly [number, number];
  ticks: Tick[];
}

type Ends = readonly [number, number];

export const clamp = (value: number, [low, high]: Ends): number => Math.min(high, Math.max(low, value));

/** Round to a tenth of a pixel. */
export const px = (value: number): number => Math.round(value * 10) / 10;

export function linearScale(domain: Ends, range: Ends, count = 5): Scale {
  const d3 = scaleLinear(domain, range);
  const values = d3.ticks(count);
  const step = values.length > 1 ? (values[1] ?? 0) - (values[0] ?? 0) : Math.abs(values[0] ?? 1);
  const ticks = values.map((value) => ({ value, label: formatTick(value, step) }));
  return Object.assign((value: number) => d3(value), { invert: (at: number) => d3.invert(at), domain, ticks });
}

export function logScale(domain: Ends, range: Ends): Scale {
  const d3 = scaleLog(domain, range);
  return Object.assign((value: number) => d3(value), {
    invert: (at: number) => d3.invert(at),
    domain,
    ticks: logTicks(domain),
  });
}

/** Doublings if the values are 1 or more, else 1, 2 and 5 times powers of ten, else powers of ten. */
export function logTicks([low, high]: Ends): Tick[] {
  const within = (value: number) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
  const doublings = powers(2, low, high).filter(within);
  const decades = powers(10, low, high);
  const fine = decades.flatMap((decade) => [decade, 2 * decade, 5 * decade]).filter(within);
  const coarse = decades.filter(within);
  const values =
    low >= 0.9 && doublings.length <= 12 && doublings.length > 1
      ? doublings
      : fine.length <= 10 || coarse.length < 2
        ? fine
        : coarse;
  return values.map((value) => ({ value, label: formatTick(value, value) }));
}

/** Powers of the base from the one below `low` to `high`. */
function powers(base: number, low: number, high: number): number[] {
  const log = (value: number) => Math.log(value) / Math.log(base);
  const first = Math.floor(log(low) + 1e-9);
  const last = Math.floor(log(high) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => base ** (first + i));
}

/** The least and the largest value; a loop, for a call has no room for very many arguments. */
function endsOf(values: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

export interface DomainOptions {
  floor?: 0 | null | undefined;
  log?: boolean | undefined;
  count?: number;
}

/** The ends of a value axis with round numbers at both: from 0 if values cannot be negative. */
export function niceDomain(
  values: readonly number[],
  { floor = null, log = false, count = 5 }: DomainOptions = {},
): [number, number] {
  const finite = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (finite.length === 0) return log ? [1, 10] : [0, 1];
  let [low, high] = endsOf(finite);
  if (log) {
    const base = low >= 0.9 && high / low < 2 ** 11 ? 2 : 10;
    const exponent = (value: number) => Math.log(value) / Math.log(base);
    low = base ** Math.floor(exponent(low) + 1e-9);
    high = base ** Math.ceil(exponent(high) - 1e-9);
    return [low, high > low ? high : low * base];
  }
  if (floor === 0) {
    low = 0;
    high = Math.max(0, high);
  }
  if (high === low) {
    const pad = Math.abs(high) * 0.1 || 1;
    return floor === 0 ? [0, high + pad] : [low - pad, high + pad];
  }
  const [niceLow = low, niceHigh = high] = scaleLinear([low, high], [0, 1]).nice(count).domain();
  return [niceLow, niceHigh];
}

/** All ends of intervals that an axis has to show; an upper end far above every mean is left to be cut. */
export function intervalEnds(intervals: readonly Interval[], slack = 2.5): number[] {
  const means = intervals.flatMap(({ mean }) => (mean === null ? [] : [mean]));
  const top = Math.max(...means.map(Math.abs), 0) * slack;
  const ends = intervals
    .flatMap(({ low, high }) => [low, high])
    .filter((end): end is number => end !== null && Number.isFinite(end));
  return [...means, ...ends.map((end) => (top > 0 ? clamp(end, [-top, top]) : end))];
}

/** A domain of one value gets room at both sides. */
export function dataDomain(values: readonly number[], log: boolean): [number, number] {
  const [low, high] = endsOf(values);
  if (values.length === 0) return log ? [1, 10] : [0, 1];
  if (low < high) return [low, high];
  return log ? [low / 2, low * 2] : [low - (Math.abs(low) * 0.5 || 1), low + (Math.abs(low) * 0.5 || 1)];
}

/**
 * A tick at every measured place. On a log axis with doublings only these are labelled, else as many as fit;
 * beyond 16 places round numbers are labelled instead.
 */
export function placeTicks(places: readonly number[], scale: Scale, log: boolean): Tick[] {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  if (sorted.length > 16 && !log) return scale.ticks;
  const doublings = log ? sorted.filter((value) => Number.isInteger(Math.log2(value))) : [];
  const round = log ? sorted.filter((value) => Number.isInteger(Number(Math.log10(value).toFixed(9)))) : [];
  const preferred =
    doublings.length > 2
      ? doublings
      : round.length > 2
        ? round
        : [...sorted.filter((_, i) => i === 0), ...sorted.slice(-1), ...sorted];
  const taken: [from: number, to: number][] = [];
  const labels = new Map<number, string>();
  for (const value of preferred) {
    if (labels.has(value)) continue;
    const label = value.toLocaleString("en-US", { maximumSignificantDigits: 6 }).replace("-", "−");
    const half = textWidth(label, 11.5) / 2 + 4;
    const at = scale(value);
    if (taken.some(([from, to]) => at + half > from && at - half < to)) continue;
    taken.push([at - half, at + half]);
    labels.set(value, label);
  }
  return sorted.map((value) => ({ value, label: labels.get(value) ?? "" }));
}

/** Ticks without the labels that would touch another; from the tick at `keep` (else the first) outwards. */
export function spaceTicks(scale: Scale, keep?: number): Tick[] {
  const anchor =
    keep === undefined
      ? 0
      : Math.max(
          0,
          scale.ticks.findIndex(({ value }) => Math.abs(value - keep) < 1e-9),
        );
  const taken: [from: number, to: number][] = [];
  const order = scale.ticks.map((_, i) => i).sort((a, b) => Math.abs(a - anchor) - Math.abs(b - anchor) || a - b);
  const shown = new Set<number>();
  for (const index of order) {
    const { value, label } = scale.ticks[index] ?? { value: 0, label: "" };
    const half = textWidth(label, 11.5) / 2 + 3;
    const at = scale(value);
    if (taken.some(([from, to]) => at + half > from && at - half < to)) continue;
    taken.push([at - half, at + half]);
    shown.add(index);
  }
  return scale.ticks.map((tick, i) => (shown.has(i) ? tick : { ...tick, label: "" }));
}

/** Estimate of a text's width in px; the drawing measures nothing. */
export const textWidth = (text: string, size = 13): number => [...text].length * size * 0.575;

/**
 * Move labels apart so that neighbours are at least `gap` apart within [low, high], in their order and as little
 * as possible (least squares: pool adjacent violators). The gap shrinks if there is no room for all.
 */
export function spreadLabels(positions: readonly number[], gap: number, low: number, high: number): number[] {
  const count = positions.length;
  if (count === 0) return [];
  const room = count > 1 ? Math.min(gap, (high - low) / (count - 1)) : gap;
  const order = positions.map((_, i) => i).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0) || a - b);
  const blocks: { sum: number; size: number }[] = [];
  order.forEach((index, rank) => {
    blocks.push({ sum: (positions[index] ?? 0) - rank * room, size: 1 });
    for (let last = blocks.length - 1; last > 0; last -= 1) {
      const [above, below] = [blocks[last - 1], blocks[last]];
      if (!above || !below || above.sum / above.size <= below.sum / below.size) break;
      blocks.splice(last - 1, 2, { sum: above.sum + below.sum, size: above.size + below.size });
    }
  });
  const spread = new Array<number>(count);
  let rank = 0;
  for (const { sum, size } of blocks) {
    const base = clamp(sum / size, [low, Math.max(low, high - (count - 1) * room)]);
    for (let i = 0; i < size; i += 1, rank += 1) spread[order[rank] ?? 0] = base + rank * room;
  }
  return spread;
}

/** Put ranges that overlap into different lanes: the index of each one's lane. */
export function assignLanes(ranges: readonly (readonly [number, number])[]): number[] {
  const ends: number[] = [];
  return ranges.map(([from, to]) => {
    const free = ends.findIndex((end) => end < from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = to;
    return lane;
  });
}
