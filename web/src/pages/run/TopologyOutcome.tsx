import { fixed, formatValue } from "../../figures/numbers";
import type { TopologyLink } from "../../figures/TopologyMap";
import { RunTag } from "./RunTag";
import type { RecordRow } from "./recordColumns";
import { busiest, dropCounts, dropsByNode, meanUtilization } from "./topologyModel";
import type { RunView } from "./useRunView";

interface Props {
  view: RunView;
  links: readonly TopologyLink[];
  portRows: readonly RecordRow[];
  owners: ReadonlyMap<string, string>;
  hosts: ReadonlySet<string>;
}

const sum = (counts: readonly (readonly [string, number])[]) => counts.reduce((total, [, count]) => total + count, 0);

/** Where it was full, and where packets were lost, in a sentence. */
export function TopologyOutcome({ view, links, portRows, owners, hosts }: Props) {
  const top = busiest(links, meanUtilization(portRows));
  if (!top) return null;
  const counts = dropCounts(portRows);
  const byNode = [...dropsByNode(counts, owners)];
  const switches = byNode.filter(([node]) => !hosts.has(node)).sort(([, a], [, b]) => b - a);
  const total = sum(switches);
  const atHosts = sum(byNode) - total;
  const [node, most] = switches[0] ?? ["", 0];
  return (
    <div className="verdict">
      <p className="say">
        With <RunTag name={view.name} /> the busiest link, from {top.from} to {top.to}, was{" "}
        <b>{formatValue(top.percent)} % busy</b>;{" "}
        {total === 0 ? (
          "no switch dropped a packet"
        ) : (
          <>
            switches dropped <b>{fixed(total, 0)} packets</b>
            {most === total ? `, all at ${node}` : `, most at ${node} (${fixed(most, 0)})`}
          </>
        )}
        {atHosts > 0 && <>, and queues of hosts {fixed(atHosts, 0)}</>}.{" "}
        <span className="sure">One seed: an illustration, no verdict.</span>
      </p>
    </div>
  );
}
