import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { catalogueQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { formatAge, formatDuration, formatSize, formatTime } from "../../format";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { ErrorNote, Skeleton } from "../../ui/states";
import { AdminOnly } from "./AdminOnly";
import { type System, systemQuery, type Usage, usageQuery, type Worker, workersQuery } from "./queries";
import "./admin.css";

/** The service's state, every five seconds: queue, workers, storage, versions. */
export function SystemPage() {
  useTitle("System");
  return (
    <AdminOnly what="The system's state is">
      <State />
    </AdminOnly>
  );
}

function State() {
  const { data: system, error } = useQuery(systemQuery);
  const { data: workers } = useQuery(workersQuery);
  const { data: usage } = useQuery(usageQuery);
  const shown: (Worker & { seen_at?: string })[] | undefined = system?.workers ?? workers;
  return (
    <>
      <div className="head">
        <div>
          <h1>System</h1>
          <p className="facts">
            {system && (
              <>
                <span>
                  Windtunnel <b>{system.version}</b>
                </span>
                <span title={formatTime(system.started_at)}>started {formatAge(system.started_at)}</span>
                <span>database schema {system.schema_version}</span>
              </>
            )}
          </p>
        </div>
      </div>
      {error && (
        <div className="notices">
          <ErrorNote error={error} />
        </div>
      )}
      {system ? <Numbers system={system} workers={shown ?? []} /> : !error && <Skeleton lines={3} />}
      {shown && <Workers workers={shown} />}
      {system && <Simulators simulators={system.simulators} />}
      {usage && <Storage submitters={usage.submitters} total={usage.stored_bytes} />}
    </>
  );
}

const count = (value: number, one: string): string =>
  `${value.toLocaleString("en-US")} ${value === 1 ? one : `${one}s`}`;

function Numbers({ system, workers }: { system: System; workers: Worker[] }) {
  const { queue, database } = system;
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  return (
    <dl className="numbers" data-testid="numbers">
      <Figure
        title="running"
        value={queue.running.toLocaleString("en-US")}
        note={`on ${slots} ${slots === 1 ? "slot" : "slots"}`}
      />
      <Figure
        title="queued"
        value={queue.queued.toLocaleString("en-US")}
        note={
          queue.oldest_queued_seconds == null
            ? "nothing waits"
            : `the oldest for ${formatDuration(queue.oldest_queued_seconds)}`
        }
      />
      <Figure title="verifications" value={queue.verifications.toLocaleString("en-US")} note="open" />
      <Figure
        title="database"
        value={formatSize(database.bytes)}
        note={`${count(database.campaigns, "campaign")}, ${count(database.runs, "run")}`}
      />
    </dl>
  );
}

function Figure({ title, value, note }: { title: string; value: string; note: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <b>{value}</b> <span>{note}</span>
      </dd>
    </div>
  );
}

function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: [title: string, right?: boolean][];
  children: ReactNode;
}) {
  return (
    <ScrollRegion label={label}>
      <table className="grid">
        <thead>
          <tr>
            {head.map(([title, right]) => (
              <th key={title} scope="col" className={right ? "r" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollRegion>
  );
}

function Workers({ workers }: { workers: (Worker & { seen_at?: string })[] }) {
  const { data: catalogue } = useQuery(catalogueQuery);
  const names = new Map(catalogue?.simulators.map(({ name, digest }) => [digest, name]));
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  return (
    <section className="sheet" data-testid="workers">
      <h2>
        Workers{" "}
        <small>
          {workers.length === 0
            ? "none: runs wait until one starts"
            : `${workers.length}, with ${slots} ${slots === 1 ? "slot" : "slots"}`}
        </small>
      </h2>
      {workers.length > 0 && (
        <Table label="Workers" head={[["worker"], ["host"], ["slots", true], ["simulators"], ["last heartbeat"]]}>
          {workers.map((worker) => {
            const builds = worker.simulators.map((digest) => `${names.get(digest) ?? ""} ${digest.slice(0, 8)}`.trim());
            return (
              <tr key={worker.name}>
                <th scope="row">{worker.name}</th>
                <td>{worker.host}</td>
                <td className="r">{worker.slots}</td>
                <td className="wrapping">{builds.join(", ")}</td>
                <td>{worker.seen_at ? formatAge(worker.seen_at) : "live"}</td>
              </tr>
            );
          })}
        </Table>
      )}
    </section>
  );
}

function Simulators({ simulators }: { simulators: System["simulators"] }) {
  return (
    <section className="sheet">
      <h2>Simulators</h2>
      <Table label="Simulators" head={[["name"], ["digest"], ["built"]]}>
        {simulators.map(({ name, digest, built_at }) => (
          <tr key={digest}>
            <th scope="row">{name}</th>
            <td className="runs">{digest}</td>
            <td>{built_at ? formatTime(built_at) : "–"}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Storage({ submitters, total }: { submitters: Usage[]; total: number | null }) {
  const sorted = [...submitters].sort((a, b) => b.storage_bytes - a.storage_bytes);
  const largest = Math.max(1, ...sorted.map((one) => one.storage_bytes));
  return (
    <section className="sheet" data-testid="storage">
      <h2>
        Storage <small>{total !== null && `${formatSize(total)} of results and logs, each run counted once`}</small>
      </h2>
      <Table
        label="Storage by submitter"
        head={[
          ["submitter"],
          ["stored", true],
          ["share of the largest"],
          ["open runs", true],
          ["CPU, last 24 h", true],
        ]}
      >
        {sorted.map((one) => (
          <tr key={one.name ?? ""}>
            <th scope="row">{one.name ?? <i className="none">nobody</i>}</th>
            <td className="r">{formatSize(one.storage_bytes)}</td>
            <td className="share">
              {one.storage_bytes > 0 && <i style={{ width: `${(100 * one.storage_bytes) / largest}%` }} />}
            </td>
            <td className="r">{one.open_runs.toLocaleString("en-US")}</td>
            <td className="r">{one.cpu_hours.toFixed(1)} h</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
