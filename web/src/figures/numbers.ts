/** Digits in figures: an interval rules how many a mean has, and an axis has as few as its step needs. */
import type { Interval } from "./types";

const MINUS = "−";

/** A half-width below this share of the value is a rounding error of equal values. */
const ROUNDING = 1e-9;

export function fixed(value: number, decimals: number): string {
  const text = value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace("-", MINUS);
}

/** Decimals that a half-width leaves: two digits of one that begins with 1 or 2, one of any other; else three. */
export function decimalsFor(value: number, half: number | null): number {
  if (half !== null && half > ROUNDING * Math.abs(value)) {
    const exponent = Math.floor(Math.log10(half));
    return clampDecimals((half / 10 ** exponent < 2.95 ? 1 : 0) - exponent);
  }
  if (Number.isInteger(value)) return 0;
  return clampDecimals(2 - Math.floor(Math.log10(Math.abs(value))));
}

const clampDecimals = (decimals: number) => Math.max(0, Math.min(12, decimals));

/** `782.2` of 782.19 ± 0.84; three significant digits without a half-width. */
export const formatValue = (value: number, half: number | null = null): string =>
  fixed(value, decimalsFor(value, half));

/** Half the width of a symmetric interval, one-sided where it was cut at 0; null if there is none. */
export function halfWidth({ mean, low, high }: Interval): number | null {
  if (mean === null || low === null || high === null) return null;
  const above = high - mean;
  const below = mean - low;
  return low === 0 || Math.abs(above - below) <= 0.02 * (above + below) ? above : null;
}

/** `782.2`, and ` ± 0.8` or ` 31 to 55` if the interval is not symmetric; empty without an interval. */
export function formatInterval(interval: Interval): { value: string; spread: string } {
  const { mean, low, high } = interval;
  if (mean === null) return { value: "–", spread: "" };
  const half = halfWidth(interval);
  if (half !== null && half > ROUNDING * Math.abs(mean))
    return { value: formatValue(mean, half), spread: ` ± ${formatValue(half, half)}` };
  if (low === null || high === null || low === high) return { value: formatValue(mean), spread: "" };
  const width = (high - low) / 2;
  return { value: formatValue(mean, width), spread: ` ${formatValue(low, width)} to ${formatValue(high, width)}` };
}

const formatRatio = (ratio: number) => fixed(ratio, ratio >= 10 ? 0 : ratio >= 2 ? 1 : 2);

const formatPercent = (ratio: number) => {
  const difference = ratio - 1;
  const digits = fixed(Math.abs(100 * difference), Math.abs(difference) < 0.0995 ? 1 : 0);
  return `${difference >= 0 ? "+" : MINUS}${digits}`;
};

/** `+19 %` up to double, `× 3.9` from there. */
export const formatRelative = (ratio: number): string =>
  ratio >= 2 ? `× ${formatRatio(ratio)}` : `${formatPercent(ratio)} %`;

/** The interval of a ratio in the form of its estimate; `?` for an open upper end. */
export function formatRelativeSpan(ratio: number, low: number, high: number | null): string {
  const format = ratio >= 2 ? (value: number) => formatRatio(Math.max(0, value)) : formatPercent;
  return `${format(Math.max(0, low))} to ${high === null || !Number.isFinite(high) ? "?" : format(high)}`;
}

/** `+1.2`, `−0.4`. */
export function formatSigned(value: number, half: number | null = null): string {
  const text = formatValue(value, half);
  return value > 0 && !/^[0.,]*$/.test(text) ? `+${text}` : text;
}

/** `12.3k`, for places with room for few characters. */
export function formatCompact(value: number): string {
  const size = Math.abs(value);
  for (const [unit, factor] of [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    if (size >= factor) return `${fixed(value / factor, size / factor < 9.95 ? 1 : 0)}${unit}`;
  }
  return fixed(value, size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 0.995 ? 2 : 3);
}

/** A tick's label: the decimals that tell it from its neighbours at distance `step`, at most three digits and a unit. */
export function formatTick(value: number, step: number): string {
  if (value === 0) return "0";
  const size = Math.max(Math.abs(value), step);
  if (size < 1e-4) return `${value.toExponential(0)}`.replace("-", MINUS).replace("e-", `e${MINUS}`);
  if (size >= 1e6) {
    const [unit, factor] = size >= 1e9 ? (["G", 1e9] as const) : (["M", 1e6] as const);
    return fixed(value / factor, stepDecimals(step / factor)) + unit;
  }
  return fixed(value, stepDecimals(step));
}

/** Decimals of a step of 1, 2, 2.5 or 5 times a power of ten. */
function stepDecimals(step: number): number {
  for (let decimals = 0; decimals < 6; decimals += 1) {
    const scaled = Math.abs(step) * 10 ** decimals;
    if (scaled > 0.5 && Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 6;
}
