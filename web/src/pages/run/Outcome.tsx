import { useQuery } from "@tanstack/react-query";
import { campaignQuery } from "../../api/queries";
import { formatValue } from "../../figures/numbers";
import { RunTag } from "./RunTag";
import type { NamedRun, RunView } from "./useRunView";

const MOST = 3;

/** The run's main metrics in a sentence, beside the baseline's of the same seed. */
export function Outcome({ view }: { view: RunView }) {
  const { run, baseline, name, siblings } = view;
  const { data } = useQuery({
    ...campaignQuery(siblings?.campaign ?? ""),
    enabled: siblings !== undefined,
    staleTime: 60_000,
  });
  const main = [
    ...(data?.default_metrics ?? []),
    "goodput_mbps",
    "packet_delay_ms_mean",
    "drops_total",
    ...run.metrics.map((metric) => metric.name),
  ];
  const reported = new Set(run.metrics.map((metric) => metric.name));
  const chosen = [...new Set(main)].filter((metric) => reported.has(metric)).slice(0, MOST);
  if (chosen.length === 0 || (siblings && !data)) return null;
  return (
    <div className="verdict">
      <p className="say" data-testid="outcome">
        <RunTag name={name} /> has <Numbers named={view} metrics={chosen} titled />.{" "}
        {baseline && baseline.run.state === "succeeded" && (
          <>
            {run.schedule && run.schedule === baseline.run.schedule ? "On the same traffic, " : "With the same seed, "}
            <RunTag name={baseline.name} /> has <Numbers named={baseline} metrics={chosen} />.{" "}
          </>
        )}
        <span className="sure">
          One seed{siblings?.is_baseline ? " of the baseline" : ""}: an illustration, no verdict.
        </span>
      </p>
    </div>
  );
}

/** `goodput 9.66 Mb/s, packet delay 24.5 ms and drops 200`. */
function Numbers({ named, metrics, titled = false }: { named: NamedRun; metrics: string[]; titled?: boolean }) {
  const found = metrics.flatMap((name) => named.run.metrics.find((metric) => metric.name === name) ?? []);
  return found.map((metric, i) => (
    <span key={metric.name}>
      {i > 0 && (i === found.length - 1 ? " and " : ", ")}
      {titled &&
        `${metric.title.toLowerCase() === metric.title.toUpperCase() ? metric.title : lowerFirst(metric.title)} `}
      {titled ? <b>{withUnit(metric.value, metric.unit)}</b> : withUnit(metric.value, metric.unit)}
    </span>
  ));
}

const withUnit = (value: number, unit: string) => `${formatValue(value)}${unit && unit !== "1" ? ` ${unit}` : ""}`;
const lowerFirst = (title: string) =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
