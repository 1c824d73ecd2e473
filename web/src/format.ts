import type { Campaign, CellMetric, MetricInfo, RunCounts, UsedSimulator } from "./api/client";

/** Group digits and keep `decimals` after the decimal point. */
function fixed(value: number, decimals: number): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

const exponent = (value: number): number => Math.floor(Math.log10(Math.abs(value)));

/**
 * A number with the digits that are significant given its uncertainty: two digits of the half-width, or
 * four significant digits without one. The command line uses the same format.
 */
export function formatNumber(value: number, halfWidth?: number): string {
  if (value === 0 && !halfWidth) return "0";
  if (!halfWidth && Number.isInteger(value)) return fixed(value, 0);
  const decimals = halfWidth ? 1 - exponent(halfWidth) : 3 - exponent(value);
  return fixed(value, Math.max(0, decimals));
}

/**
 * `12.4 ± 0.6`: mean and half-width; `n = 2` if seeds are missing, `0 in all 3 seeds` if the value is the
 * same under every seed.
 */
export function formatEstimate(metric: CellMetric, planned: number): string {
  const values = Object.keys(metric.values).length;
  if (!metric.estimate) return "n = 0";
  const few = values < planned ? ` (n = ${values})` : "";
  const { mean, half_width: half } = metric.estimate;
  if (half === null) return formatNumber(mean) + few;
  if (half === 0) return `${formatNumber(mean)} in ${values === planned ? `all ${values}` : `${values} of ${planned}`} seeds`;
  return `${formatNumber(mean, half)} ± ${formatNumber(half, half)}${few}`;
}

/** `−75.6 % ± 10.1`: the difference to the baseline; absolute if there is no relative one. */
export function formatDifference(metric: CellMetric): string {
  const against = metric.against_baseline;
  if (!against) return "";
  if (against.relative_mean === null) {
    const half = against.half_width;
    return half ? `${formatNumber(against.mean, half)} ± ${formatNumber(half, half)}` : formatNumber(against.mean);
  }
  const sign = against.relative_mean < 0 ? "−" : "+";
  const mean = `${sign}${fixed(Math.abs(100 * against.relative_mean), 1)} %`;
  return against.relative_half_width === null ? mean : `${mean} ± ${fixed(100 * against.relative_half_width, 1)}`;
}

/** `ns3 2cbfa375`, and its compile time. */
export function formatBuild(build: UsedSimulator): string {
  const built = build.built_at ? `, built ${formatTime(build.built_at)}` : "";
  return `${build.name} ${build.digest.slice(0, 8)}${built}`;
}

export function metricTitleWithUnit(metric: MetricInfo): string {
  const unit = metric.unit && metric.unit !== "packets" ? ` (${metric.unit})` : "";
  return metric.title + unit;
}

/** `2/6 runs, 4 cancelled`: runs that have a result, succeeded or failed, and those that will have none. */
export function formatProgress(runs: RunCounts): string {
  const total = runs.queued + runs.running + runs.succeeded + runs.failed + runs.cancelled;
  const cancelled = runs.cancelled > 0 ? `, ${runs.cancelled} cancelled` : "";
  return `${runs.succeeded + runs.failed}/${total} runs${cancelled}`;
}

/**
 * Percentages of the progress bar. Finished parts are counted in runs; `running` is what unfinished runs have
 * simulated so far, as a share of all simulated time.
 */
export function progressSegments(campaign: Campaign): { state: "succeeded" | "failed" | "cancelled" | "running"; percent: number }[] {
  const { runs } = campaign;
  const total = Math.max(1, campaign.total_runs);
  const ended = runs.succeeded + runs.failed + runs.cancelled;
  const simulated = campaign.planned_ns > 0 ? campaign.simulated_ns / campaign.planned_ns : 0;
  const active = Math.min(Math.max(0, simulated - runs.succeeded / total), (total - ended) / total);
  const shares = {
    succeeded: runs.succeeded / total,
    failed: runs.failed / total,
    cancelled: runs.cancelled / total,
    running: runs.running > 0 ? active : 0,
  };
  return (["succeeded", "failed", "cancelled", "running"] as const)
    .filter((state) => shares[state] > 0)
    .map((state) => ({ state, percent: 100 * shares[state] }));
}

/** The shortest endings of axis names that tell them apart: two axes `groups[0].algorithm`, `groups[1].algorithm`. */
export function axisTitles(axes: string[]): string[] {
  const ending = (axis: string, parts: number) => axis.split(".").slice(-parts).join(".");
  return axes.map((axis) => {
    let parts = 1;
    while (axes.some((other) => other !== axis && ending(other, parts) === ending(axis, parts)) && parts < axis.split(".").length) parts += 1;
    return ending(axis, parts);
  });
}

/** `3 more failed runs are not listed`; empty if all of them are. */
export function formatUnlisted(failed: number, listed: number): string {
  const more = failed - listed;
  if (more <= 0) return "";
  return more === 1 ? "1 more failed run is not listed." : `${more} more failed runs are not listed.`;
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

/** A time in the reader's zone, which it names. */
export const formatTime = (iso: string): string =>
  new Date(iso).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
