import type { CellMetric, MetricInfo } from "./api/client";

/** Group digits and keep `decimals` of them after the point. */
function fixed(value: number, decimals: number): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

const exponent = (value: number): number => Math.floor(Math.log10(Math.abs(value)));

/**
 * A number with the digits that its uncertainty leaves meaningful: two of the half-width, else four
 * significant ones. The command line prints the same.
 */
export function formatNumber(value: number, halfWidth?: number): string {
  if (value === 0 && !halfWidth) return "0";
  if (!halfWidth && Number.isInteger(value)) return fixed(value, 0);
  const decimals = halfWidth ? 1 - exponent(halfWidth) : 3 - exponent(value);
  return fixed(value, Math.max(0, decimals));
}

export function halfWidth(metric: CellMetric): number | undefined {
  const interval = metric.estimate.ci95;
  return interval ? (interval[1] - interval[0]) / 2 : undefined;
}

/** `12.4 ± 0.6`; a single observation has no interval. */
export function formatEstimate(metric: CellMetric): string {
  const half = halfWidth(metric);
  if (half === undefined) return formatNumber(metric.estimate.mean);
  if (half === 0) return `${formatNumber(metric.estimate.mean)} ± 0`;
  return `${formatNumber(metric.estimate.mean, half)} ± ${formatNumber(half, half)}`;
}

/** `−75.6 % ± 10.1`: the paired difference relative to the baseline's mean. */
export function formatDifference(metric: CellMetric): string {
  const against = metric.against_baseline;
  if (!against) return "";
  if (against.relative_mean === null) return formatNumber(against.difference.mean);
  const sign = against.relative_mean < 0 ? "−" : "+";
  const half = against.relative_ci95 ? (against.relative_ci95[1] - against.relative_ci95[0]) / 2 : undefined;
  const mean = `${sign}${fixed(Math.abs(100 * against.relative_mean), 1)} %`;
  return half === undefined ? mean : `${mean} ± ${fixed(100 * half, 1)}`;
}

const UNIT_WORDS = new Set(["ms", "pct", "mbps"]);

/** `packet delay p99` of `packet_delay_ms_p99`, `goodput newcomer` of `goodput_mbps:newcomer`. */
export function metricTitle(name: string): string {
  const [base, label] = name.split(":");
  const words = (base ?? "").split("_").filter((word) => !UNIT_WORDS.has(word));
  return [...words, ...(label ? [label] : [])].join(" ");
}

export function metricTitleWithUnit(metric: MetricInfo): string {
  const unit = metric.unit && metric.unit !== "packets" ? ` (${metric.unit})` : "";
  return metricTitle(metric.name) + unit;
}

/** `1 min 10 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** `1.9 M`. */
export function formatAmount(value: number): string {
  const step = [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const;
  const unit = step.find(([, factor]) => value >= factor);
  return unit ? `${(value / unit[1]).toFixed(1)} ${unit[0]}` : value.toFixed(0);
}
