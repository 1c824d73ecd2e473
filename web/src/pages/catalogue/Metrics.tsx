import type { MetricInfo } from "../../api/client";
import { Anchor } from "./Anchor";

const DIRECTIONS: Record<MetricInfo["direction"], string> = {
  higher: "↑ higher is better",
  lower: "↓ lower is better",
  none: "neither is better",
};

/** Metrics by topic: what they mean, their unit and direction, and the smallest difference that matters. */
export function Metrics({ metrics }: { metrics: MetricInfo[] }) {
  const groups = grouped(metrics);
  return (
    <div data-testid="metrics">
      {[...groups].map(([group, members]) => (
        <section key={group} className="metric-group">
          <h2>{group}</h2>
          <ul className="entries">
            {members.map((metric) => (
              <li key={metric.name} id={`metrics-${metric.name}`} className="entry">
                <div className="entry-name">
                  <h3>
                    <span className="mono">{metric.name}</span>
                    <Anchor id={`metrics-${metric.name}`} name={metric.name} />
                  </h3>
                  <small>{[metric.title, metric.unit].filter(Boolean).join(", ")}</small>
                </div>
                <div className="entry-about">
                  <p>{metric.definition}</p>
                  <p className="quiet">
                    {DIRECTIONS[metric.direction]}
                    {metric.relevance &&
                      metric.relevance !== "none" &&
                      ` · differences matter from ${metric.relevance}`}
                    {metric.absent && ` · no value if ${metric.absent}`}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function grouped(metrics: MetricInfo[]): Map<string, MetricInfo[]> {
  const groups = new Map<string, MetricInfo[]>();
  for (const metric of metrics) groups.set(metric.group, [...(groups.get(metric.group) ?? []), metric]);
  return groups;
}
