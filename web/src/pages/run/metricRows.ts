/** Metrics of a run beside those of another. */
import type { Run } from "../../api/client";
import { formatRelative, formatSigned } from "../../figures/numbers";

export interface MetricRow {
  name: string;
  title: string;
  unit: string;
  definition: string;
  value: number;
  other: number | undefined;
  /** `+4.0 %`, `× 6.1`, `+1` without a ratio, `=`; empty without the other value. */
  difference: string;
  /** More than 5 % apart. */
  far: boolean;
}

/** Groups in the order of a description's topics; others follow by name. */
const GROUPS = ["throughput", "completion", "rounds", "delay", "queue", "drops", "loss", "windows", "fairness"];

export function difference(value: number, other: number | undefined): { text: string; far: boolean } {
  if (other === undefined) return { text: "", far: false };
  if (value === other) return { text: "=", far: false };
  const ratio = other > 0 && value >= 0 ? value / other : undefined;
  if (ratio === undefined) return { text: formatSigned(value - other), far: true };
  return { text: formatRelative(ratio), far: Math.abs(ratio - 1) > 0.05 };
}

export function metricGroups(
  run: Pick<Run, "metrics">,
  other: Pick<Run, "metrics"> | undefined,
): { group: string; rows: MetricRow[] }[] {
  const others = new Map(other?.metrics.map(({ name, value }) => [name, value]));
  const groups = new Map<string, MetricRow[]>();
  for (const metric of run.metrics) {
    const { name, title, unit, value } = metric;
    const { text, far } = difference(value, others.get(name));
    const row = {
      name,
      title,
      unit: unit === "1" ? "" : unit,
      definition: metric.definition ?? "",
      value,
      other: others.get(name),
      difference: text,
      far,
    };
    const group = metric.group || "metrics";
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  const place = (group: string) => (GROUPS.indexOf(group) + GROUPS.length + 1) % (GROUPS.length + 1);
  return [...groups]
    .sort(([a], [b]) => place(a) - place(b) || a.localeCompare(b))
    .map(([group, rows]) => ({ group, rows }));
}
