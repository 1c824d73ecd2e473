import { useQuery } from "@tanstack/react-query";
import type { components } from "../../api/schema";
import { Command } from "../../ui/Copy";
import { workersQuery } from "../admin/queries";
import { Anchor } from "./Anchor";

type Simulator = components["schemas"]["SimulatorInfo"];

/** The newest build of each simulator, and the hosts that offer it. */
export function Simulators({ simulators }: { simulators: Simulator[] }) {
  const { data: workers } = useQuery(workersQuery);
  return (
    <ul className="entries" data-testid="simulators">
      {simulators.map(({ name, title, engine, digest }) => {
        const hosts = new Set(workers?.filter((worker) => worker.simulators.includes(digest)).map(({ host }) => host));
        return (
          <li key={name} id={`simulators-${name}`} className="entry">
            <div className="entry-name">
              <h2>
                {name}
                <Anchor id={`simulators-${name}`} name={name} />
              </h2>
              <small>{title}</small>
            </div>
            <dl className="kv entry-about">
              <dt>engine</dt>
              <dd>{engine}</dd>
              <dt>digest</dt>
              <dd className="mono">{digest}</dd>
              <dt>offered by</dt>
              <dd>{hosts.size > 0 ? [...hosts].join(", ") : workers ? "no live worker: its runs wait" : "–"}</dd>
              <dt>pin it</dt>
              <dd>
                <Command>{`simulator: ${name}@${digest.slice(0, 12)}`}</Command>
              </dd>
            </dl>
          </li>
        );
      })}
    </ul>
  );
}
