/** What figures are given: numbers of the server, and how to draw them. Figures compute no statistics. */

/** Which values of a metric are better. */
export type Direction = "higher" | "lower" | "none";

/** A mean with its confidence interval; null where there is none (no values, or one seed). */
export interface Interval {
  mean: number | null;
  low: number | null;
  high: number | null;
  /** Number of seeds. */
  n?: number | undefined;
}

export interface Axis {
  title: string;
  unit?: string | undefined;
  log?: boolean | undefined;
  direction?: Direction | undefined;
  /** 0 if values cannot be negative: the axis starts there and nothing is drawn below it. */
  floor?: 0 | null | undefined;
  /** Fixes the ends of the axis, e.g. to share it between facets. */
  domain?: readonly [number, number] | undefined;
}

/** A value to compare with, drawn as a dotted line. */
export interface Reference {
  value: number;
  label: string;
  /** Nothing can exceed it (a link rate): the axis ends there. */
  limit?: boolean | undefined;
}

/** Result of a comparison with the baseline. `higher` and `lower` if the metric has no direction. */
export type Outcome = "better" | "worse" | "equivalent" | "inconclusive" | "higher" | "lower";

/** Widths below this follow the rules for phones. */
export const NARROW = 560;
