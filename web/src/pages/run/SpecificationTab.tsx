import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Run } from "../../api/client";
import { fixed, formatValue } from "../../figures/numbers";
import { formatSize, formatTime } from "../../format";
import { type ComparedSetting, compareSettings, flatten, readable } from "./flatten";
import { scenarioOf } from "./naming";
import { RunAgain } from "./RunAgain";
import { RunTag } from "./RunTag";
import type { RunView } from "./useRunView";

/** What the run was given and what it made of it, beside the baseline's run, and where its records come from. */
export function SpecificationTab({ view }: { view: RunView }) {
  const { run, baseline } = view;
  const scenario = compareSettings(flatten(scenarioOf(run)), baseline && flatten(scenarioOf(baseline.run)));
  const configuration = compareSettings(
    flatten(run.configuration ?? {}),
    baseline && flatten(baseline.run.configuration ?? {}),
  );
  return (
    <>
      <section className="page-section">
        {baseline && (
          <p className="quiet">
            Marked: what differs from <RunTag name={baseline.name} />,{" "}
            <Link to="/runs/$runId" params={{ runId: baseline.run.id }} search={{ tab: "specification" }}>
              the baseline’s run
            </Link>{" "}
            of seed {baseline.run.seed_index}.
          </p>
        )}
        <div className="halves2">
          <Settings title="Specification" note="every field, defaults included" rows={scenario} />
          <div>
            <Provenance run={run} />
            {run.configuration && (
              <Settings title="Effective configuration" note="as the simulator reported it" rows={configuration} />
            )}
          </div>
        </div>
      </section>
      <RunAgain run={run} />
    </>
  );
}

function Settings({ title, note, rows }: { title: string; note: string; rows: ComparedSetting[] }) {
  return (
    <section className="settings">
      <h2 className="ft-h">
        {title}
        <small>{note}</small>
      </h2>
      <dl className="kv">
        {rows.map(({ path, value, other }) => (
          <div key={path} style={{ display: "contents" }}>
            <dt>{path}</dt>
            <dd>
              {other === undefined ? (
                readable(value)
              ) : (
                <>
                  <span className="differs">{readable(value)}</span>{" "}
                  <span className="quiet">baseline: {readable(other)}</span>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Provenance({ run }: { run: Run }) {
  const last = run.attempts.at(-1);
  const metadata = run.metadata ?? {};
  const cpu = metadata.cpu_seconds;
  const memory = metadata.peak_memory_bytes;
  const rows: [string, ReactNode][] = [
    ["run", <Mono key="run">{run.id}</Mono>],
    ["seed", String(run.seed_index)],
    ["simulator", <Mono key="simulator">{`${run.simulator_name}@${run.simulator_digest}`}</Mono>],
    ["records", run.digest ? <Mono key="records">{run.digest}</Mono> : "–"],
    ["traffic", run.schedule ? <Mono key="traffic">{run.schedule}</Mono> : "–"],
    ["attempts", `${run.attempts.length}${last ? `, the last on ${last.worker}` : ""}`],
    ["image", last?.image ? <Mono key="image">{last.image}</Mono> : "none: run without a container"],
    [
      "cost",
      [typeof cpu === "number" && `${formatValue(cpu)} s of CPU`, typeof memory === "number" && formatSize(memory)]
        .filter(Boolean)
        .join(", ") || "–",
    ],
    ["events", `${fixed(run.events, 0)}, ${fixed(run.predicted_events, 0)} predicted`],
    ["stored", formatSize(run.stored_bytes)],
    ["created", formatTime(run.created_at)],
    ["ended", run.ended_at ? formatTime(run.ended_at) : "–"],
  ];
  return (
    <section className="settings">
      <h2 className="ft-h">
        Where it comes from<small>equal specification, seed and build give equal records</small>
      </h2>
      <dl className="kv">
        {rows.map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const Mono = ({ children }: { children: string }) => <span className="mono">{children}</span>;
