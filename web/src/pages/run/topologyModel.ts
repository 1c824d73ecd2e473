/** The run's topology with what its records say of ports: utilization, drops, paths. */
import type { components } from "../../api/schema";
import type { TopologyLink } from "../../figures/TopologyMap";
import type { RecordRow } from "./recordColumns";

export type Topology = components["schemas"]["TopologyOut"];

/** A path's hop is a port's name, or has one and the share of packets that take it. */
export const hopName = (hop: unknown): string =>
  typeof hop === "object" && hop !== null && "port" in hop ? String(hop.port) : String(hop);

export const linksOf = (topology: Topology): TopologyLink[] =>
  topology.links.map(({ from, to, port_up, port_down }) => ({ from, to, up: port_up, down: port_down }));

const numberOf = (row: RecordRow, name: string): number | undefined =>
  typeof row[name] === "number" ? row[name] : undefined;

/** Percent by port, of the measured time. */
export function meanUtilization(ports: readonly RecordRow[]): Map<string, number> {
  return new Map(
    ports.flatMap((row): [string, number][] => {
      const percent = numberOf(row, "utilization_pct");
      return percent === undefined ? [] : [[String(row.port), percent]];
    }),
  );
}

/** The node whose queue a port is. */
export function ownersOf(links: readonly TopologyLink[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { from, to, up, down } of links) {
    if (up !== null) owners.set(up, from);
    if (down !== null) owners.set(down, to);
  }
  return owners;
}

/** The hosts' names: the first tier's. */
export const hostsOf = ({ nodes, tiers }: Topology): Set<string> =>
  new Set(nodes.filter(({ tier }) => tier === tiers[0]).map(({ name }) => name));

/** Packets by node, of counts by port; a port that is on no link counts nowhere. */
export function dropsByNode(
  counts: Iterable<readonly [string, number]>,
  owners: ReadonlyMap<string, string>,
): Map<string, number> {
  const drops = new Map<string, number>();
  for (const [port, count] of counts) {
    const owner = owners.get(port);
    if (owner !== undefined && count > 0) drops.set(owner, (drops.get(owner) ?? 0) + count);
  }
  return drops;
}

export const dropCounts = (ports: readonly RecordRow[]): [string, number][] =>
  ports.map((row) => [String(row.port), numberOf(row, "drops") ?? 0]);

export interface ListedFlow {
  flow: string;
  from: string;
  to: string;
  goodput: number | undefined;
  /** Its max-min fair rate, which supposes that all flows always send. */
  ceiling: number | undefined;
  path: string[] | undefined;
}

/** Flows, those that got the least of their ceiling first. */
export function listedFlows(flows: readonly RecordRow[], topology: Topology): ListedFlow[] {
  const hosts = topology.nodes.filter(({ tier }) => tier === topology.tiers[0]).map(({ name }) => name);
  const end = (value: unknown) => (typeof value === "number" ? (hosts[value] ?? String(value)) : "?");
  const share = ({ goodput, ceiling }: ListedFlow) =>
    goodput !== undefined && ceiling ? goodput / ceiling : Number.POSITIVE_INFINITY;
  return flows
    .map(
      (row): ListedFlow => ({
        flow: String(row.flow),
        from: end(row.source),
        to: end(row.destination),
        goodput: numberOf(row, "goodput_mbps"),
        ceiling: numberOf(row, "max_min_mbps"),
        path: topology.paths[String(row.flow)],
      }),
    )
    .sort((a, b) => share(a) - share(b) || (a.goodput ?? 0) - (b.goodput ?? 0));
}

/** The busiest link by its port's utilization. */
export function busiest(
  links: readonly TopologyLink[],
  utilization: ReadonlyMap<string, number>,
): { from: string; to: string; percent: number } | undefined {
  let best: { from: string; to: string; percent: number } | undefined;
  for (const { from, to, up, down } of links) {
    for (const [a, b, port] of [
      [from, to, up],
      [to, from, down],
    ] as const) {
      const percent = port === null ? undefined : utilization.get(port);
      if (percent !== undefined && percent > (best?.percent ?? -1)) best = { from: a, to: b, percent };
    }
  }
  return best;
}

/** Values of every port at the same times. */
export interface PortTimes {
  /** Start of each step, in seconds. */
  times: number[];
  step: number;
  byPort: Map<string, number[]>;
}

/** Percent of links at least `hot` percent busy, by step. */
export function hotLinks({ times, byPort }: PortTimes, hot: number): number[] {
  return times.map((_, i) => {
    let count = 0;
    for (const values of byPort.values()) if ((values[i] ?? 0) >= hot) count += 1;
    return count;
  });
}
