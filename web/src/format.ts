import type { Campaign, CampaignDetail, RunCounts, UsedSimulator } from "./api/client";

/** `ns3 2cbfa375`, and its compile time. */
export function formatBuild(build: UsedSimulator): string {
  const built = build.built_at ? `, built ${formatTime(build.built_at)}` : "";
  return `${build.name} ${build.digest.slice(0, 8)}${built}`;
}

/** `1.9 GiB`, as the command line does. */
export function formatSize(bytes: number): string {
  const step = [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ] as const;
  const unit = step.find(([, factor]) => bytes >= factor);
  return unit ? `${Number((bytes / unit[1]).toPrecision(3))} ${unit[0]}` : `${bytes} B`;
}

/** `12 MiB stored, 3 MiB of it shared with other campaigns; kept`. */
export function formatStorage(campaign: CampaignDetail): string {
  const shared = campaign.storage.shared_bytes;
  return `${formatSize(campaign.stored_bytes)} stored${shared > 0 ? `, ${formatSize(shared)} of it shared with other campaigns` : ""}${campaign.keep ? "; kept" : ""}`;
}

/** What retention removed of a campaign; empty if nothing. */
export function formatPruned(campaign: CampaignDetail): string {
  const { runs_without_series: series, runs_without_logs: logs } = campaign.storage;
  const parts = [
    campaign.pruned_runs > 0 && `${campaign.pruned_runs} runs were pruned after it was cancelled`,
    series > 0 && `the series of ${series} runs were pruned`,
    logs > 0 && `the logs of ${logs} runs were pruned`,
  ];
  return parts.filter(Boolean).join("; ");
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
export function progressSegments(
  campaign: Campaign,
): { state: "succeeded" | "failed" | "cancelled" | "running"; percent: number }[] {
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
  new Date(iso).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  });

/** `branch=main commit=1f2e3d`. */
export function formatLabels(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

/** `5 min ago`, or the date from a week on. */
export function formatAge(iso: string, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - new Date(iso).getTime()) / 1000);
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/**
 * CPU seconds that are left, by the share of events simulated; null if it has ended or nothing has been
 * simulated yet.
 */
export function remainingSeconds(campaign: Campaign): number | null {
  if (campaign.ended || campaign.state === "cancelled") return null;
  const done = campaign.predicted_events > 0 ? campaign.events / campaign.predicted_events : 0;
  return Math.max(0, campaign.predicted_cpu_seconds * (1 - Math.min(1, done)));
}

/** A moment's time of day, with the day if it is another than today. */
export function formatClock(end: Date): string {
  const time = end.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const isToday = end.toDateString() === new Date().toDateString();
  return isToday ? time : `${end.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${time}`;
}
