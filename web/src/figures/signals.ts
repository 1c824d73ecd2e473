/** Sampled signals: the part that is visible, with few enough points to draw. */

export interface Signal {
  /** In ascending order, in seconds of simulated time. */
  times: ArrayLike<number>;
  /** As many as times; null where there is no sample. */
  values: ArrayLike<number | null>;
}

export type Sample = readonly [time: number, value: number | null];

/** Index of the first time that is not before `time`. */
export function firstIndexFrom(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value that holds at a time: of the last sample before or at it. */
export function sampleAt({ times, values }: Signal, time: number): number | null {
  const next = firstIndexFrom(times, time);
  const index = times[next] === time ? next : next - 1;
  return values[index] ?? null;
}

/**
 * The samples from `from` to `to` and one at either side. Where there are more than four for a column of pixels,
 * each column keeps its first, least, largest and last: the drawing is the same (Jugel et al., VLDB 2014, "M4").
 */
export function visibleSamples({ times, values }: Signal, from: number, to: number, columns: number): Sample[] {
  const start = Math.max(0, firstIndexFrom(times, from) - 1);
  const end = Math.min(times.length, firstIndexFrom(times, to) + 1);
  const sample = (index: number): Sample => [times[index] ?? 0, values[index] ?? null];
  if (end - start <= 4 * columns) return Array.from({ length: Math.max(0, end - start) }, (_, i) => sample(start + i));

  const kept: Sample[] = [];
  const width = (to - from) / columns;
  let index = start;
  while (index < end) {
    const column = Math.floor(((times[index] ?? 0) - from) / width);
    const chosen = new Set([index]);
    let [least, largest, last] = [index, index, index];
    for (; index < end && Math.floor(((times[index] ?? 0) - from) / width) === column; index += 1) {
      const value = values[index] ?? null;
      if (value === null) chosen.add(index);
      else {
        const [low, high] = [values[least] ?? null, values[largest] ?? null];
        if (low === null || value < low) least = index;
        if (high === null || value > high) largest = index;
      }
      last = index;
    }
    for (const one of [least, largest, last]) chosen.add(one);
    for (const one of [...chosen].sort((a, b) => a - b)) kept.push(sample(one));
  }
  return kept;
}

/** Times at which ticks are drawn: one for each column of pixels at most. */
export function visibleEvents(times: ArrayLike<number>, from: number, to: number, columns: number): number[] {
  const kept: number[] = [];
  let lastColumn = -1;
  for (let index = firstIndexFrom(times, from); index < times.length; index += 1) {
    const time = times[index] ?? 0;
    if (time > to) break;
    const column = Math.floor(((time - from) / (to - from)) * columns);
    if (column !== lastColumn) kept.push(time);
    lastColumn = column;
  }
  return kept;
}
